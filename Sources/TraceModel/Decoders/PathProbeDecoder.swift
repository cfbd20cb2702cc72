import PerfData

/// The recorder's probes on the C library, which tell path arguments.
enum PathProbeDecoder {
  static func opening(_ context: DecodingContext, _ state: inout LoaderState) {
    state.openings[context.tid] = context.string("path").map { ($0, context.time) }
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
    add(.rename(from: from), path: to, context, &state)
  }

  static func unlinked(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let path = context.string("path") else { return }
    add(.unlink, path: path, context, &state)
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
