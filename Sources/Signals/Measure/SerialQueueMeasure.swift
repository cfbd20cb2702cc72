import Quantities
import TraceModel

/// Measures what the work of serial queues waited for, and computed, by the stacks in which a queue is drained.
enum SerialQueueMeasure {
  /// A queue's places at most, the worst.
  private static let placeLimit = 10

  private struct Sum {
    var waits: [ThreadInterval] = []
    var samples = 0
  }

  static func measure(_ subject: SubjectView) -> [SerialQueueSignal] {
    let queues = queues(of: subject.trace.stacks)
    guard !queues.isEmpty else { return [] }
    var sums: [String: Sum] = [:]
    for thread in subject.threads {
      let history = subject.history(of: thread)
      guard history.totals.stacks.contains(where: { queues[$0] != nil }) else { continue }
      for interval in history {
        guard case .blocked(let cause) = interval.state, cause != .eventWait,
          let queue = interval.stack.flatMap({ queues[$0] })
        else { continue }
        sums[queue, default: Sum()].waits.append(interval)
      }
    }
    let samples = subject.trace.processorSamples.filter { $0.pid == subject.pid && $0.stack != nil }
    for sample in samples {
      guard let queue = sample.stack.flatMap({ queues[$0] }) else { continue }
      sums[queue, default: Sum()].samples += 1
    }
    let total = subject.threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }
    let each = subject.trace.seconds(ofEach: samples.count, in: total, of: subject.pid)
    return sums.map { label, sum in
      let parts = TimeParts(sum.waits)
      return SerialQueueSignal(
        label: label, blockedSeconds: parts.blockedTotal.seconds,
        longestSeconds: sum.waits.map(\.length).max()?.seconds ?? 0,
        blockedByCause: parts.blockedByCause,
        cpuSeconds: samples.isEmpty ? nil : each * Double(sum.samples),
        blockings: Array(BlockingSums(sum.waits).blockings(subject).prefix(placeLimit)))
    }.sorted {
      ($1.blockedSeconds + ($1.cpuSeconds ?? 0), $0.label)
        < ($0.blockedSeconds + ($0.cpuSeconds ?? 0), $1.label)
    }
  }

  /// Which queue is drained in each stack; of several the innermost, whose target the others are.
  private static func queues(of stacks: StackTable) -> [Int: String] {
    let labels = stacks.frames.map { frame in
      frame.isKernel ? nil : frame.function.flatMap(SerialDrain.label)
    }
    guard labels.contains(where: { $0 != nil }) else { return [:] }
    var queues: [Int: String] = [:]
    for (index, frames) in stacks.stacks.enumerated() {
      queues[index] = frames.lazy.compactMap { labels[Int($0)] }.first
    }
    return queues
  }
}
