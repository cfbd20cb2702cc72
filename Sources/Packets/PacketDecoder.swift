/// Decodes the bytes of one captured packet down to its TCP or UDP header.
enum PacketDecoder {
  enum Outcome {
    /// With the key of its later fragments, where it is the first.
    case packet(Packet, FragmentKey?)
    /// A later fragment: its bytes belong to the packet whose first one has this key.
    case fragment(FragmentKey, payload: Int, headers: Int)
    /// Neither TCP nor UDP over IP.
    case other
    /// The capture did not keep as much of it as the headers take.
    case cut
  }

  /// What the fragments of one packet have in common.
  struct FragmentKey: Hashable {
    var source: Address
    var destination: Address
    var transport: UInt8
    var identification: UInt32
  }

  /// Tunnels within tunnels that are looked into.
  private static let deepest = 8
  /// Ports of VXLAN (RFC 7348) and of Geneve (RFC 8926).
  private static let vxlan: UInt32 = 4789
  private static let geneve: UInt32 = 6081
  /// An Ethernet frame, as GRE and Geneve number what they carry (transparent bridging).
  private static let bridged: UInt32 = 0x6558

  /// `wireBytes` is the packet's length before the capture cut it.
  static func decode(_ bytes: PacketBytes, link: LinkLayer, wireBytes: Int, time: UInt64) -> Outcome
  {
    guard let frame = link.frame(of: bytes) else { return .cut }
    return decode(
      bytes, frame, time: time, wireBytes: wireBytes, around: 0, depth: 0,
      isOutgoing: frame.isOutgoing)
  }

  /// What is in a frame; `around` are the headers of what it is packed in.
  private static func decode(
    _ bytes: PacketBytes, _ frame: LinkLayer.Frame, time: UInt64, wireBytes: Int, around: Int,
    depth: Int, isOutgoing: Bool?
  ) -> Outcome {
    guard frame.isInternet, depth < deepest else { return .other }
    guard let first = bytes.byte(frame.offset) else { return .cut }
    let wire = max(0, wireBytes - frame.offset)
    let found: Network?
    switch first >> 4 {
    case 4:
      guard isVersion4(bytes, at: frame.offset) else { return .other }
      found = version4(bytes, at: frame.offset, wire: wire)
    case 6: found = version6(bytes, at: frame.offset, wire: wire)
    default: return .other
    }
    guard var network = found else { return .cut }
    if network.isLaterFragment, let key = network.fragment {
      return .fragment(key, payload: network.length, headers: network.headers + around)
    }
    // A damaged length may be more than was on the wire; what is packed in others may go on in their next fragments.
    if depth == 0 { network.length = min(network.length, max(0, wire - network.headers)) }
    network.headers += around
    func inside(_ frame: LinkLayer.Frame?) -> Outcome {
      guard let frame else { return .cut }
      return decode(
        bytes, frame, time: time, wireBytes: wireBytes,
        around: network.headers + frame.offset - network.offset, depth: depth + 1,
        isOutgoing: isOutgoing)
    }
    switch network.transport {
    case 6: return segment(bytes, network, time: time, isOutgoing: isOutgoing)
    case 17:
      let tunnel: LinkLayer.Frame?
      switch bytes.number(network.offset + 2, bytes: 2) {
      case vxlan: tunnel = LinkLayer.ethernet.frame(of: bytes, at: network.offset + 16)
      case geneve: tunnel = virtual(bytes, at: network.offset + 8)
      default: tunnel = nil
      }
      if let tunnel, case let tunnelled = inside(tunnel), case .packet = tunnelled {
        return tunnelled
      }
      return datagram(bytes, network, time: time, isOutgoing: isOutgoing)
    // IPv4 and IPv6 as they are (RFC 2003, RFC 4213).
    case 4, 41: return inside(LinkLayer.Frame(offset: network.offset))
    case 47: return inside(encapsulated(bytes, at: network.offset))
    default: return .other
    }
  }

  /// What follows a GRE header (RFC 2784, RFC 2890); nil where it is cut.
  private static func encapsulated(_ bytes: PacketBytes, at offset: Int) -> LinkLayer.Frame? {
    guard let flags = bytes.number(offset, bytes: 2), let type = bytes.number(offset + 2, bytes: 2)
    else { return nil }
    // Another version, of PPTP, packs PPP.
    guard flags & 7 == 0 else { return LinkLayer.Frame(offset: offset, isInternet: false) }
    // A checksum, a key and a sequence number of 4 bytes each.
    let optional = [0x8000, 0x2000, 0x1000].count { flags & $0 != 0 } * 4
    return carried(bytes, type, at: offset + 4 + optional)
  }

  /// What follows a Geneve header (RFC 8926, section 3.4); nil where it is cut.
  private static func virtual(_ bytes: PacketBytes, at offset: Int) -> LinkLayer.Frame? {
    guard let first = bytes.byte(offset), let type = bytes.number(offset + 2, bytes: 2) else {
      return nil
    }
    // The version, and the options' length in words of 4 bytes.
    guard first >> 6 == 0 else { return LinkLayer.Frame(offset: offset, isInternet: false) }
    return carried(bytes, type, at: offset + 8 + Int(first & 0x3F) * 4)
  }

