import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct TransferLogTests {
  @Test func `transfers come out as they went in`() {
    var random = SeededGenerator(seed: 3)
    var time: UInt64 = 1000
    let transfers = (0..<5000).map { _ in
      // Of several rings, so that some are older than the one before.
      time = time &+ random.next() % 100_000 &- 100
      let pick = random.next()
      return Transfer(
        time: Timestamp(nanoseconds: time), pid: Int32(pick % 3), tid: Int32(pick % 7),
        direction: pick % 2 == 0 ? .send : .receive,
        bytes: [1, 300, 1 << 20, .max][Int(pick % 4)],
        weight: [1, 1, 1, 251, .max][Int(pick % 5)], socket: 0xffff_8881_0000_0000 | pick % 32 << 6,
        family: [1, 2, 10][Int(pick % 3)], transportProtocol: pick % 2 == 0 ? 6 : 17,
        stack: pick % 11 == 0 ? Int(pick % 1000) : nil, connection: pick % 4 == 0 ? 9 : nil,
        isSample: pick % 13 == 0)
    }
    let log = TransferLog(transfers)
    #expect(log.count == transfers.count)
    #expect(log.map(String.init(reflecting:)) == transfers.map(String.init(reflecting:)))
    #expect(log.earliest == transfers.map(\.time).min())
    let internet = transfers.filter { $0.pid == 1 && [2, 10].contains($0.family) }
    #expect(!internet.isEmpty)
    #expect(
      log.internet(of: 1).map(String.init(reflecting:)) == internet.map(String.init(reflecting:)))
    #expect(Array(log.internet(of: 77)).isEmpty && Array(TransferLog()).isEmpty)
  }
}
