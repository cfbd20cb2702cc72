import PerfData

/// What is told of sampling while it goes on: for a recording that is killed, and for who looks at it as it is made.
///
/// Without that one event in forty was taken for all there were.
extension RateGovernor {
  /// How long what is told counts beyond its moment: until the next is there.
  private static let beyond: UInt64 = 1_500_000_000
  private static let interval: UInt64 = 1_000_000_000

  private var isThinned: Bool { slices.isSlicing || states.contains(where: \.isSampling) }

  /// Whether it is to be told again; a long list of spans more seldom.
  func isDueMeanwhile(now: UInt64) -> Bool {
    let isThinned = isThinned
    defer { wasThinned = isThinned }
    let told = UInt64(list.spans.count + slices.spans.count)
    guard
      isThinned != wasThinned || isThinned && now &- toldMeanwhile >= Self.interval * (1 + told / 8)
    else { return false }
    toldMeanwhile = now
    return true
  }

  func describeSoFar(_ summary: inout RecordingSummary) {
    let now = SystemInfo.monotonicNanoseconds()
    let standing = slices.spans(now: now, until: now + Self.beyond)
    summary.capture.slices = standing.isEmpty ? nil : standing
    summary.capture.sampled =
      list.spans + sampled(by: standing)
      + states.compactMap { $0.openSpan(until: now + Self.beyond) }
  }
}
