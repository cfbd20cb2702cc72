import PerfData

/// What a thread moved to and from storage so far (`io`).
struct OutsideStorage: Equatable {
  /// Calls that read and write.
  var calls: UInt64
  /// What came from storage and is to go there, not what lay in memory.
  var bytes: UInt64

  /// The least that storage gives at a time.
  private static let page: UInt64 = 4096

  /// Nil where a field is missing.
  init?(_ text: [UInt8]) {
    func field(_ name: StaticString) -> UInt64? {
      ProcFields.field(name, of: text[...]).flatMap(ProcFields.number)
    }
    guard let reads = field("syscr:"), let writes = field("syscw:"),
      let fetched = field("read_bytes:"), let stored = field("write_bytes:")
    else { return nil }
    (calls, bytes) = (reads &+ writes, fetched &+ stored)
  }

  /// Whether so many waits were all for storage, since it was read last: each had a page of what was moved, and a call.
  ///
  /// It is read a moment after the waits were counted, before as well: some calls may be of just before or just after.
  func explains(_ waits: Int, since before: OutsideStorage) -> Bool {
    guard waits > 0, calls >= before.calls, bytes >= before.bytes else { return false }
    let waits = UInt64(waits)
    return (bytes - before.bytes) / Self.page >= waits
      && calls - before.calls + 2 + waits / 8 >= waits
  }
}

extension OutsideSource {
  /// Tells that waits which no look saw were for files, where one was that a look saw before or after them, and the
  /// thread had as much from storage meanwhile.
  ///
  /// - Parameter function: the kernel's function of the wait that it was found in now; nil where it was found running.
  func tellStorage(
    _ steps: [OutsideThread.Step], of task: OutsideTask, in function: String?,
    into output: inout RecordBytes
  ) {
    let file = function.flatMap { Self.ofFiles.contains($0) ? $0 : nil }
    let earlier = task.fileFunction
    if function != nil { task.fileFunction = file }
    if file != nil { task.waitsForFiles = true }
    guard tellsAll, !steps.isEmpty, task.waitsForFiles else { return }
    let before = task.storage
    task.storage = task.files.storage
    guard let name = file ?? earlier, let before, let now = task.storage,
      now.explains(task.thread.unseen, since: before)
    else { return }
    for (step, next) in zip(steps, steps.dropFirst()) {
      guard case .left(let start) = step, case .arrived(let end) = next else { continue }
      output.append(
        writer.wait(
          in: name, at: OutsideCall(), stack: [],
          .init(pid: task.pid, tid: task.tid, time: start + (end - start) / 2)))
    }
  }

  private static let ofFiles: Set<String> = ["vfs_read", "vfs_write"]
}
