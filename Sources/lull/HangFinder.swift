import PerfData
import Quantities
import Recording
import Signals
import TraceModel

/// Finds hangs in the last seconds of a recording as a report would.
enum HangFinder {
  /// The main thread's hangs, by their beginning; nil where they cannot be told.
  static func hangs(in file: PerfDataFile, process: String?) -> [FlightHang]? {
    guard
      let trace = try? Trace.load(
        file, named: "the last seconds", options: TraceOptions(process: process)),
      let hangs = Measurement.hangs(in: trace)
    else { return nil }
    return hangs.map { hang in
      let start = trace.start + TimeSpan(seconds: hang.start)
      let end = start + TimeSpan(seconds: hang.durationSeconds)
      return FlightHang(
        fromNs: start.nanoseconds, toNs: end.nanoseconds,
        // Seconds are rounded.
        isGoingOn: trace.end - end < TimeSpan(nanoseconds: 1000), pid: trace.subject.pid)
    }
  }
}
