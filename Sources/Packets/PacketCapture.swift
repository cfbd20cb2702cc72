import CPcap
import Glibc

/// The TCP segments and UDP datagrams of a pcap or pcapng file.
public struct PacketCapture: Sendable {
  public var path: String
  /// In order of time.
  public var packets: [Packet]
  /// Packets in the file that are neither TCP nor UDP over IP.
  public var others: Int
  /// Packets of which the capture kept too little to know their ports.
  public var cut: Int
  /// Why there may be packets missing at the end.
  public var note: String?

  /// Makes a capture from its parts.
  public init(
    path: String, packets: [Packet], others: Int = 0, cut: Int = 0, note: String? = nil
  ) {
    self.path = path
    self.packets = packets
    self.others = others
    self.cut = cut
    self.note = note
  }

  /// Whether a file begins as a pcap or pcapng file does; false where it cannot be read.
  public static func isCapture(path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = fopen(path, "re")
    else { return false }
    defer { fclose(file) }
    var magic: UInt32 = 0
    guard fread(&magic, 4, 1, file) == 1 else { return false }
    // Microseconds, nanoseconds, and a section header block, which reads the same both ways.
    return [0xA1B2_C3D4, 0xA1B2_3C4D, 0x0A0D_0D0A].contains(magic)
      || [0xA1B2_C3D4, 0xA1B2_3C4D].contains(magic.byteSwapped)
  }

  /// Reads a capture.
  ///
  /// - Throws: `PacketCaptureError` when the file cannot be read, is malformed, has a link type that is not known or
  ///   holds no packet of TCP or UDP.
  public static func read(path: String) throws(PacketCaptureError) -> PacketCapture {
    guard let library = CaptureLibrary.shared else {
      throw PacketCaptureError(
        path: path, reason: "it takes libpcap to read it; install libpcap0.8 or libpcap")
    }
    var text = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = library.open(path, UInt32(PCAP_TSTAMP_PRECISION_NANO), &text) else {
      // libpcap puts the path before the system's own reasons, and not before its own.
      let reason = string(text)
      let prefix = "\(path): "
      throw PacketCaptureError(
        path: path,
        reason: reason.hasPrefix(prefix) ? String(reason.dropFirst(prefix.count)) : reason)
    }
    defer { library.close(handle) }
    let type = library.dataLink(handle)
    guard let link = LinkLayer(linkType: type) else {
      let name = library.nameOfDataLink(type).map { String(cString: $0) } ?? String(type)
      throw PacketCaptureError(
        path: path,
        reason:
          "it was captured with the link type \(name), which is not read; capture an Ethernet "
          + "interface, or all with `-i any`")
    }
    return try read(handle, by: library, link: link, path: path)
  }

  private static func read(
    _ handle: OpaquePointer, by library: CaptureLibrary, link: LinkLayer, path: String
  ) throws(PacketCaptureError) -> PacketCapture {
    var capture = PacketCapture(path: path, packets: [])
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<u_char>?
    var isOrdered = true
    var fragments = Fragments()
    reading: while true {
      switch library.next(handle, &header, &data) {
      case 1:
        guard let header = header?.pointee, let data else { break reading }
        // Asked for nanoseconds, libpcap puts them where the microseconds stand.
        let seconds = UInt64(clamping: header.ts.tv_sec)
        let time = seconds &* 1_000_000_000 &+ UInt64(clamping: header.ts.tv_usec)
        let bytes = PacketBytes(UnsafeRawBufferPointer(start: data, count: Int(header.caplen)))
        switch PacketDecoder.decode(
          bytes, link: link, wireBytes: Int(header.len), time: time)
        {
        case .packet(let packet, let key):
          if let last = capture.packets.last, last.time > time { isOrdered = false }
          capture.packets.append(packet)
          if let key { fragments.begin(key, at: capture.packets.count - 1, of: &capture.packets) }
        case .fragment(let key, let payload, let headers):
          fragments.add(key, payload: payload, headers: headers, to: &capture.packets)
        case .other: capture.others += 1
        case .cut: capture.cut += 1
        }
      case -2: break reading
      default:
        let reason = String(cString: library.error(handle))
        let read = capture.packets.count + capture.others + capture.cut
        // A capture that was killed ends in the middle of a packet; what stands before is good.
        guard reason.hasPrefix("truncated dump file"), read > 0 else {
          let advice =
            reason.contains("different from the type of the first interface")
            ? "; split it by `tshark -r FILE -Y frame.interface_id==0 -w ONE`, and give the one of the interface"
            : ""
          throw PacketCaptureError(path: path, reason: "after \(read) packets: \(reason)\(advice)")
        }
        capture.note = "the capture ends in the middle of a packet, after \(read) whole ones"
        break reading
      }
    }
    capture.others += fragments.orphans
    guard !capture.packets.isEmpty else {
      throw PacketCaptureError(
        path: path,
        reason: capture.cut > 0
          ? "none of its \(capture.cut) packets was kept to the end of its headers; capture with "
            + "`-s 128` or more"
          : "it holds no packet of TCP or UDP")
    }
    if !isOrdered { capture.packets.sort { $0.time < $1.time } }
    return capture
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Why a capture could not be used.
public struct PacketCaptureError: Error, CustomStringConvertible, Sendable, Equatable {
  public var path: String
  public var reason: String

  public var description: String { "\(path): \(reason)" }

  init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}
