import PerfData

/// Spans of sampling, as many as a record has room for: of more, those nearest to each other become one.
///
/// A recording of days may turn to sampling and back thousands of times, and the record that tells of it holds 64 KiB.
struct SpanList<Span: MergeableSpan> {
  private static var mostBytes: Int { 30_000 }

  private(set) var spans: [Span] = []

  mutating func append(_ span: Span) {
    add(span)
    // Rather nothing exact of one span than no record of any.
    while spans.reduce(0, { $0 + 140 + 75 * $1.details }) > Self.mostBytes,
      let largest = spans.indices.max(by: { spans[$0].details < spans[$1].details })
    {
      spans[largest].dropDetails()
    }
  }

  private mutating func add(_ span: Span) {
    spans.append(span)
    guard spans.count > Span.most else { return }
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

  /// How many are kept: each takes 140 bytes in the record, and each detail 75 at most.
  static var most: Int { get }

  /// How many entries it has besides what each span has.
  var details: Int { get }

  func merged(with later: Self) -> Self
  mutating func dropDetails()
}

extension MergeableSpan {
  static var most: Int { 150 }
}

extension CaptureEvent.SampledSpan: MergeableSpan {
  /// What lies between was recorded whole, event by event, which weighs one each as before.
  func merged(with later: Self) -> Self {
    func sum(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
      one.flatMap { one in other.map { one &+ $0 } }
    }
    return .init(
      source: source, fromNs: fromNs, toNs: max(toNs, later.toNs), period: period,
      count: sum(count, later.count), samples: sum(samples, later.samples),
      transfers: transfers.flatMap { own in later.transfers.map { Self.sum(own, $0) } })
  }

  private static func sum(
    _ one: [CaptureEvent.ProcessTransfers], _ other: [CaptureEvent.ProcessTransfers]
  ) -> [CaptureEvent.ProcessTransfers] {
    var sums = Dictionary(one.map { ($0.pid, $0) }) { first, _ in first }
    for entry in other {
      sums[entry.pid, default: .init(pid: entry.pid, count: 0, bytes: 0)].count &+= entry.count
      sums[entry.pid]?.bytes &+= entry.bytes
    }
    return sums.values.sorted { $0.pid < $1.pid }
  }

  var details: Int { transfers?.count ?? 0 }

  mutating func dropDetails() { transfers = nil }
}

extension CaptureEvent.Slices: MergeableSpan {
  var source: String { "" }
  var details: Int { 0 }

  func dropDetails() {}

  /// What lies between was recorded, so each event of the whole stands for a little fewer. How many calls wrote there
  /// was not counted.
  func merged(with later: Self) -> Self {
    .init(
      fromNs: fromNs, toNs: max(toNs, later.toNs),
      recordedNs: recordedNs &+ later.recordedNs &+ (later.fromNs &- min(later.fromNs, toNs)))
  }
}
