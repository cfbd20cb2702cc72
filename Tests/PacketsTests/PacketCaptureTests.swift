import Foundation
import Quantities
import TestSupport
import Testing

@testable import Packets

private let start: UInt64 = 1_700_000_000_123_456_789

private func read(_ builder: CaptureBuilder) throws -> PacketCapture {
  try CaptureBuilder.withFile(builder.build()) { try PacketCapture.read(path: $0) }
}

struct PacketCaptureTests {
  @Test(arguments: [(true, false), (false, false), (true, true), (false, true)])
  func `either byte order and either resolution is read`(nanoseconds: Bool, isSwapped: Bool) throws
  {
    var builder = CaptureBuilder(nanoseconds: nanoseconds, isSwapped: isSwapped)
    builder.packet(time: start, WireFrame.segment(40_000, 443, flags: 2, sequence: 7))
    builder.packet(
      time: start + 1_000_000, WireFrame.segment(40_000, 443, sequence: 8, payload: 100))
    let capture = try read(builder)
    #expect(capture.packets.count == 2)
    #expect(capture.packets[0].time == (nanoseconds ? start : start / 1000 * 1000))
    #expect(capture.packets[0].flags == .synchronize)
    #expect(capture.packets[1].payload == 100)
    #expect(capture.packets[1].headers == 40)
    #expect(capture.packets[1].source.port == 40_000)
    #expect(capture.packets[1].source.address.bytes == WireFrame.local)
  }

  @Test func `lengths are those on the wire, not those that were kept`() throws {
    var builder = CaptureBuilder()
    builder.packet(time: start, WireFrame.segment(40_000, 443, payload: 1400), kept: 64)
    builder.packet(time: start, WireFrame.datagram(5353, 53, payload: 300), kept: 60)
    // Handed to the network card as one piece, with no length in its header.
    let large =
      [UInt8](repeating: 0, count: 12) + [0x50, 16] + [UInt8](repeating: 0, count: 20_006)
    builder.packet(
      time: start,
      WireFrame.packet(
        from: WireFrame.local, to: WireFrame.remote, transport: 6, large, totalLength: 0))
    let capture = try read(builder)
    #expect(capture.packets.map(\.payload) == [1400, 300, 20_000])
    #expect(capture.packets.map(\.headers) == [40, 28, 40])
  }

  @Test func `tags, extension headers and fragments are passed over`() throws {
    let ip6: [UInt8] = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    let datagram =
      WireFrame.pair(1) + WireFrame.pair(2) + WireFrame.pair(8 + 1000) + WireFrame.pair(0)
    var builder = CaptureBuilder()
    builder.packet(
      time: start,
      WireFrame.packet(
        from: WireFrame.local, to: WireFrame.remote, transport: 17,
        datagram + [UInt8](repeating: 0, count: 1000), tags: [0x88A8, 0x8100]))
    // Destination options of 8 bytes, then UDP.
    builder.packet(
      time: start,
      WireFrame.packet(
        from: ip6, to: ip6, transport: 60,
        [17, 0, 0, 0, 0, 0, 0, 0] + datagram + [UInt8](repeating: 0, count: 1000)))
    // The first fragment of a datagram has its length, the second has no ports.
    builder.packet(
      time: start,
      WireFrame.packet(
        from: WireFrame.local, to: WireFrame.remote, transport: 17,
        datagram + [UInt8](repeating: 0, count: 600), fragment: 0x2000))
    builder.packet(
      time: start,
      WireFrame.packet(
        from: WireFrame.local, to: WireFrame.remote, transport: 17,
        [UInt8](repeating: 0, count: 400),
        fragment: 76))
    builder.packet(
      time: start,
      WireFrame.packet(from: WireFrame.local, to: WireFrame.remote, transport: 1, [8, 0, 0, 0]))
    let capture = try read(builder)
    #expect(capture.packets.map(\.payload) == [1000, 1000, 1000])
    // The second fragment has a header of its own.
    #expect(capture.packets.map(\.headers) == [28, 56, 48])
    #expect(capture.packets.map(\.source.port) == [1, 1, 1])
    #expect(capture.others == 1)
  }