  /// What a tunnel carries, by the number of its protocol.
  private static func carried(
    _ bytes: PacketBytes, _ type: UInt32, at offset: Int
  ) -> LinkLayer.Frame? {
    if type == bridged { return LinkLayer.ethernet.frame(of: bytes, at: offset) }
    return LinkLayer.Frame(offset: offset, isInternet: type == 0x0800 || type == 0x86DD)
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
    /// Of a packet in several pieces.
    var fragment: FragmentKey?
  }

  /// Whether lengths are as they can be: of the header, and of header and payload, unless that is left to the card.
  private static func isVersion4(_ bytes: PacketBytes, at offset: Int) -> Bool {
    guard let first = bytes.byte(offset), let total = bytes.number(offset + 2, bytes: 2) else {
      return true
    }
    return first & 0xF >= 5 && (total == 0 || total >= UInt32(first & 0xF) * 4)
  }

  /// RFC 791, section 3.1.
  private static func version4(_ bytes: PacketBytes, at offset: Int, wire: Int) -> Network? {
    guard let first = bytes.byte(offset), let total = bytes.number(offset + 2, bytes: 2),
      let fragment = bytes.number(offset + 6, bytes: 2), let transport = bytes.byte(offset + 9),
      let source = bytes.slice(offset + 12, 4), let destination = bytes.slice(offset + 16, 4),
      let identification = bytes.number(offset + 4, bytes: 2)
    else { return nil }
    let ends = (Address(bytes: source, isIPv6: false), Address(bytes: destination, isIPv6: false))
    let headers = Int(first & 0xF) * 4
    // Zero where the network card was to cut a larger piece (segmentation offload).
    let length = total == 0 ? wire : Int(total)
    return Network(
      source: ends.0, destination: ends.1, transport: transport,
      offset: offset + headers, headers: headers, length: max(0, length - headers),
      isLaterFragment: fragment & 0x1FFF != 0,
      // More of it follows, or went before.
      fragment: fragment & 0x3FFF == 0
        ? nil
        : FragmentKey(
          source: ends.0, destination: ends.1, transport: transport,
          identification: identification))
  }

  /// RFC 8200, sections 3 and 4.
  private static func version6(_ bytes: PacketBytes, at offset: Int, wire: Int) -> Network? {
    guard let payload = bytes.number(offset + 4, bytes: 2), var next = bytes.byte(offset + 6),
      let source = bytes.slice(offset + 8, 16), let destination = bytes.slice(offset + 24, 16)
    else { return nil }
    var at = offset + 40
    var isLaterFragment = false
    var identification: UInt32?
    // Hop-by-hop 0, routing 43, fragment 44, destination options 60.
    while [0, 43, 44, 60].contains(next) {
      guard let following = bytes.byte(at), let length = bytes.byte(at + 1) else { return nil }
      if next == 44 {
        guard let fragment = bytes.number(at + 2, bytes: 2) else { return nil }
        isLaterFragment = fragment & 0xFFF8 != 0
        if fragment & 0xFFF9 != 0 { identification = bytes.number(at + 4, bytes: 4) }
        at += 8
      } else {
        at += (Int(length) + 1) * 8
      }
      next = following
    }
    let headers = at - offset
    let total = payload == 0 ? wire : Int(payload) + 40
    let ends = (Address(bytes: source, isIPv6: true), Address(bytes: destination, isIPv6: true))
    let (sender, receiver, transport) = (ends.0, ends.1, next)
    return Network(
      source: sender, destination: receiver, transport: transport, offset: at,
      headers: headers, length: max(0, total - headers), isLaterFragment: isLaterFragment,
      fragment: identification.map {
        FragmentKey(
          source: sender, destination: receiver, transport: transport, identification: $0)
      })
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
        sequence: sequence, isOutgoing: isOutgoing), network.fragment)
  }

  private static func datagram(
    _ bytes: PacketBytes, _ network: Network, time: UInt64, isOutgoing: Bool?
  ) -> Outcome {
    let at = network.offset
    guard let source = bytes.number(at, bytes: 2), let destination = bytes.number(at + 2, bytes: 2),
      let length = bytes.number(at + 4, bytes: 2)
    else { return .cut }
    // The header's length covers all fragments; it is zero in a jumbogram only.
    let isWhole = network.fragment == nil
    let whole =
      length == 0 ? network.length : isWhole ? min(Int(length), network.length) : Int(length)
    return .packet(
      Packet(
        time: time, source: Endpoint(address: network.source, port: UInt16(source)),
        destination: Endpoint(address: network.destination, port: UInt16(destination)),
        payload: UInt64(max(0, whole - 8)), headers: UInt64(network.headers + 8),
        isOutgoing: isOutgoing), network.fragment)
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
