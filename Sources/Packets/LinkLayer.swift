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

  /// Nil where the capture is too short for the link's own header.
  func frame(of bytes: PacketBytes) -> Frame? {
    switch self {
    case .raw: return Frame(offset: 0)
    case .null: return Frame(offset: 4)
    case .ethernet:
      var at = 12
      guard var type = bytes.number(at, bytes: 2) else { return nil }
      while Self.tags.contains(type) {
        at += 4
        guard let next = bytes.number(at, bytes: 2) else { return nil }
        type = next
      }
      return Frame(offset: at + 2, isInternet: Self.isInternet(type))
    case .cooked:
      guard let kind = bytes.number(0, bytes: 2), let type = bytes.number(14, bytes: 2) else {
        return nil
      }
      return Frame(
        offset: 16, isInternet: Self.isInternet(type), isOutgoing: kind == Self.outgoing)
    case .cookedVersion2:
      guard let type = bytes.number(0, bytes: 2), let kind = bytes.byte(10) else { return nil }
      return Frame(
        offset: 20, isInternet: Self.isInternet(type), isOutgoing: UInt32(kind) == Self.outgoing)
    }
  }

  /// PACKET_OUTGOING of linux/if_packet.h.
  private static let outgoing: UInt32 = 4

  private static func isInternet(_ type: UInt32) -> Bool { type == version4 || type == version6 }
}
