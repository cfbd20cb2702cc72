import Packets
import PerfData
import Quantities

/// What a capture's times, which are of the day, are on the trace's clock.
struct CaptureClock {
  /// Nanoseconds to take from a capture's time to have the trace's.
  private let difference: Int64
  /// How far the trace's own pairing of the clocks is from what the connections tell.
  let offsetSeconds: Double?

  /// - Throws: `TraceError` where neither the trace nor a connection pairs the clocks.
  init(
    trace: Trace, flows: [PacketFlow], connections: [[Int]]
  ) throws(TraceError) {
    let told = trace.metadata.startWallNanoseconds.map {
      Int64(bitPattern: $0 &- trace.start.nanoseconds)
    }
    // A connection that was asked for once, and whose asking was captured once; the other end's opened later.
    let asked = connections.map { $0.filter { !trace.connections[$0].isServerSide } }
    var claims: [Int: Int] = [:]
    for index in asked.joined() { claims[index, default: 0] += 1 }
    var differences: [Int64] = []
    for (flow, list) in zip(flows, asked) {
      guard let wall = flow.asked, list.count == 1, let index = list.first, claims[index] == 1,
        let opened = trace.connections[index].opened
      else { continue }
      differences.append(Int64(bitPattern: wall &- opened.nanoseconds))
    }
    differences.sort()
    if differences.isEmpty {
      guard let told else {
        throw TraceError(
          "the trace does not pair its clock with the time of day, and the capture shows no connection "
            + "being opened; record with `lull record`, or with `perf record -k CLOCK_MONOTONIC`")
      }
      (difference, offsetSeconds) = (told, nil)
    } else {
      let seen = differences[differences.count / 2]
      difference = seen
      offsetSeconds = told.map { Double(seen &- $0) / 1e9 }
    }
  }

  /// A capture's time on the trace's clock.
  func time(_ wall: UInt64) -> Timestamp {
    Timestamp(nanoseconds: UInt64(clamping: Int64(bitPattern: wall) &- difference))
  }
}
