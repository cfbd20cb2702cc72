import PerfData
import TraceModel

/// A recording in a few columns, for a line of text.
public struct Overview: Sendable, Hashable {
  /// Columns over the whole recording.
  public static let columns = 60

  /// Length of a column.
  public var secondsPerColumn: Double
  /// Share of each column in which the main thread was not idle; empty where that is not known.
  public var mainThreadBusy: [Double] = []
  /// Cores in use.
  public var cores: [Double] = []
  public var wakeups: [Double] = []
  /// Bytes sent and received on internet sockets.
  public var networkBytes: [Double] = []
  /// Bytes written to files.
  public var diskBytes: [Double] = []
  /// The highest footprint; zero where none was read.
  public var footprintBytes: [Double] = []

  /// Measures a trace's subject.
  public static func measure(_ trace: Trace, signals: SignalSet) -> Overview {
    let subject = SubjectView(trace)
    let seconds = max(trace.metadata.durationSeconds, 1e-9)
    var overview = Overview(secondsPerColumn: seconds / Double(columns))
    var sums = ColumnSums(width: overview.secondsPerColumn)
    if let main = signals.mainThread,
      let thread = subject.threads.first(where: { Int($0.tid) == main.threadID })
    {
      for interval in WaitInference.infer(thread.intervals)
      where interval.state != .blocked(.eventWait) {
        sums.add(from: subject.time(interval.start), to: subject.time(interval.end))
      }
      overview.mainThreadBusy = sums.take().map { min($0 / overview.secondsPerColumn, 1) }
    }
    if signals.cpu != nil {
      for thread in subject.threads {
        for interval in thread.intervals where interval.state == .running {
          sums.add(from: subject.time(interval.start), to: subject.time(interval.end))
        }
      }
      overview.cores = sums.take().map { $0 / overview.secondsPerColumn }
    }
    if signals.wakeups != nil {
      for wakeup in trace.wakeups where wakeup.pid == subject.pid {
        sums.add(1, at: subject.time(wakeup.time))
      }
      overview.wakeups = sums.take()
    }
    if signals.network != nil {
      for transfer in trace.transfers where transfer.pid == subject.pid && transfer.isInternet {
        sums.add(Double(transfer.bytes &* transfer.weight), at: subject.time(transfer.time))
      }
      overview.networkBytes = sums.take()
    }
    if signals.disk != nil {
      for operation in trace.fileOperations
      where operation.pid == subject.pid && operation.isDisk {
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
    return overview
  }
}

/// Amounts by column.
private struct ColumnSums {
  let width: Double
  private var values = [Double](repeating: 0, count: Overview.columns)

  init(width: Double) { self.width = width }

  func column(of time: Double) -> Int {
    Int(min(max(time / width, 0), Double(Overview.columns - 1)))
  }

  mutating func add(_ amount: Double, at time: Double) { values[column(of: time)] += amount }

  /// Adds a span's seconds to the columns that it touches.
  mutating func add(from start: Double, to end: Double) {
    guard end > start else { return }
    for index in column(of: start)...column(of: end) {
      let from = max(start, Double(index) * width)
      let to = index == Overview.columns - 1 ? end : min(end, Double(index + 1) * width)
      values[index] += max(0, to - from)
    }
  }

  /// The sums so far; it begins anew.
  mutating func take() -> [Double] {
    defer { values = [Double](repeating: 0, count: Overview.columns) }
    return values
  }
}
