import PerfData

/// How many events one stands for, where the recorder sampled or recorded slices of time only.
struct SliceWeights {
  private let spans: [CaptureEvent.Slices]
  /// What rounding left over in each span, so that the sum of the weights is right.
  private var rests: [Double]

  init(_ spans: [CaptureEvent.Slices] = []) {
    self.spans = spans
    rests = [Double](repeating: 0, count: spans.count)
  }

  /// The weight of a sample, above 1 where others like it were not recorded.
  mutating func weight(of context: DecodingContext) -> UInt64 {
    weight(context.weight, at: context.time.nanoseconds)
  }

  /// The weight of a sample that stands for `own` events of the slice that it is in.
  mutating func weight(_ own: UInt64, at time: UInt64) -> UInt64 {
    guard !spans.isEmpty else { return own }
    for (index, span) in spans.enumerated() where time >= span.fromNs && time < span.toNs {
      let exact = min(Double(own) * span.weight, 1e15) + rests[index]
      let whole = exact.rounded(.down)
      rests[index] = exact - whole
      return UInt64(whole)
    }
    return own
  }

  /// Gives wakes between two slices, known by the switch alone, the kind of their thread's last recorded one.
  func complete(_ log: inout WakeupLog) {
    guard !spans.isEmpty else { return }
    var wakeups = Array(log)
    var last: [Int32: Wakeup] = [:]
    for index in wakeups.indices {
      let wakeup = wakeups[index]
      if wakeup.context != .unknown {
        last[wakeup.tid] = wakeup
      } else if let model = last[wakeup.tid],
        spans.contains(where: {
          wakeup.time.nanoseconds >= $0.fromNs && wakeup.time.nanoseconds < $0.toNs
        })
      {
        wakeups[index].context = model.context
        wakeups[index].waker = model.waker
        wakeups[index].wakerPid = model.wakerPid
        wakeups[index].cpuWasIdle = model.cpuWasIdle
      }
    }
    log = WakeupLog(wakeups)
  }
}
