import PerfData
import Quantities

/// Runs of jobs of Swift concurrency in the order of their ends, packed: some twenty bytes each, as a busy server runs
/// thousands a second.
///
/// An `OperationLog`, in which a run's end is the time, its length the duration, what the job waited before stands for
/// the bytes, and its task for the offset.
public struct JobLog: Sequence, PackedTable, ExpressibleByArrayLiteral, Sendable {
  /// What comes again and again.
  fileprivate struct Kind: Hashable {
    let pid: Int32
    let tid: Int32
    let isMainActor: Bool
    let wasEnqueued: Bool
    let function: Frame?
  }

  /// Each entry's time is the run's end, and its bytes are the nanoseconds that the job waited for its executor.
  private var log = OperationLog<Kind>()

  public init() {}

  public init(_ runs: some Sequence<JobRun>) {
    for run in runs { append(run) }
  }

  public init(arrayLiteral elements: JobRun...) { self.init(elements) }

  /// How many there are.
  public var count: Int { log.count }

  public var underestimatedCount: Int { count }

  /// The earliest end of a run.
  var earliest: Timestamp { log.earliest }

  public mutating func append(_ run: JobRun) {
    let kind = Kind(
      pid: run.pid, tid: run.tid, isMainActor: run.isMainActor, wasEnqueued: run.enqueued != nil,
      function: run.function)
    let number = log.number(
      of: kind,
      hint: Int(run.tid) &+ 61 &* Int(truncatingIfNeeded: run.function?.moduleOffset ?? 0))
    log.append(
      .init(
        kind: number, time: run.end.nanoseconds,
        bytes: UInt64(bitPattern: run.wait?.nanoseconds ?? 0), duration: run.length,
        offset: run.task))
  }

  public func makeIterator() -> Iterator {
    Iterator(log.entries, log.kinds, isWanted: log.kinds.map { _ in true })
  }

  /// A process's runs; those that MainActor's executor ran alone, or all.
  public func runs(of pid: Int32, onMainActor: Bool = false) -> IteratorSequence<Iterator> {
    let isWanted = log.kinds.map { $0.pid == pid && ($0.isMainActor || !onMainActor) }
    return IteratorSequence(Iterator(log.entries, log.kinds, isWanted: isWanted))
  }

  /// Unpacks one run after another; those of kinds that are not wanted take next to no time.
  public struct Iterator: IteratorProtocol {
    private var entries: OperationLog<Kind>.Entries
    private let kinds: ContiguousArray<Kind>
    private let isWanted: [Bool]

    fileprivate init(
      _ entries: OperationLog<Kind>.Entries, _ kinds: ContiguousArray<Kind>, isWanted: [Bool]
    ) {
      self.entries = entries
      self.kinds = kinds
      self.isWanted = isWanted
    }

    public mutating func next() -> JobRun? {
      while let entry = entries.next() {
        guard isWanted[entry.kind] else { continue }
        let kind = kinds[entry.kind]
        let start = entry.time &- UInt64(bitPattern: (entry.duration ?? .zero).nanoseconds)
        return JobRun(
          start: Timestamp(nanoseconds: start), end: Timestamp(nanoseconds: entry.time),
          pid: kind.pid, tid: kind.tid,
          enqueued: kind.wasEnqueued ? Timestamp(nanoseconds: start &- entry.bytes) : nil,
          isMainActor: kind.isMainActor, function: kind.function, task: entry.offset)
      }
      return nil
    }
  }
}
