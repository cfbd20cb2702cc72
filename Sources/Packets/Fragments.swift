/// Adds the bytes of later fragments to the packets that they are of, whichever come first.
struct Fragments {
  private var firsts: [PacketDecoder.FragmentKey: Int] = [:]
  private var waiting: [PacketDecoder.FragmentKey: (count: Int, payload: Int, headers: Int)] = [:]

  /// Fragments whose first one did not come.
  var orphans: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// A first fragment, which is the packet at that place.
  mutating func begin(_ key: PacketDecoder.FragmentKey, at place: Int, of packets: inout [Packet]) {
    firsts[key] = place
    if let early = waiting.removeValue(forKey: key) {
      Self.add(early.payload, early.headers, to: &packets[place])
    }
  }

  mutating func add(
    _ key: PacketDecoder.FragmentKey, payload: Int, headers: Int, to packets: inout [Packet]
  ) {
    if let place = firsts[key] { return Self.add(payload, headers, to: &packets[place]) }
    let early = waiting[key] ?? (0, 0, 0)
    waiting[key] = (early.count + 1, early.payload + payload, early.headers + headers)
  }

  /// UDP's header tells the length of the whole datagram, TCP's does not.
  private static func add(_ payload: Int, _ headers: Int, to packet: inout Packet) {
    if packet.transportProtocol == 6 { packet.payload += UInt64(payload) }
    packet.headers += UInt64(headers)
  }
}
