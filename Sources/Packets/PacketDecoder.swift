/// Decodes the bytes of one captured packet down to its TCP or UDP header.
enum PacketDecoder {
  enum Outcome {
    case packet(Packet)
    /// Neither TCP nor UDP over IP, or a later fragment, whose bytes its first fragment counts.
    case other
    /// The capture did not keep as much of it as the headers take.
    case cut
  }

  /// `wireBytes` is the packet's length before the capture cut it.
  static func decode(_ bytes: PacketBytes, link: LinkLayer, wireBytes: Int, time: UInt64) -> Outcome
  {
    guard let frame = link.frame(of: bytes) else { return .cut }
    guard frame.isInternet else { return .other }
    guard let first = bytes.byte(frame.offset) else { return .cut }
    let wire = max(0, wireBytes - frame.offset)
    let network: Network
    switch first >> 4 {
    case 4:
      guard let found = version4(bytes, at: frame.offset, wire: wire) else { return .cut }
      network = found
    case 6:
      guard let found = version6(bytes, at: frame.offset, wire: wire) else { return .cut }
      network = found
    default: return .other
    }
    guard !network.isLaterFragment else { return .other }
    switch network.transport {
    case 6: return segment(bytes, network, time: time, isOutgoing: frame.isOutgoing)
    case 17: return datagram(bytes, network, time: time, isOutgoing: frame.isOutgoing)
    default: return .other
    }
  }

  /// What the IP header says.
  private struct Network {
    var source: Address
    var destination: Address
    var transport: UInt8
    /// Where the transport's header begins.
    var offset: Int
    /// Bytes of IP headers.
    var headers: Int
    /// Bytes of the transport's header and payload.
    var length: Int
    var isLaterFragment: Bool
  }

  /// RFC 791, section 3.1.
  private static func version4(_ bytes: PacketBytes, at offset: Int, wire: Int) -> Network? {
    guard let first = bytes.byte(offset), let total = bytes.number(offset + 2, bytes: 2),
      let fragment = bytes.number(offset + 6, bytes: 2), let transport = bytes.byte(offset + 9),
      let source = bytes.slice(offset + 12, 4), let destination = bytes.slice(offset + 16, 4)
    else { return nil }
    let headers = max(20, Int(first & 0xF) * 4)
    // Zero where the network card was to cut a larger piece (segmentation offload).
    let length = total == 0 ? wire : Int(total)
    return Network(
      source: Address(bytes: source, isIPv6: false),
      destination: Address(bytes: destination, isIPv6: false), transport: transport,
      offset: offset + headers, headers: headers, length: max(0, length - headers),
      isLaterFragment: fragment & 0x1FFF != 0)
  }

  /// RFC 8200, sections 3 and 4.
  private static func version6(_ bytes: PacketBytes, at offset: Int, wire: Int) -> Network? {
    guard let payload = bytes.number(offset + 4, bytes: 2), var next = bytes.byte(offset + 6),
      let source = bytes.slice(offset + 8, 16), let destination = bytes.slice(offset + 24, 16)
    else { return nil }
    var at = offset + 40
    var isLaterFragment = false
    // Hop-by-hop 0, routing 43, fragment 44, destination options 60.
    while [0, 43, 44, 60].contains(next) {
      guard let following = bytes.byte(at), let length = bytes.byte(at + 1) else { return nil }
      if next == 44 {
        guard let fragment = bytes.number(at + 2, bytes: 2) else { return nil }
        isLaterFragment = fragment & 0xFFF8 != 0
        at += 8
      } else {
        at += (Int(length) + 1) * 8
      }
      next = following
    }
    let headers = at - offset
    let total = payload == 0 ? wire : Int(payload) + 40
    return Network(
      source: Address(bytes: source, isIPv6: true),
      destination: Address(bytes: destination, isIPv6: true), transport: next, offset: at,
      headers: headers, length: max(0, total - headers), isLaterFragment: isLaterFragment)
  }

  private static func segment(
    _ bytes: PacketBytes, _ network: Network, time: UInt64, isOutgoing: Bool?
  ) -> Outcome {
    let at = network.offset
    guard let source = bytes.number(at, bytes: 2), let destination = bytes.number(at + 2, bytes: 2),
      let sequence = bytes.number(at + 4, bytes: 4), let offset = bytes.byte(at + 12),
      let flags = bytes.byte(at + 13)
    else { return .cut }
    let header = max(20, Int(offset >> 4) * 4)
    return .packet(
      Packet(
        time: time, source: Endpoint(address: network.source, port: UInt16(source)),
        destination: Endpoint(address: network.destination, port: UInt16(destination)),
        transportProtocol: 6, payload: UInt64(max(0, network.length - header)),
        headers: UInt64(network.headers + header), flags: SegmentFlags(rawValue: flags),
        sequence: sequence, isOutgoing: isOutgoing))
  }

  private static func datagram(
    _ bytes: PacketBytes, _ network: Network, time: UInt64, isOutgoing: Bool?
  ) -> Outcome {
    let at = network.offset
    guard let source = bytes.number(at, bytes: 2), let destination = bytes.number(at + 2, bytes: 2),
      let length = bytes.number(at + 4, bytes: 2)
    else { return .cut }
    // The header's length covers all fragments; it is zero in a jumbogram only.
    let whole = length == 0 ? network.length : Int(length)
    return .packet(
      Packet(
        time: time, source: Endpoint(address: network.source, port: UInt16(source)),
        destination: Endpoint(address: network.destination, port: UInt16(destination)),
        payload: UInt64(max(0, whole - 8)), headers: UInt64(network.headers + 8),
        isOutgoing: isOutgoing))
  }
}

/// The captured bytes of one packet, read within their bounds.
struct PacketBytes {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  func byte(_ offset: Int) -> UInt8? {
    offset >= 0 && offset < bytes.count ? bytes[offset] : nil
  }

  /// A number in the network's order, of up to 4 bytes.
  func number(_ offset: Int, bytes count: Int) -> UInt32? {
    slice(offset, count)?.reduce(0) { $0 << 8 | UInt32($1) }
  }

  func slice(_ offset: Int, _ count: Int) -> Slice<UnsafeRawBufferPointer>? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<(offset + count)]
  }
}