  private static let hasTshark = access("/usr/bin/tshark", X_OK) == 0

  /// TCP in everything that it is packed in, each with a payload of its own length.
  private static func packed() -> CaptureBuilder {
    func ip(_ payload: Int) -> [UInt8] {
      Array(WireFrame.segment(1, 2, payload: payload).dropFirst(14))
    }
    func ethernet(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
      [UInt8](repeating: 2, count: 12) + WireFrame.pair(type) + body
    }
    func tunnel(_ transport: UInt8, _ body: [UInt8]) -> [UInt8] {
      WireFrame.packet(from: [192, 0, 2, 9], to: [192, 0, 2, 10], transport: transport, body)
    }
    let ip6 = [0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 12)
    let segment = Array(WireFrame.segment(1, 2, payload: 106).dropFirst(34))
    let within6 = Array(WireFrame.packet(from: ip6, to: ip6, transport: 6, segment).dropFirst(14))
    let vxlan = [8, 0, 0, 0, 0, 0, 5, 0] + WireFrame.segment(1, 2, payload: 107)
    // With 8 bytes of options.
    let geneve: [UInt8] = [2, 0, 0x65, 0x58, 0, 0, 5, 0] + [0, 1, 2, 1, 0, 0, 0, 0]
    func datagram(_ port: UInt16, _ body: [UInt8]) -> [UInt8] {
      tunnel(
        17,
        WireFrame.pair(9) + WireFrame.pair(port) + WireFrame.pair(UInt16(8 + body.count)) + [0, 0]
          + body)
    }
    let whole = Array(WireFrame.segment(1, 2, payload: 1504).dropFirst(34))
    func fragment(_ range: Range<Int>, _ field: UInt16) -> [UInt8] {
      WireFrame.packet(
        from: WireFrame.local, to: WireFrame.remote, transport: 6, Array(whole[range]),
        fragment: field)
    }
    var builder = CaptureBuilder()
    let frames = [
      ethernet(
        0x8864, [0x11, 0, 0, 1] + WireFrame.pair(UInt16(ip(101).count + 2)) + [0, 0x21] + ip(101)),
      ethernet(0x8847, [0, 1, 0, 64, 0, 2, 1, 64] + ip(102)),
      tunnel(47, [0x20, 0, 8, 0, 0, 0, 0, 7] + ip(103)),
      tunnel(47, [0, 0, 0x65, 0x58] + WireFrame.segment(1, 2, payload: 104)),
      tunnel(4, ip(105)), tunnel(41, within6),
      datagram(4789, vxlan), datagram(6081, geneve + WireFrame.segment(1, 2, payload: 108)),
      datagram(6081, [0, 0, 8, 0, 0, 0, 5, 0] + ip(109)),
      fragment(0..<1024, 0x2000), fragment(1024..<1524, 128),
    ]
    for (index, frame) in frames.enumerated() { builder.packet(time: start + UInt64(index), frame) }
    return builder
  }

  @Test func `TCP is found in what it is packed in, and in its pieces`() throws {
    let capture = try read(Self.packed())
    #expect(capture.packets.map(\.payload) == [101, 102, 103, 104, 105, 106, 107, 108, 109, 1504])
    #expect(capture.packets.allSatisfy { $0.transportProtocol == 6 && $0.source.port == 1 })
    // Two of IP and TCP; within a tunnel the outer header and its own, and what a frame in it has.
    #expect(capture.packets.map(\.headers) == [40, 40, 68, 78, 60, 80, 90, 98, 76, 60])
    #expect(capture.others == 0)
  }

