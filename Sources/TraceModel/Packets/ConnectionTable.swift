import Packets
import PerfData
import Quantities

/// The trace's connections by their ends.
struct ConnectionTable {
  /// How far a packet may lie outside its connection's time; the last one comes after the socket was closed.
  private static let slackSeconds = 2.0
  /// A connection is asked for at once when it is opened.
  private static let askSeconds = 0.25

  private let connections: [Connection]
  private var byEnds: [[String]: [Int]] = [:]
  /// Connections that were never granted, whose local port the trace does not know, by the other end.
  private var failed: [String: [Int]] = [:]

  init(_ trace: Trace) {
    connections = trace.connections
    for (index, connection) in connections.enumerated() {
      byEnds[[connection.local, connection.remote], default: []].append(index)
      if connection.established == nil { failed[connection.remote, default: []].append(index) }
    }
  }

  /// Connections between the flow's ends, whenever they were; on the loopback interface both ends have one.
  func connections(of flow: PacketFlow) -> [Int] {
    guard flow.transportProtocol == 6 else { return [] }
    let first = Endpoint.text(flow.first)
    let second = Endpoint.text(flow.second)
    let known = (byEnds[[first, second]] ?? []) + (byEnds[[second, first]] ?? [])
    return known.isEmpty && flow.granted == nil ? failed[second] ?? [] : known
  }

  /// Of connections with the flow's ends, those of its time: one for each end that is in the trace.
  func choose(
    among candidates: [Int], for flow: PacketFlow, in capture: PacketCapture, clock: CaptureClock
  ) -> [Int] {
    guard let first = flow.packets.first, let last = flow.packets.last else { return [] }
    let begin = clock.time(capture.packets[first].time)
    let end = clock.time(capture.packets[last].time)
    var best: [Bool: (index: Int, distance: Double)] = [:]
    for index in candidates {
      let connection = connections[index]
      let slack = connection.established == nil ? Self.askSeconds : Self.slackSeconds
      if let opened = connection.opened, (opened - end).seconds > slack { continue }
      if let closed = connection.closed, (begin - closed).seconds > slack { continue }
      let distance = connection.opened.map { abs((begin - $0).seconds) } ?? 0
      let side = flow.isFirstLocal(of: connection)
      if distance < best[side]?.distance ?? .infinity { best[side] = (index, distance) }
    }
    return best.values.map(\.index).sorted()
  }
}

/// The stacks of sends, by connection and time.
struct SendTable {
  private var sends: [Int: [(time: Timestamp, stack: Int?)]] = [:]
  /// The send is noted when its call ends, which may be after the packet left.
  private static let lead = TimeSpan(nanoseconds: 1_000_000)

  init(_ trace: Trace) {
    for transfer in trace.transfers
    where transfer.direction == .send && transfer.pid == trace.subject.pid {
      guard let connection = transfer.connection else { continue }
      sends[connection, default: []].append((transfer.time, transfer.stack))
    }
  }

  /// Where the last send before a packet was made.
  func stack(of connection: Int, at time: Timestamp) -> Int? {
    guard let list = sends[connection] else { return nil }
    let end = list.partitioningIndex { $0.time > time + Self.lead }
    return end > 0 ? list[end - 1].stack : nil
  }
}
