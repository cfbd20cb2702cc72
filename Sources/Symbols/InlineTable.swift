import Quantities

/// The inlined calls of one compilation unit, flattened: which are around each address.
struct InlineTable {
  /// One call at a range of addresses, as the debug information nests them.
  struct Span {
    var start: UInt64
    var end: UInt64
    var depth: UInt32
    /// Index into `calls`.
    var call: UInt32
  }

  /// First addresses of the parts, sorted.
  let starts: [UInt64]
  /// For each part the index of its chain; `none` where nothing is inlined.
  let chainOfPart: [UInt32]
  /// Indices into `calls`, innermost first.
  let chains: [[UInt32]]
  let calls: [InlinedCall]

  static let none = UInt32.max
  static var empty: InlineTable {
    InlineTable(starts: [], chainOfPart: [], chains: [], calls: [])
  }

  init(starts: [UInt64], chainOfPart: [UInt32], chains: [[UInt32]], calls: [InlinedCall]) {
    self.starts = starts
    self.chainOfPart = chainOfPart
    self.chains = chains
    self.calls = calls
  }

  /// Cuts nested spans into parts that do not overlap.
  init(spans: [Span], calls: [InlinedCall]) {
    let opening = spans.indices.sorted { spans[$0].start < spans[$1].start }
    let closing = spans.indices.sorted { spans[$0].end < spans[$1].end }
    let places = Set(spans.flatMap { [$0.start, $0.end] }).sorted()
    var starts: [UInt64] = []
    var chainOfPart: [UInt32] = []
    var chains: [[UInt32]] = []
    var known: [[UInt32]: UInt32] = [:]
    var active: [Int] = []
    var (opened, closed) = (0, 0)
    for place in places {
      while closed < closing.count, spans[closing[closed]].end <= place {
        let index = closing[closed]
        active.removeAll { $0 == index }
        closed += 1
      }
      while opened < opening.count, spans[opening[opened]].start <= place {
        // One that is empty would never be closed.
        if spans[opening[opened]].end > place { active.append(opening[opened]) }
        opened += 1
      }
      let chain = active.sorted { spans[$0].depth > spans[$1].depth }.map { spans[$0].call }
      var index = Self.none
      if !chain.isEmpty {
        index = known[chain] ?? UInt32(chains.count)
        if index == UInt32(chains.count) {
          chains.append(chain)
          known[chain] = index
        }
      }
      if chainOfPart.last != index {
        starts.append(place)
        chainOfPart.append(index)
      }
    }
    self.init(starts: starts, chainOfPart: chainOfPart, chains: chains, calls: calls)
  }

  /// The calls inlined at a link-time address, innermost first.
  func find(_ address: UInt64) -> [InlinedCall] {
    let next = starts.partitioningIndex { $0 > address }
    guard next > 0, chainOfPart[next - 1] < chains.count else { return [] }
    return chains[Int(chainOfPart[next - 1])].map { calls[Int($0)] }
  }
}
