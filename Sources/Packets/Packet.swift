/// An internet address as it stands in a packet.
public struct Address: Sendable, Hashable {
  /// The address's bytes as a number, the first byte highest.
  public var value: UInt128
  /// IPv6, else IPv4.
  public var isIPv6: Bool

  /// Makes an address from its bytes in the network's order.
  public init(bytes: some Sequence<UInt8>, isIPv6: Bool) {
    value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    self.isIPv6 = isIPv6
  }

  /// The bytes in the network's order: 4 or 16.
  public var bytes: [UInt8] {
    (0..<(isIPv6 ? 16 : 4)).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// One end of a packet's way.
public struct Endpoint: Sendable, Hashable {
  public var address: Address
  public var port: UInt16

  /// Makes an end.
  public init(address: Address, port: UInt16) {
    self.address = address
    self.port = port
  }
}

/// The flags of a TCP segment that open and close connections (RFC 9293, section 3.1).
public struct SegmentFlags: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let finish = SegmentFlags(rawValue: 0x01)
  public static let synchronize = SegmentFlags(rawValue: 0x02)
  public static let reset = SegmentFlags(rawValue: 0x04)
  public static let acknowledge = SegmentFlags(rawValue: 0x10)
}

/// A TCP segment or UDP datagram of a capture.
public struct Packet: Sendable, Hashable {
  /// When it was captured, in nanoseconds since 1970.
  public var time: UInt64
  public var source: Endpoint
  public var destination: Endpoint
  /// IPPROTO_TCP is 6, IPPROTO_UDP is 17.
  public var transportProtocol: UInt8
  /// Payload bytes on the wire, however few of them were captured.
  public var payload: UInt64
  /// Bytes of IP and TCP or UDP headers.
  public var headers: UInt64
  /// TCP's flags; empty for UDP.
  public var flags: SegmentFlags
  /// TCP's sequence number; zero for UDP.
  public var sequence: UInt32
  /// Whether the capturing machine sent it, where the capture says so.
  public var isOutgoing: Bool?

  /// Makes a packet; a UDP datagram unless told otherwise.
  public init(
    time: UInt64, source: Endpoint, destination: Endpoint, transportProtocol: UInt8 = 17,
    payload: UInt64, headers: UInt64, flags: SegmentFlags = [], sequence: UInt32 = 0,
    isOutgoing: Bool? = nil
  ) {
    self.time = time
    self.source = source
    self.destination = destination
    self.transportProtocol = transportProtocol
    self.payload = payload
    self.headers = headers
    self.flags = flags
    self.sequence = sequence
    self.isOutgoing = isOutgoing
  }
}
