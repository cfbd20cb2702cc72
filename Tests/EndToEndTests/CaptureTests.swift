import Foundation
import Testing

extension EndToEnd {
  @Suite struct Captures {
    static let hasTools = Machine.tool("tshark") != nil && Machine.tool("unshare") != nil

    @Test(.enabled(if: hasTools, "compares with tshark, which is not installed"))
    func `packets and bytes of each connection are tshark's`() throws {
      let scratch = try Scratch()
      let capture = scratch.file("run.pcapng")
      let trace = scratch.file("t")
      // A network of its own: no other program's packets, and nobody sees these.
      let script = """
        ip link set lo up
        tshark -q -i lo -w \(capture) 2>\(scratch.file("tshark")) &
        tshark=$!
        for i in $(seq 100); do [ -s \(capture) ] && break; sleep 0.1; done
        sleep 1
        \(Machine.lull) record -q -o \(trace) -- \(Machine.workload) chatty messages=30 \
          bytes=123 reply=20000 gap=20
        sleep 1.5
        kill -INT $tshark
        wait $tshark
        true
        """
      let run = try Command.run(["unshare", "-n", "bash", "-c", script])
      try #require(run.status == 0, "\(run.errors)")
      let truth = try JSON(lastLineOf: run.text)
      let network = try Recorded.report(trace, options: ["--pcap", capture, "--radio-loopback"])[
        "signals"]["network"]
      let connection = try #require(network["connections"].items.first)
      let port = connection["local"].string?.split(separator: ":").last.map(String.init) ?? ""
      let packets = try Self.packets(of: capture, port: port)
      // Thirty questions, thirty answers, a handshake and a close.
      #expect(packets.count >= 64)
      let captured = network["captured"]
      #expect(captured["matchedPackets"].int == packets.count, "\(captured)")
      #expect(
        captured["packets"].int == (try Self.fields(capture, ["frame.number"])).count)
      let sent = packets.filter { $0.source == port }
      let received = packets.filter { $0.source != port }
      let bursts = network["bursts"].items
      func sum(_ key: String) -> Int { bursts.compactMap { $0[key].int }.reduce(0, +) }
      #expect(sum("bytesSent") == sent.reduce(0) { $0 + $1.payload })
      #expect(sum("bytesReceived") == received.reduce(0) { $0 + $1.payload })
      #expect(network["overheadSent"].int == sent.reduce(0) { $0 + $1.headers })
      #expect(network["overheadReceived"].int == received.reduce(0) { $0 + $1.headers })
      #expect(network["overheadHow"].string == "captured")
      #expect(network["bytesSent"].int == truth["bytesSent"].int)
      // The same machine, so the same clock.
      #expect(abs(captured["clockOffsetSeconds"].double ?? 9) < 0.01)

      let alone = try Recorded.report(capture, options: ["--radio-loopback"])
      let section = alone["signals"]["network"]
      #expect(section["bytesSent"].int == truth["bytesSent"].int)
      #expect(section["bytesReceived"].int == truth["bytesReceived"].int)
      #expect(section["overheadSent"].int == network["overheadSent"].int)
      let measured = alone["audits"].items.filter {
        ["pass", "warn", "fail"].contains($0["status"].string ?? "")
      }.compactMap { $0["category"].string }
      #expect(Set(measured) == ["network"])
    }

    @Test func `what is no capture is refused with the reason`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let run = try Command.run(
        [Machine.lull, "record", "-q", "--no-report", "-o", trace, "--", "true"])
      try #require(run.status == 0, "\(run.errors)")
      let text = scratch.file("text")
      try Data("not a capture".utf8).write(to: URL(fileURLWithPath: text))
      for file in [text, scratch.file("missing")] {
        let refused = try Command.run([Machine.lull, "report", trace, "--pcap", file])
        #expect(refused.status == 65, "\(refused.errors)")
        #expect(refused.errors.contains(file))
      }
    }

    private struct Packet {
      let source: String
      let payload: Int
      let headers: Int
    }

    /// The TCP packets of a port as tshark reads them.
    private static func packets(of path: String, port: String) throws -> [Packet] {
      try fields(path, ["tcp.srcport", "tcp.dstport", "tcp.len", "ip.len"])
        .filter { $0.count == 4 && ($0[0] == port || $0[1] == port) }
        .map { row in
          let payload = Int(row[2]) ?? 0
          return Packet(source: row[0], payload: payload, headers: (Int(row[3]) ?? 0) - payload)
        }
    }

    private static func fields(_ path: String, _ names: [String]) throws -> [[String]] {
      let result = try Command.run(
        ["tshark", "-r", path, "-T", "fields"] + names.flatMap { ["-e", $0] })
      try #require(result.status == 0, "\(result.errors)")
      return result.text.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
    }
  }
}
