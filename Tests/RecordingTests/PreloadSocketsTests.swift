import CPreloadRing
import PerfData
import Testing

@testable import Recording

/// Datagram sockets whose calls name the other ends.
@Suite struct PreloadSocketsTests {
  private let writer = PreloadWriter(stackBytes: 0)
  private let place = PreloadWriter.Place(pid: 7, tid: 7, time: 200)

  /// A send to one of many ends, which is told who it is or not.
  private func send(
    to end: UInt32, isTold: Bool, _ sockets: inout PreloadSockets
  ) throws -> Int {
    var record = lull_record()
    record.number = UInt32(
      try #require(
        CallMeaning.Number.messages.numbers.filter(CallMeaning.Number.writes.contains).min()))
    record.descriptor_kind = UInt16(lull_descriptor_udp.rawValue)
    (record.start, record.end, record.result) = (100, 110, 40)
    record.arguments = (5, UInt64(end) << 32, 0)
    let peer = SocketName(address: [192, 0, UInt8(end >> 8), UInt8(end & 255)], port: 53)
    let parts = PreloadParts(addresses: isTold ? (SocketName([]), peer) : nil)
    var output = RecordBytes()
    sockets.call(record, parts, place, writer, RecordTemplates(writer), into: &output)
    return RecordBuilder.count(output.bytes)
  }

  private func close(_ sockets: inout PreloadSockets) -> Int {
    var output = RecordBytes()
    sockets.keep([], of: 7, place, writer, into: &output)
    return RecordBuilder.count(output.bytes)
  }

  @Test func `each end is told once, however often it is spoken to`() throws {
    var sockets = PreloadSockets()
    // The send alone: nobody knows who that is.
    #expect(try send(to: 9, isTold: false, &sockets) == 1)
    #expect(try send(to: 1, isTold: true, &sockets) == 2)
    #expect(try send(to: 2, isTold: true, &sockets) == 2)
    #expect(try send(to: 1, isTold: false, &sockets) == 1)
    #expect(try send(to: 2, isTold: true, &sockets) == 1)
    // A new file tells both again, and what ends with the socket is its ends.
    #expect(sockets.tellOpen(at: 300, writer).count == 2)
    #expect(close(&sockets) == 2)
    #expect(sockets.tellOpen(at: 300, writer).isEmpty)
  }

  @Test func `with very many ends the rest are not known`() throws {
    var sockets = PreloadSockets()
    for end in 1...UInt32(1024) { #expect(try send(to: end, isTold: true, &sockets) == 2) }
    #expect(try send(to: 1025, isTold: true, &sockets) == 1)
    #expect(try send(to: 1024, isTold: false, &sockets) == 1)
    #expect(close(&sockets) == 1024)
  }

  // A connection seemed to be open as long as a child lived that its parent had started with it closed.
  @Test func `a child's program has only the sockets that it was left`() {
    var sockets = PreloadSockets()
    func call(_ number: UInt32, _ descriptor: UInt64, of pid: Int32) -> Int {
      var record = lull_record()
      (record.number, record.start, record.end) = (number, 100, 110)
      record.descriptor_kind = UInt16(lull_descriptor_tcp.rawValue)
      record.arguments = (descriptor, 0, 0)
      let end = SocketName(address: [192, 0, 2, 1], port: 80)
      let parts = PreloadParts(addresses: (end, end))
      var output = RecordBytes()
      sockets.call(
        record, parts, .init(pid: pid, tid: pid, time: 200), writer, RecordTemplates(writer),
        into: &output)
      return RecordBuilder.count(output.bytes)
    }
    // Connects and is connected; ends.
    #expect(call(CallMeaning.Number.connect, 5, of: 7) == 2)
    #expect(call(CallMeaning.Number.connect, 6, of: 7) == 2)
    sockets.forked(8, from: 7, at: 300)
    var output = RecordBytes()
    sockets.keep([6], of: 8, .init(pid: 8, tid: 8, time: 310), writer, into: &output)
    #expect(output.bytes.isEmpty)
    #expect(call(CallMeaning.Number.close, 5, of: 7) == 1)
    #expect(call(CallMeaning.Number.close, 6, of: 7) == 0)
    #expect(call(CallMeaning.Number.close, 6, of: 8) == 1)
  }
}
