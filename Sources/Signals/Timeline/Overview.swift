import Quantities
import TraceModel

/// A recording in a few columns, for a line of text.
package struct Overview: Sendable, Equatable {
  /// Columns over the recording, or the window of it.
  package static let columns = 60

  /// When the first column begins, in seconds from the recording's start.
  package var start: Double
  /// Length of a column.
  package var secondsPerColumn: Double
  /// Share of each column in which the main thread was not idle; empty where that is not known.
  package var mainThreadBusy: [Double] = []
  /// Cores in use.
  package var cores: [Double] = []
  package var wakeups: [Double] = []
  /// Bytes sent and received on internet sockets.
  package var networkBytes: [Double] = []
  /// Bytes written to files.
  package var diskBytes: [Double] = []
  /// The highest footprint; zero where none was read.
  package var footprintBytes: [Double] = []

  /// Measures a trace's subject.
  package static func measure(_ trace: Trace, signals: SignalSet) -> Overview {
    let subject = SubjectView(trace)
    let seconds = max(trace.metadata.durationSeconds, 1e-9)
    var overview = Overview(
      start: max(0, trace.seconds(trace.end) - seconds), secondsPerColumn: seconds / Double(columns)
    )
    var sums = ColumnSums(start: overview.start, width: overview.secondsPerColumn)
    let main = signals.mainThread.flatMap { main in
      subject.threads.first { Int($0.tid) == main.threadID }
    }
    let (start, width) = (overview.start, overview.secondsPerColumn)
    if signals.cpu != nil, let readings = subject.readings {
      overview.cores = columns(start, width, in: subject) { readings.used(before: $0) }.map {
        $0 / width
      }
    } else if signals.cpu != nil {
      // This core takes every other thread.
      let threads = subject.threads.filter { $0.intervals.running > .zero }
      let evens = stride(from: 0, to: threads.count, by: 2).map { threads[$0] }
      let odds = stride(from: 1, to: threads.count, by: 2).map { threads[$0] }
      let others = ConcurrentValue { cores(evens, start, width, in: subject) }
      let own = cores(odds, start, width, in: subject)
      overview.cores = zip(others.value, own).map { ($0 + $1) / width }
      for (time, length) in subject.sampledTimes {
        overview.cores[sums.column(of: subject.time(time))] += length.seconds / width
      }
    }
    if signals.wakeups != nil {
      let bounds = (1..<columns).map { sums.begin(of: $0, in: subject) }
      overview.wakeups = trace.wakeups.counts(of: subject.pid, between: bounds).map(Double.init)
    }
    if signals.network != nil {
      for transfer in trace.transfers.internet(of: subject.pid) {
        sums.add(Double(transfer.bytes &* transfer.weight), at: subject.time(transfer.time))
      }
      overview.networkBytes = sums.take()
    }
    if signals.disk != nil {
      for operation in trace.fileOperations.onDisk(by: subject.pid) {
        guard case .write = operation.kind else { continue }
        sums.add(Double(operation.bytes &* operation.weight), at: subject.time(operation.time))
      }
      overview.diskBytes = sums.take()
    }
    if signals.memory != nil {
      var highest = [Double](repeating: 0, count: columns)
      for footprint in trace.footprints where footprint.pid == subject.pid {
        let column = sums.column(of: subject.time(footprint.time))
        highest[column] = max(highest[column], Double(footprint.sample.footprint))
      }
      overview.footprintBytes = highest
    }
    if let main { overview.mainThreadBusy = busy(main, start, width, in: subject) }
    return overview
  }

  /// Seconds of CPU time of some threads in each column.
  private static func cores(
    _ threads: [ThreadModel], _ start: Double, _ width: Double, in subject: SubjectView
  ) -> [Double] {
    var cores = [Double](repeating: 0, count: columns)
    for thread in threads {
      var walk = ThreadHistory.Walk(thread.intervals)
      let own = columns(start, width, in: subject) { walk.times(before: $0).running }
      for index in cores.indices { cores[index] += own[index] }
    }
    return cores
  }

  /// Share of each column in which a thread was not idle.
  private static func busy(
    _ thread: ThreadModel, _ start: Double, _ width: Double, in subject: SubjectView
  ) -> [Double] {
    let history = subject.history(of: thread)
    let end = history.last?.end ?? thread.start
    var walk = ThreadHistory.Walk(history)
    return columns(start, width, in: subject) { time in
      min(max(time, thread.start), end) - thread.start - walk.times(before: time).idle
    }.map { min(max($0, 0) / width, 1) }
  }
}

extension Overview {
  /// What a sum of times up to a moment grew by in each column, in seconds.
  private static func columns(
    _ start: Double, _ width: Double, in subject: SubjectView, _ sum: (Timestamp) -> TimeSpan
  ) -> [Double] {
    var before = start > 0 ? sum(subject.trace.start + TimeSpan(seconds: start)) : .zero
    return (1...columns).map { index in
      let moment =
        index == columns
        ? Timestamp(nanoseconds: .max)
        : subject.trace.start + TimeSpan(seconds: start + width * Double(index))
      let until = sum(moment)
      defer { before = until }
      return (until - before).seconds
    }
  }
}

/// Amounts by column.
private struct ColumnSums {
  let start: Double
  let width: Double
  private var values = [Double](repeating: 0, count: Overview.columns)

  init(start: Double, width: Double) {
    self.start = start
    self.width = width
  }

  func column(of time: Double) -> Int {
    Int(min(max((time - start) / width, 0), Double(Overview.columns - 1)))
  }

  /// The first moment of the trace that is in a column or a later one.
  func begin(of column: Int, in subject: SubjectView) -> Timestamp {
    let start = subject.trace.start
    let moments = 0..<max(0, (subject.trace.end - start).nanoseconds &+ 1)
    let first = moments.partitioningIndex {
      self.column(of: subject.time(start + TimeSpan(nanoseconds: $0))) >= column
    }
    return start + TimeSpan(nanoseconds: first)
  }

  mutating func add(_ amount: Double, at time: Double) { values[column(of: time)] += amount }

  /// The sums so far; it begins anew.
  mutating func take() -> [Double] {
    defer { values = [Double](repeating: 0, count: Overview.columns) }
    return values
  }
}
