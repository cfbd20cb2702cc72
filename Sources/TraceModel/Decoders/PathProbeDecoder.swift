import PerfData

/// The recorder's probes on the C library, which tell path arguments.
enum PathProbeDecoder {
  static func opening(_ context: DecodingContext, _ state: inout LoaderState) {
    state.openings[context.tid] = context.string("path").map {
      (whole($0, in: "dir", context, state), context.time)
    }
  }

  static func opened(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let (path, since) = state.openings.removeValue(forKey: context.tid),
      let fd = context.integer("fd"), fd >= 0
    else { return }
    state.descriptors.opened(
      pid: context.pid, fd: Int(fd), path: path, since: since, at: context.time)
  }

  static func renamed(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let from = context.string("old"), let to = context.string("new") else { return }
    add(
      .rename(from: whole(from, in: "olddir", context, state)),
      path: whole(to, in: "newdir", context, state), context, &state)
  }

  static func unlinked(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let path = context.string("path") else { return }
    add(.unlink, path: whole(path, in: "dir", context, state), context, &state)
  }

  /// The path of a file, whole where it is known from where it was named: from the folder whose descriptor a field
  /// has, or where there is no such field from where the process works.
  private static func whole(
    _ path: String, in field: StaticString, _ context: DecodingContext,
    _ state: borrowing LoaderState
  ) -> String {
    guard !path.hasPrefix("/") else { return path }
    let directory = Int(context.integer(field) ?? Int64(WorkingFolders.current))
    let folder =
      directory == WorkingFolders.current
      ? state.folders[context.pid]
      : state.descriptors.target(pid: context.pid, fd: directory, at: context.time).path
    return folder.flatMap { WorkingFolders.whole(path, in: $0) } ?? path
  }

  private static func add(
    _ kind: FileOperation.Kind, path: String, _ context: DecodingContext,
    _ state: inout LoaderState
  ) {
    state.operations.append(
      FileOperation(
        time: context.time, pid: context.pid, tid: context.tid, kind: kind,
        path: path, target: DescriptorTracker.kind(of: path), bytes: 0, weight: 1))
  }
}
