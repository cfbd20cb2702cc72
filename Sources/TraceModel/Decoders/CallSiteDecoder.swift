import PerfData
import Quantities

/// The sampled stacks of writes and sends.
enum CallSiteDecoder {
  /// The event with the stack and the one that counts are of the same call, and bear clocks this near to each other.
  static let window: UInt64 = 100_000

  static func write(_ context: DecodingContext, _ state: inout LoaderState) {
    add(context, isSend: false, &state)
  }

  static func send(_ context: DecodingContext, _ state: inout LoaderState) {
    add(context, isSend: true, &state)
  }

  private static func add(
    _ context: DecodingContext, isSend: Bool, _ state: inout LoaderState
  ) {
    guard let stack = state.stacks.stack(of: context) else { return }
    state.callSites.add(
      CallSiteSample(time: context.time, tid: context.tid, stack: stack), isSend: isSend)
  }

  /// Such a call again, from where it was made at an earlier time.
  static func again(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let raw = context.sample.raw, let event = EarlierStackEvent(decoding: raw) else { return }
    state.callSites.add(at: context.time, tid: context.tid, asAt: event.stack)
  }

  /// The stack of each event, by its place, that is of all of its thread's the nearest in time to where the stack was
  /// taken.
  static func nearest(
    _ sites: [CallSiteSample], _ events: some Sequence<(tid: Int32, time: Timestamp)>
  ) -> [Int: Int] {
    guard !sites.isEmpty else { return [:] }
    let threads = Set(sites.map(\.tid))
    var byThread: [Int32: [(index: Int, time: Timestamp)]] = [:]
    for (index, event) in events.enumerated() where threads.contains(event.tid) {
      byThread[event.tid, default: []].append((index, event.time))
    }
    var stacks: [Int: Int] = [:]
    for site in sites {
      guard let own = byThread[site.tid] else { continue }
      let next = own.partitioningIndex { $0.time >= site.time }
      let near = [next - 1, next].filter { own.indices.contains($0) }.map { own[$0] }
      func distance(_ event: (index: Int, time: Timestamp)) -> UInt64 {
        let other = event.time.nanoseconds
        let mine = site.time.nanoseconds
        return other > mine ? other - mine : mine - other
      }
      guard let best = near.min(by: { distance($0) < distance($1) }), distance(best) <= window
      else { continue }
      stacks[best.index] = site.stack
    }
    return stacks
  }
}
