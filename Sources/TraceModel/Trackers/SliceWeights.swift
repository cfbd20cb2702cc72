import PerfData

/// How many events one stands for, where the recorder sampled or recorded slices of time only.
struct SliceWeights {
  private let spans: [CaptureEvent.Slices]
  /// What rounding left over in each span, so that the sum of the weights is right: of all kinds, and of calls that write.
  private var rests: [Double]
  private var writeRests: [Double]

  init(_ spans: [CaptureEvent.Slices] = []) {
    self.spans = spans
    rests = [Double](repeating: 0, count: spans.count)
    writeRests = rests
  }

  /// The weight of a sample, above 1 where others like it were not recorded.
  mutating func weight(of context: DecodingContext) -> UInt64 {
    weight(context.weight, at: context.time.nanoseconds)
  }

  /// The weight of the sample of a system call that writes: how many there were may be known exactly.
  mutating func weight(ofWrite context: DecodingContext) -> UInt64 {
    let time = context.time.nanoseconds
    guard let index = spans.firstIndex(where: { time >= $0.fromNs && time < $0.toNs }) else {
      return context.weight
    }
    return Self.round(
      Double(context.weight) * spans[index].writeWeight, keeping: &writeRests[index])
  }

  /// The weight of a sample that stands for `own` events of the slice that it is in.
  mutating func weight(_ own: UInt64, at time: UInt64) -> UInt64 {
    guard let index = spans.firstIndex(where: { time >= $0.fromNs && time < $0.toNs }) else {
      return own
    }
    return Self.round(Double(own) * spans[index].weight, keeping: &rests[index])
  }

  private static func round(_ weight: Double, keeping rest: inout Double) -> UInt64 {
    let exact = min(weight, 1e15) + rest
    let whole = exact.rounded(.down)
    rest = exact - whole
    return UInt64(whole)
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
