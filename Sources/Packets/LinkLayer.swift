import CPcap

/// What stands before the IP header, by the capture's link type (tcpdump.org's list of link types).
enum LinkLayer: Sendable {
  case ethernet, null, raw, cooked, cookedVersion2

  /// Nil for a link type that is not read.
  init?(linkType: Int32) {
    switch linkType {
    case DLT_EN10MB: self = .ethernet
    case DLT_NULL, DLT_LOOP: self = .null
    case DLT_RAW, DLT_IPV4, DLT_IPV6: self = .raw
    case DLT_LINUX_SLL: self = .cooked
    case DLT_LINUX_SLL2: self = .cookedVersion2
    default: return nil
    }
  }

  /// Where the IP header begins, and what the link's header says besides.
  struct Frame {
    var offset: Int
    var isInternet = true
    var isOutgoing: Bool?
  }

  private static let version4: UInt32 = 0x0800
  private static let version6: UInt32 = 0x86DD
  /// A tag of 4 bytes stands before the type (IEEE 802.1Q, 802.1ad).
  private static let tags: Set<UInt32> = [0x8100, 0x88A8]
  /// PPPoE's session stage (RFC 2516).
  private static let session: UInt32 = 0x8864
  /// MPLS, to one or to many (RFC 3032).
  private static let labels: Set<UInt32> = [0x8847, 0x8848]

  /// The frame that begins there; nil where the capture is too short for the link's own header.
  func frame(of bytes: PacketBytes, at start: Int = 0) -> Frame? {
    switch self {
    case .raw: return Frame(offset: start)
    case .null: return Frame(offset: start + 4)
    case .ethernet: return Self.frame(of: bytes, type: start + 12)
    case .cooked:
      guard let kind = bytes.number(start, bytes: 2) else { return nil }
      var frame = Self.frame(of: bytes, type: start + 14)
      frame?.isOutgoing = kind == Self.outgoing
      return frame
    case .cookedVersion2:
      guard let type = bytes.number(start, bytes: 2), let kind = bytes.byte(start + 10) else {
        return nil
      }
      var frame = Self.frame(of: bytes, type: type, payload: start + 20)
      frame?.isOutgoing = UInt32(kind) == Self.outgoing
      return frame
    }
  }

  /// PACKET_OUTGOING of linux/if_packet.h.
  private static let outgoing: UInt32 = 4

  /// What follows a type that stands at a place, and what it is packed in.
  static func frame(of bytes: PacketBytes, type place: Int) -> Frame? {
    bytes.number(place, bytes: 2).flatMap { frame(of: bytes, type: $0, payload: place + 2) }
  }

  private static func frame(of bytes: PacketBytes, type: UInt32, payload: Int) -> Frame? {
    switch type {
    case version4, version6: return Frame(offset: payload)
    case _ where tags.contains(type): return frame(of: bytes, type: payload + 2)
    case session:
      // Six bytes, then PPP's own number of the protocol.
      guard let inside = bytes.number(payload + 6, bytes: 2) else { return nil }
      return Frame(offset: payload + 8, isInternet: inside == 0x0021 || inside == 0x0057)
    case _ where labels.contains(type):
      var at = payload
      repeat {
        guard bytes.byte(at + 3) != nil else { return nil }
        at += 4
      } while bytes.byte(at - 2).map { $0 & 1 == 0 } ?? false
      // Nothing says what follows the last label; a pseudo-wire begins with a nibble of 0.
      guard let first = bytes.byte(at) else { return nil }
      return Frame(offset: at, isInternet: first >> 4 == 4 || first >> 4 == 6)
    default: return Frame(offset: payload, isInternet: false)
    }
  }
}
