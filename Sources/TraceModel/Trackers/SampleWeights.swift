import PerfData
import Quantities

/// How many events one stands for, where the recorder sampled or recorded slices of time only.
struct SampleWeights {
  /// Of which events all, or one of many, were recorded in slices of time.
  private let slices: [CaptureEvent.Slices]
  private let sampled: [CaptureEvent.SampledSpan]
  /// When stacks of some waits only were taken.
  private let stackSpans: [CaptureEvent.SampledSpan]
  /// What rounding left over, so that the sum of the weights is right: of each slice's span, of its calls that write,
  /// and of each sampled span.
  private var sliceRests: [Double]
  private var writeRests: [Double]
  private var sampleRests: [Double]

  init(_ slices: [CaptureEvent.Slices] = [], sampled: [CaptureEvent.SampledSpan] = []) {
    self.slices = slices
    self.sampled = sampled.filter { $0.samples != nil }
    stackSpans = sampled.filter { $0.source == Self.stacks }
    sliceRests = [Double](repeating: 0, count: slices.count)
    writeRests = sliceRests
    sampleRests = [Double](repeating: 0, count: self.sampled.count)
  }

  /// The weight of a sample of an event that is recorded in slices, above 1 where others like it were not recorded.
  mutating func weight(of context: DecodingContext) -> UInt64 {
    weight(context.weight, at: context.time.nanoseconds)
  }

  /// The weight of the sample of a system call that writes and stands for `own`: how many there were may be known
  /// exactly.
  mutating func weight(ofWrite own: UInt64, at time: UInt64) -> UInt64 {
    guard let index = slice(at: time) else {
      return weight(ofSample: own, of: Self.systemCalls, at: time)
    }
    return Self.round(Double(own) * slices[index].writeWeight, keeping: &writeRests[index])
  }

  /// The weight of a transfer's sample.
  mutating func weight(
    of context: DecodingContext, direction: Transfer.Direction
  ) -> UInt64 {
    weight(
      ofSample: context.weight, of: direction == .send ? Self.sends : Self.receives,
      at: context.time.nanoseconds)
  }

  private static let stacks = "sched:sched_switch"
  private static let systemCalls = "raw_syscalls:sys_exit"
  static let sends = "sock:sock_send_length"
  private static let receives = "sock:sock_recv_length"

  /// The weight of a sample that is told by the event's period, or better by the count of its span.
  mutating func weight(ofSample own: UInt64, of source: String, at time: UInt64) -> UInt64 {
    guard own > 1,
      let index = sampled.firstIndex(where: {
        time >= $0.fromNs && time < $0.toNs && $0.source == source
      })
    else { return own }
    return Self.round(sampled[index].weight, keeping: &sampleRests[index])
  }

  /// The weight of a sample that stands for `own` events of the slice that it is in.
  mutating func weight(_ own: UInt64, at time: UInt64) -> UInt64 {
    guard let index = slice(at: time) else { return own }
    return Self.round(Double(own) * slices[index].weight, keeping: &sliceRests[index])
  }

  /// A span in which one system call stands for many.
  struct Stretch {
    var start: Timestamp
    var end: Timestamp
    /// Whether it has times of which no call at all was recorded.
    var hasGaps: Bool
  }

  /// The span that a system call's sample is of; nil where each was recorded.
  func stretch(ofCallAt time: Timestamp) -> Stretch? {
    if let index = slice(at: time.nanoseconds) {
      return Stretch(
        start: Timestamp(nanoseconds: slices[index].fromNs),
        end: Timestamp(nanoseconds: slices[index].toNs), hasGaps: true)
    }
    return sampled.first {
      time.nanoseconds >= $0.fromNs && time.nanoseconds < $0.toNs && $0.source == Self.systemCalls
    }.map {
      Stretch(
        start: Timestamp(nanoseconds: $0.fromNs), end: Timestamp(nanoseconds: $0.toNs),
        hasGaps: false)
    }
  }

  private func slice(at time: UInt64) -> Int? {
    slices.firstIndex { time >= $0.fromNs && time < $0.toNs }
  }

  private static func round(_ weight: Double, keeping rest: inout Double) -> UInt64 {
    let exact = min(weight, 1e15) + rest
    let whole = exact.rounded(.down)
    rest = exact - whole
    return UInt64(whole)
  }

  /// Gives wakes what was not recorded of them, and was of the same thread's last one.
  ///
  /// Between two slices a wake is known by the switch alone: it is of the kind of the thread's last recorded one. Where
  /// stacks of some waits only were taken, a wait without one was for what the thread's last known one was for.
  func complete(_ log: inout WakeupLog) {
    guard !slices.isEmpty || !stackSpans.isEmpty else { return }
    var completed = WakeupPacker()
    var last: [Int32: Wakeup] = [:]
    var waits: [Int32: WaitCause] = [:]
    for var wakeup in log {
      let time = wakeup.time.nanoseconds
      if wakeup.context != .unknown {
        last[wakeup.tid] = wakeup
      } else if let model = last[wakeup.tid], slice(at: time) != nil {
        wakeup.context = model.context
        wakeup.waker = model.waker
        wakeup.wakerPid = model.wakerPid
        wakeup.cpuWasIdle = model.cpuWasIdle
      }
      if let waited = wakeup.waited, waited != .unknown {
        waits[wakeup.tid] = waited
      } else if wakeup.waited == .unknown, let known = waits[wakeup.tid],
        stackSpans.contains(where: { time >= $0.fromNs && time < $0.toNs })
      {
        wakeup.waited = known
      }
      completed.append(wakeup)
    }
    log = completed.finish()
  }
}