  /// A header of 16 bytes, and lengths that are less than the header's and more than the frame's.
  @Test func `a damaged header is none, and a damaged length is no payload`() throws {
    var frames = [Int](0..<4).map { _ in WireFrame.segment(1, 2, payload: 50) }
    frames[0][14] = 0x44
    frames[1].replaceSubrange(16..<18, with: WireFrame.pair(19))
    frames[2].replaceSubrange(16..<18, with: WireFrame.pair(820))
    let datagram = WireFrame.datagram(1, 2, payload: 30)
    frames.append(datagram)
    frames[4].replaceSubrange(38..<40, with: WireFrame.pair(900))
    var builder = CaptureBuilder()
    for (index, frame) in frames.enumerated() { builder.packet(time: start + UInt64(index), frame) }
    let capture = try read(builder)
    #expect(capture.packets.map(\.payload) == [50, 50, 30] && capture.others == 2)
  }

  /// Packets of 100 and more bytes each, in simple blocks (3), which hold no time, and in enhanced ones (6).
  @Test(.enabled(if: hasTshark, "tshark is not installed"))
  func `packets without time stand where they are in the file`() throws {
    func little(_ values: UInt32...) -> [UInt8] {
      values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    }
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let body = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      return little(type, UInt32(body.count + 12)) + body + little(UInt32(body.count + 12))
    }
    // Of each packet so many bytes are kept.
    var bytes = block(0x0a0d_0d0a, little(0x1a2b_3c4d, 1, .max, .max)) + block(1, little(1, 120))
    let kinds: [UInt32] = [3, 6, 3, 3, 6, 3]
    for (index, kind) in kinds.enumerated() {
      let frame = WireFrame.segment(1, 2, sequence: UInt32(index) << 16, payload: 100 + index)
      let kept = Array(frame.prefix(120))
      if kind == 3 {
        bytes += block(3, little(UInt32(frame.count)) + kept)
      } else {
        let time = start / 1000 + UInt64(index)
        bytes += block(
          6,
          little(
            0, UInt32(time >> 32), UInt32(truncatingIfNeeded: time), UInt32(kept.count),
            UInt32(frame.count)) + kept)
      }
    }
    let (capture, told) = try CaptureBuilder.withFile(bytes) { path in
      (
        try PacketCapture.read(path: path),
        try Self.tshark(["-r", path, "-T", "fields", "-e", "tcp.len"])
      )
    }
    #expect(capture.packets.map(\.payload) == told.split(separator: "\n").compactMap { UInt64($0) })
    #expect(capture.packets.map { $0.time / 1000 - start / 1000 } == [1, 1, 1, 1, 4, 4])
    #expect(capture.timeless == 4 && capture.packets.count == 6)
  }

  private static func tshark(_ arguments: [String]) throws -> String {
    try run(["tshark"] + arguments)
  }

  private static func run(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test(.enabled(if: hasTshark, "tshark is not installed"))
  func `tshark finds the same payloads`() throws {
    let output = try CaptureBuilder.withFile(Self.packed().build()) { path in
      try Self.tshark(["-r", path, "-Y", "tcp", "-T", "fields", "-e", "tcp.len"])
    }
    let found = output.split(separator: "\n").compactMap { UInt64($0) }
    #expect(found == (try read(Self.packed())).packets.map(\.payload), "\(output)")
  }

  /// Two captures with other links, in one pcapng file as mergecap writes it, which libpcap does not read.
  @Test(.enabled(if: hasTshark, "tshark is not installed"))
  func `interfaces with other links are read as tshark reads them`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let segment = WireFrame.segment(40_000, 443, payload: 5)
    var (wired, cooked) = (CaptureBuilder(), CaptureBuilder(linkType: CaptureBuilder.cooked))
    for index in 0..<4 {
      wired.packet(
        time: start + UInt64(index) * 2_000_000,
        WireFrame.segment(40_000, 443, payload: 100 + index))
      let header = [0x08, 0, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6] + [UInt8](repeating: 0, count: 8)
      cooked.packet(
        time: start + 1_000_000 + UInt64(index) * 2_000_000, header + segment.dropFirst(14))
    }
    for (name, builder) in [("wired", wired), ("cooked", cooked)] {
      try Data(builder.build()).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
    let path = folder.path + "/both"
    _ = try Self.run([
      "mergecap", "-F", "pcapng", "-w", path, folder.path + "/wired", folder.path + "/cooked",
    ])
    let told = try Self.tshark([
      "-r", path, "-Y", "tcp", "-T", "fields", "-e", "frame.time_epoch", "-e", "tcp.len",
    ]).split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    try #require(told.count == 8)
    let capture = try PacketCapture.read(path: path)
    #expect(capture.packets.map(\.payload) == told.compactMap { UInt64($0[1]) })
    for (packet, fields) in zip(capture.packets, told) {
      // tshark prints nanoseconds: 1700000000.123456789.
      #expect(fields[0].filter { $0 != "." } == "\(packet.time)", "\(fields)")
    }
  }

  @Test func `a capture of all interfaces tells what was sent`() throws {
    let segment = Array(WireFrame.segment(40_000, 443, payload: 5).dropFirst(14))
    var builder = CaptureBuilder(linkType: CaptureBuilder.cooked)
    for kind: UInt8 in [4, 0] {
      let header = [0x08, 0, 0, 0, 0, 0, 0, 2, 0, 1, kind, 6] + [UInt8](repeating: 0, count: 8)
      builder.packet(time: start, header + segment)
    }
    let capture = try read(builder)
    #expect(capture.packets.map(\.isOutgoing) == [true, false])
    #expect(capture.packets.map(\.payload) == [5, 5])
  }

  @Test func `a capture cut off in a packet keeps what stands before`() throws {
    var builder = CaptureBuilder()
    for index in 0..<3 {
      builder.packet(time: start + UInt64(index), WireFrame.segment(40_000, 443, payload: 10))
    }
    try CaptureBuilder.withFile(builder.build().dropLast(9)) { path in
      let capture = try PacketCapture.read(path: path)
      #expect(capture.packets.count == 2)
      #expect(capture.note == "the capture ends in the middle of a packet, after 2 whole ones")
    }
  }

  @Test func `what is no capture says why and what to do`() throws {
    func reason(_ bytes: [UInt8]) throws -> String {
      try CaptureBuilder.withFile(bytes) { path in
        let error = #expect(throws: PacketCaptureError.self) {
          try PacketCapture.read(path: path)
        }
        #expect(error.map { "\($0)".hasPrefix(path) } ?? false)
        return error?.reason ?? ""
      }
    }
    #expect(try reason([1, 2, 3]).contains("truncated"))
    #expect(try reason(Array("PERFILE2 and more".utf8)).contains("format"))
    #expect(try reason(CaptureBuilder().build()) == "it holds no packet of TCP or UDP")
    #expect(try reason(CaptureBuilder(linkType: 127).build()).contains("capture an Ethernet"))
    var short = CaptureBuilder()
    short.packet(time: start, WireFrame.segment(1, 2), kept: 30)
    #expect(try reason(short.build()).contains("-s 128"))
    // A length far beyond the file's own limit.
    var absurd = CaptureBuilder()
    absurd.packet(time: start, WireFrame.segment(1, 2))
    var bytes = absurd.build()
    bytes.replaceSubrange(32..<36, with: [0xFF, 0xFF, 0xFF, 0x7F])
    #expect(try reason(bytes).contains("after 0 packets"))
    let error = #expect(throws: PacketCaptureError.self) {
      try PacketCapture.read(path: "/no/such.pcap")
    }
    #expect(error?.reason == "No such file or directory")
  }

  @Test func `broken captures end in an error or in fewer packets, never worse`() throws {
    var builder = CaptureBuilder()
    for index in 0..<20 {
      builder.packet(
        time: start + UInt64(index) * 1000,
        index % 2 == 0
          ? WireFrame.segment(40_000, 443, sequence: UInt32(index), payload: index)
          : WireFrame.datagram(5353, 53, payload: index))
    }
    let whole = builder.build()
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<500 {
      var bytes = whole
      for _ in 0...Int.random(in: 0..<8, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      bytes.removeLast(Int.random(in: 0..<40, using: &generator))
      try CaptureBuilder.withFile(bytes) { path in
        let capture = try? PacketCapture.read(path: path)
        #expect((capture?.packets.count ?? 0) <= 40, "seed \(seed), round \(round)")
      }
    }
  }
}
