import Glibc

/// Builds pcap files by hand, for tests.
package struct CaptureBuilder {
  private var bytes: [UInt8]
  private let nanoseconds: Bool
  private let isSwapped: Bool

  /// LINKTYPE_ETHERNET.
  package static let ethernet: UInt32 = 1
  /// LINKTYPE_LINUX_SLL2.
  package static let cooked: UInt32 = 276

  /// An empty capture; little-endian with nanoseconds unless told otherwise.
  package init(linkType: UInt32 = ethernet, nanoseconds: Bool = true, isSwapped: Bool = false) {
    self.nanoseconds = nanoseconds
    self.isSwapped = isSwapped
    bytes = []
    put(nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4, 4)
    put(2, 2)
    put(4, 2)
    put(0, 4)
    put(0, 4)
    put(262_144, 4)
    put(linkType, 4)
  }

  private mutating func put(_ value: UInt32, _ width: Int) {
    for index in 0..<width {
      let shift = UInt32(8 * (isSwapped ? width - 1 - index : index))
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// One packet as it stands on the wire; `kept` is how much of it the capture keeps.
  package mutating func packet(time: UInt64, _ frame: [UInt8], kept: Int? = nil) {
    let kept = min(kept ?? frame.count, frame.count)
    put(UInt32(time / 1_000_000_000), 4)
    put(UInt32(time % 1_000_000_000) / (nanoseconds ? 1 : 1000), 4)
    put(UInt32(kept), 4)
    put(UInt32(frame.count), 4)
    bytes += frame.prefix(kept)
  }

  /// The whole file.
  package func build() -> [UInt8] { bytes }

  /// A file of these bytes for as long as the closure runs.
  package static func withFile<R>(_ bytes: [UInt8], _ body: (String) throws -> R) throws -> R {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let path = folder.path + "/run.pcap"
    guard let file = fopen(path, "w") else { return try body("") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    return try body(path)
  }
}

/// Frames as they stand on the wire.
package enum WireFrame {
  /// Ends of connections in tests, as in `TraceBuilder.socketState`: the local one is looked at.
  package static let local: [UInt8] = [192, 0, 2, 1]
  package static let remote: [UInt8] = [198, 51, 100, 7]

  /// TCP's flags: FIN 1, SYN 2, RST 4, ACK 16.
  package static func segment(
    from source: [UInt8] = local, _ sourcePort: UInt16, to destination: [UInt8] = remote,
    _ destinationPort: UInt16, flags: UInt8 = 16, sequence: UInt32 = 0, payload: Int = 0
  ) -> [UInt8] {
    var header = pair(sourcePort) + pair(destinationPort) + quad(sequence) + quad(0)
    header += [0x50, flags] + pair(1024) + pair(0) + pair(0)
    return packet(
      from: source, to: destination, transport: 6,
      header + [UInt8](repeating: 0x61, count: payload))
  }

  /// A UDP datagram.
  package static func datagram(
    from source: [UInt8] = local, _ sourcePort: UInt16, to destination: [UInt8] = remote,
    _ destinationPort: UInt16, payload: Int
  ) -> [UInt8] {
    let header =
      pair(sourcePort) + pair(destinationPort) + pair(UInt16(8 + payload)) + pair(0)
    return packet(
      from: source, to: destination, transport: 17,
      header + [UInt8](repeating: 0x62, count: payload))
  }

  /// An Ethernet frame with an IP packet, version 4 or 6 by the length of the addresses.
  package static func packet(
    from source: [UInt8], to destination: [UInt8], transport: UInt8, _ body: [UInt8],
    tags: [UInt16] = [], fragment: UInt16 = 0, totalLength: UInt16? = nil
  ) -> [UInt8] {
    var frame = [UInt8](repeating: 2, count: 12)
    for tag in tags { frame += pair(tag) + pair(1) }
    if source.count == 16 {
      frame += pair(0x86DD) + [0x60, 0, 0, 0] + pair(UInt16(body.count)) + [transport, 64]
    } else {
      frame += pair(0x0800) + [0x45, 0] + pair(totalLength ?? UInt16(20 + body.count)) + pair(1)
      frame += pair(fragment) + [64, transport] + pair(0)
    }
    return frame + source + destination + body
  }

  package static func pair(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  package static func quad(_ value: UInt32) -> [UInt8] {
    pair(UInt16(value >> 16)) + pair(UInt16(value & 0xFFFF))
  }
}
