import PerfData
import Quantities

/// When each process created tasks of Swift concurrency, packed.
public struct TaskLog: Sequence, Sendable {
  private var log = OperationLog<Int32>()

  public init() {}

  init(_ tasks: some Sequence<(pid: Int32, time: Timestamp)>) {
    for task in tasks { append(pid: task.pid, at: task.time) }
  }

  /// The earliest task's.
  var earliest: Timestamp { log.earliest }

  mutating func append(pid: Int32, at time: Timestamp) {
    let number = log.number(of: pid, hint: Int(pid))
    log.append(.init(kind: number, time: time.nanoseconds, bytes: 0))
  }

  /// How many a process created.
  public func count(of pid: Int32) -> Int { count { $0.pid == pid } }

  public func makeIterator() -> some IteratorProtocol<(pid: Int32, time: Timestamp)> {
    log.entries.lazy.map { [kinds = log.kinds] in
      (pid: kinds[$0.kind], time: Timestamp(nanoseconds: $0.time))
    }.makeIterator()
  }
}
