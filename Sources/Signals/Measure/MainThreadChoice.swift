import PerfData
import TraceModel

/// The thread that plays the main thread's part, and how it was found.
struct MainThreadChoice {
  var thread: ThreadModel
  var foundBy: String

  /// Frames of libdispatch when it drains a serial queue, as it does the main queue once the first thread is parked.
  private static let serialDrain = ["_dispatch_lane_serial_drain", "_dispatch_lane_invoke"]
  private static let parked = "_dispatch_sigsuspend"

  static func choose(in subject: SubjectView) -> MainThreadChoice? {
    guard
      let first = subject.threads.first(where: { $0.tid == subject.pid })
        ?? subject.threads.first
    else { return nil }
    let stacks = subject.trace.stacks
    func mentions(_ stack: Int?, _ names: [String]) -> Bool {
      guard let stack else { return false }
      return stacks.frames(of: stack).contains { frame in
        names.contains { frame.function?.contains($0) == true }
      }
    }
    guard first.intervals.contains(where: { mentions($0.stack, [parked]) }) else {
      return MainThreadChoice(thread: first, foundBy: "the process's first thread")
    }
    // MainActor runs on whichever worker drains the main queue.
    var weight: [Int32: Double] = [:]
    for thread in subject.threads where thread.tid != first.tid {
      for interval in thread.intervals where mentions(interval.stack, serialDrain) {
        weight[thread.tid, default: 0] += interval.length.seconds
      }
    }
    for sample in subject.trace.processorSamples
    where sample.pid == subject.pid && mentions(sample.stack, serialDrain) {
      weight[sample.tid, default: 0] += 0.01
    }
    let best = weight.max { ($0.value, $1.key) < ($1.value, $0.key) }
    guard let best, let thread = subject.threads.first(where: { $0.tid == best.key }) else {
      return MainThreadChoice(
        thread: first, foundBy: "the process's first thread (parked by libdispatch)")
    }
    return MainThreadChoice(
      thread: thread, foundBy: "the worker that drains the main queue; the first thread is parked")
  }
}
