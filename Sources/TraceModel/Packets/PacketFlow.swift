import Packets

/// The packets between two ends, from the opening of a connection to its close, or of one pair of datagram ports.
struct PacketFlow {
  /// The end that sent the first packet: of a connection that was captured whole, the one that opened it.
  var first: Endpoint
  var second: Endpoint
  var transportProtocol: UInt8
  /// Indices into the capture's packets, in order.
  var packets: [Int] = []
  /// Those of them that repeat what was sent before.
  var repeated: Set<Int> = []
  /// When it was asked for and when it was granted, in the capture's time.
  var asked: UInt64?
  var granted: UInt64?
  /// Time of the last packet that closes or resets it, where both ends closed it or one reset it.
  var closed: UInt64?

  fileprivate var finished: Set<Endpoint> = []
  /// The sequence number that each end is expected to send next.
  fileprivate var next: [Endpoint: UInt32] = [:]
  fileprivate var initial: UInt32?

  /// The flows of a capture, in order of their first packets.
  static func flows(of packets: [Packet]) -> [PacketFlow] {
    struct Ends: Hashable {
      var ends: Set<Endpoint>
      var transportProtocol: UInt8
    }
    var flows: [PacketFlow] = []
    var current: [Ends: Int] = [:]
    for (index, packet) in packets.enumerated() {
      let ends = Ends(
        ends: [packet.source, packet.destination], transportProtocol: packet.transportProtocol)
      let opens = packet.flags.isSuperset(of: .synchronize) && !packet.flags.contains(.acknowledge)
      if let known = current[ends], !(opens && flows[known].isAnother(packet)) {
        flows[known].add(packet, index)
      } else {
        current[ends] = flows.count
        var flow = PacketFlow(
          first: packet.source, second: packet.destination,
          transportProtocol: packet.transportProtocol)
        flow.add(packet, index)
        flows.append(flow)
      }
    }
    return flows
  }

  /// Whether a segment that asks for a connection is not the flow's own one, sent again.
  private func isAnother(_ packet: Packet) -> Bool { initial != packet.sequence }

  private mutating func add(_ packet: Packet, _ index: Int) {
    packets.append(index)
    guard transportProtocol == 6 else { return }
    let flags = packet.flags
    if flags.contains(.synchronize) {
      if flags.contains(.acknowledge) {
        // The answer came first where the capture began late.
        if packets.count == 1 { (first, second) = (second, first) }
        granted = granted ?? packet.time
      } else if initial == nil {
        (asked, initial) = (packet.time, packet.sequence)
      } else {
        repeated.insert(index)
      }
    }
    if flags.contains(.reset) { closed = packet.time }
    if flags.contains(.finish) {
      finished.insert(packet.source)
      if finished.count == 2 { closed = packet.time }
    }
    note(packet, index)
  }

  /// Follows the sequence numbers, which wrap (RFC 9293, section 3.4).
  private mutating func note(_ packet: Packet, _ index: Int) {
    let opens = packet.flags.contains(.synchronize)
    guard packet.payload > 0 || opens else { return }
    let end =
      packet.sequence &+ UInt32(truncatingIfNeeded: packet.payload) &+ (opens ? 1 : 0)
    guard let expected = next[packet.source], !opens else {
      next[packet.source] = end
      return
    }
    // A keep-alive probe repeats the last byte; nothing in it is new either.
    if Int32(bitPattern: end &- expected) <= 0 {
      repeated.insert(index)
    } else {
      next[packet.source] = end
    }
  }
}
