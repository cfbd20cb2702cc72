import PerfData
import Quantities
import TraceModel

/// CPU time of a process as /proc told it while it ran, where it is more than what is told of its threads: looks from
/// outside miss those that begin and end between two, and from within those are not seen that the C library makes for
/// itself (timer_create with SIGEV_THREAD, POSIX AIO), nor what a thread takes to begin and end.
struct ProcessorReadings {
  /// Moments in order, and what was used until each.
  private var points: [(time: Timestamp, used: TimeSpan)] = []

  /// /proc counts in hundredths of a second, and its last reading is of before the end.
  private static let smallShare = 1.02
  /// What threads tell from within they tell at any moment, which is worth more than as little as that, a choice.
  private static let smallShareWithin = 1.1
  private static let smallTimeWithin = 0.005
  /// Between two readings /proc may count so much too much, in user and in system time (USER_HZ is 100).
  private static let twoTicks = 0.02

  /// Nil where the threads tell as much.
  init?(of pid: Int32, from start: Timestamp, threads: [ThreadModel], in trace: Trace) {
    guard let capture = trace.capture else { return nil }
    let isWithin =
      capture.recorder == CaptureEvent.processRecorder
      && capture.processesRecorded?.contains(Int(pid)) == true
    guard capture.looksAt(pid) || isWithin else { return nil }
    let samples = trace.footprints.filter { $0.pid == pid }
    guard let first = samples.first else { return nil }
    // What it used before the recording is not the recording's.
    let base = trace.startsLate ? Self.used(first.sample) : 0
    points.append((start, .zero))
    for sample in samples where sample.time > points.last?.time ?? start {
      let used = Self.used(sample.sample)
      points.append((sample.time, TimeSpan(nanoseconds: Int64(clamping: used - min(used, base)))))
    }
    let scheduled = threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }.seconds
    guard total.seconds > Self.smallShare * scheduled else { return nil }
    guard isWithin else { return }
    let uncertainty = trace.startsLate ? Self.twoTicks : 0
    guard total.seconds > Self.smallShareWithin * scheduled,
      total.seconds > scheduled + Self.smallTimeWithin + uncertainty
    else { return nil }
  }

  private static func used(_ sample: FootprintSample) -> UInt64 {
    sample.userTimeNs &+ sample.systemTimeNs
  }

  /// In the whole recording.
  var total: TimeSpan { points.last?.used ?? .zero }

  /// What was used until a moment, evenly between two readings.
  func used(before time: Timestamp) -> TimeSpan {
    let next = points.partitioningIndex { $0.time >= time }
    guard next > 0 else { return .zero }
    let before = points[next - 1]
    guard next < points.count else { return before.used }
    let after = points[next]
    let share = (time - before.time).seconds / (after.time - before.time).seconds
    return before.used + TimeSpan(seconds: (after.used - before.used).seconds * share)
  }
}
