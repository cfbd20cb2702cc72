import PerfData
import Quantities

/// A task of Swift concurrency that a process created.
public struct CreatedTask: Sendable {
  public var time: Timestamp
  public var pid: Int32
}

/// When each process created tasks of Swift concurrency, packed.
public struct TaskLog: Sequence, PackedTable {
  private var log = OperationLog<Int32>()

  public init() {}

  init(_ tasks: some Sequence<CreatedTask>) {
    for task in tasks { append(task) }
  }

  /// The earliest task's.
  var earliest: Timestamp { log.earliest }

  mutating func append(_ task: CreatedTask) {
    let number = log.number(of: task.pid, hint: Int(task.pid))
    log.append(.init(kind: number, time: task.time.nanoseconds, bytes: 0))
  }

  /// How many a process created.
  public func count(of pid: Int32) -> Int { count { $0.pid == pid } }

  public func makeIterator() -> some IteratorProtocol<CreatedTask> {
    log.entries.lazy.map { [kinds = log.kinds] in
      CreatedTask(time: Timestamp(nanoseconds: $0.time), pid: kinds[$0.kind])
    }.makeIterator()
  }
}
