import Quantities
import TraceModel

/// Counts what the main thread did to files.
struct FileAccessMeasure {
  private static let mostFiles = 5
  /// Small reads are known by process: they are the main thread's if it had this share of the CPU time meanwhile.
  private static let mostOfTime = 0.8

  /// When a thread was the main thread.
  private struct Span {
    let tid: Int32
    let start: Timestamp
    let end: Timestamp
  }

  private let subject: SubjectView
  /// In the order of time.
  private let spans: [Span]

  /// What was done before `ready` is the launch's.
  init(of choice: MainThreadChoice, after ready: Timestamp?, in subject: SubjectView) {
    self.subject = subject
    let begin = max(ready ?? subject.start, subject.start)
    spans =
      switch choice.parked {
      case nil: [Span(tid: choice.thread.tid, start: begin, end: subject.end)]
      case .works(let work)?:
        work.turns(in: subject).filter { $0.end > begin }.map {
          Span(tid: $0.tid, start: $0.start, end: $0.end)
        }
      case .idle?, .untold?: []
      }
  }

  func measure(_ loads: FileLoadMeasure, _ activity: SubjectActivity) -> FileAccess {
    var files: [String: FileAccess.File] = [:]
    func add(_ path: String?, calls: Int, bytes: UInt64) {
      let path = path ?? "(unknown file)"
      files[path, default: .init(path: path, calls: 0, bytes: 0)].calls += calls
      files[path, default: .init(path: path, calls: 0, bytes: 0)].bytes &+= bytes
    }
    let tids = Set(spans.map(\.tid))
    for operation in subject.trace.fileOperations.matching({
      $0.pid == subject.pid && tids.contains($0.tid) && $0.isDisk
    }) where holds(operation.tid, operation.time) {
      add(
        operation.path, calls: Int(clamping: operation.weight),
        bytes: operation.bytes &* operation.weight)
    }
    for spell in loads.spells {
      let own = running(spell.from, spell.to)
      guard own > 0, own >= Self.mostOfTime * activity.cpuSeconds(spell.from, spell.to) else {
        continue
      }
      add(spell.path, calls: spell.reads, bytes: spell.bytes)
    }
    return FileAccess(
      calls: files.values.reduce(0) { $0 + $1.calls },
      bytes: files.values.reduce(0) { $0 &+ $1.bytes },
      files: Array(
        files.values.sorted { ($1.bytes, $1.calls, $0.path) < ($0.bytes, $0.calls, $1.path) }
          .prefix(Self.mostFiles)))
  }

  private func holds(_ tid: Int32, _ time: Timestamp) -> Bool {
    // Turns of several workers do not overlap by much: the main queue runs one thing at a time.
    let next = spans.partitioningIndex { $0.end >= time }
    return spans[next...].prefix(4).contains { $0.tid == tid && $0.start <= time && $0.end >= time }
  }

  /// The main thread's CPU time between two moments.
  private func running(_ from: Timestamp, _ to: Timestamp) -> Double {
    var sum = 0.0
    for span in spans where span.start < to && span.end > from {
      guard let thread = subject.threads.first(where: { $0.tid == span.tid }) else { continue }
      let (begin, end) = (max(from, span.start), min(to, span.end))
      sum +=
        (thread.intervals.runningTime(before: end) - thread.intervals.runningTime(before: begin))
        .seconds
    }
    return sum
  }
}
