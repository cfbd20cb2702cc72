import CPcap
import Files
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
  /// Packets without a time of their own, which stand at that of the packet before.
  public var timeless = 0
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
      if reason.contains(" of the first interface") { return try readByInterface(path) }
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
        // Of a packet without time libpcap makes 1970.
        if time == 0, isNext(path) { return try readByInterface(path) }
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
        if reason.contains(" of the first interface") { return try readByInterface(path) }
        let read = capture.packets.count + capture.others + capture.cut
        // A capture that was killed ends in the middle of a packet; what stands before is good.
        guard reason.hasPrefix("truncated dump file"), read > 0 else {
          throw PacketCaptureError(
            path: path, reason: "after \(read) packet\(read == 1 ? "" : "s"): \(reason)")
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
          ? "none of its packets (\(capture.cut)) was kept to the end of its headers; capture with "
            + "`-s 128` or more"
          : "it holds no packet of TCP or UDP")
    }
    if !isOrdered { capture.packets.sort { $0.time < $1.time } }
    return capture
  }

  /// Whether it is a pcapng file, which may hold packets without time.
  private static func isNext(_ path: String) -> Bool {
    guard let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    var magic: UInt32 = 0
    return fread(&magic, 4, 1, file) == 1 && magic == 0x0A0D_0D0A
  }

  /// Reads each interface's packets by themselves.
  private static func readByInterface(_ path: String) throws(PacketCaptureError) -> PacketCapture {
    var capture = PacketCapture(path: path, packets: [])
    var failure: PacketCaptureError?
    let (files, timeless) = InterfaceSplit.files(of: contents(of: path))
    capture.timeless = timeless
    for file in files {
      do throws(PacketCaptureError) {
        let part = try withFile(file) { part throws(PacketCaptureError) in try read(path: part) }
        capture.packets += part.packets
        capture.others += part.others
        capture.cut += part.cut
      } catch { failure = PacketCaptureError(path: path, reason: error.reason) }
    }
    // An interface of a link that is not read, or without TCP and UDP, leaves the others.
    if capture.packets.isEmpty, let failure { throw failure }
    capture.packets.sort { $0.time < $1.time }
    return capture
  }

  private static func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = fread(&part, 1, part.count, file)
      guard count > 0 else { return bytes }
      bytes += part[..<count]
    }
  }

  /// A file of these bytes for as long as the closure runs.
  private static func withFile(
    _ bytes: [UInt8], _ body: (String) throws(PacketCaptureError) -> PacketCapture
  ) throws(PacketCaptureError) -> PacketCapture {
    let folder = TemporaryFolder.path
    var name = Array("\(folder)/lull-interface-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    let path = string(name)
    guard descriptor >= 0, let file = fdopen(descriptor, "w") else {
      throw PacketCaptureError(path: path, reason: "cannot be created, which is needed to read it")
    }
    defer { unlink(path) }
    let isWhole = fwrite(bytes, 1, bytes.count, file) == bytes.count
    guard fclose(file) == 0, isWhole else {
      throw PacketCaptureError(path: path, reason: "cannot be written, which is needed to read it")
    }
    return try body(path)
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
