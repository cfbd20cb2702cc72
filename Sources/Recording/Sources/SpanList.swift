import PerfData

/// Spans of sampling, as many as a record has room for: of more, those nearest to each other become one.
///
/// A recording of days may turn to sampling and back thousands of times, and the record that tells of it holds 64 KiB.
struct SpanList<Span: MergeableSpan> {
  /// 140 bytes each in the record.
  static var most: Int { 150 }

  private(set) var spans: [Span] = []

  mutating func append(_ span: Span) {
    spans.append(span)
    guard spans.count > Self.most else { return }
    var best: (first: Int, second: Int, gap: UInt64)?
    var last: [String: Int] = [:]
    for (index, span) in spans.enumerated() {
      if let before = last.updateValue(index, forKey: span.source) {
        let gap = span.fromNs &- min(span.fromNs, spans[before].toNs)
        if gap < best?.gap ?? .max { best = (before, index, gap) }
      }
    }
    guard let best else { return }
    spans[best.first] = spans[best.first].merged(with: spans[best.second])
    spans.remove(at: best.second)
  }
}

/// A span that can take in a later one of the same source, with what lies between them.
protocol MergeableSpan {
  var source: String { get }
  var fromNs: UInt64 { get }
  var toNs: UInt64 { get }

  func merged(with later: Self) -> Self
}

extension CaptureEvent.SampledSpan: MergeableSpan {
  /// What lies between was recorded whole, event by event, which weighs one each as before.
  func merged(with later: Self) -> Self {
    func sum(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
      one.flatMap { one in other.map { one &+ $0 } }
    }
    return .init(
      source: source, fromNs: fromNs, toNs: max(toNs, later.toNs), period: period,
      count: sum(count, later.count), samples: sum(samples, later.samples))
  }
}

extension CaptureEvent.Slices: MergeableSpan {
  var source: String { "" }

  /// What lies between was recorded, so each event of the whole stands for a little fewer. How many calls wrote there was not counted.
  func merged(with later: Self) -> Self {
    .init(
      fromNs: fromNs, toNs: max(toNs, later.toNs),
      recordedNs: recordedNs &+ later.recordedNs &+ (later.fromNs &- min(later.fromNs, toNs)))
  }
}
