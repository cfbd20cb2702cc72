import Signals
import Testing

@Suite struct BurstTests {
  private func bursts(_ transfers: [NetworkTransfer], until end: Double = 600) throws -> [Burst] {
    BurstSplitter.bursts(
      of: transfers, from: 0, to: end, profile: try RadioProfileFile.profile(named: "lte-2012")
    ).bursts
  }

  private func send(_ time: Double, to host: String = "a", bytes: UInt64 = 100) -> NetworkTransfer {
    NetworkTransfer(time: time, bytesUp: bytes, remote: host)
  }

  @Test func `transfers 1.5 s apart are two bursts, closer ones are one`() throws {
    #expect(try bursts([send(0), send(1.4), send(2.8)]).count == 1)
    #expect(try bursts([send(0), send(1.5)]).count == 2)
    #expect(try bursts([send(3), send(0)]).map(\.start) == [0, 3])
    #expect(try bursts([]).isEmpty)
  }

  @Test func `the first class that fits`() throws {
    func only(_ transfers: [NetworkTransfer]) throws -> BurstClass? {
      try bursts(transfers).first?.class
    }
    let long = (0..<60).map { send(Double($0) * 0.1, bytes: 2000) }
    #expect(try only(long) == .large)
    #expect(try only(Array(long.prefix(50))) == .application)
    #expect(try only([NetworkTransfer(time: 0, remote: "a")]) == .connectionControl)
    #expect(
      try only([NetworkTransfer(time: 0, bytesUp: 9, remote: "a", isRetransmission: true)])
        == .retransmission)
    #expect(
      try only([NetworkTransfer(time: 0, bytesDown: 9, remote: "a"), send(0.1)])
        == .serverInitiated)
    #expect(
      try only([send(0), NetworkTransfer(time: 0.1, bytesDown: 9, remote: "a")]) == .application)
  }

  @Test func `three at a regular interval to one host are periodic`() throws {
    let regular = [10, 20, 30.5, 40].map { send($0) }
    #expect(try bursts(regular).allSatisfy { $0.class == .periodic })
    #expect(try bursts([send(10), send(20)]).allSatisfy { $0.class == .application })
    let elsewhere = [send(10), send(20, to: "b"), send(30, to: "c")]
    #expect(try bursts(elsewhere).allSatisfy { $0.class == .application })
  }

  @Test func `a regular run is found among others`() throws {
    let made = try bursts([3, 8, 100, 160, 220, 280, 290].map { send($0) })
    #expect(made.filter { $0.class == .periodic }.map(\.start) == [100, 160, 220, 280])
  }

  @Test func `within a second or a tenth of the mean`() throws {
    #expect(try bursts([0, 5, 10.9, 16].map { send($0) }).allSatisfy { $0.class == .periodic })
    #expect(try bursts([0, 5, 13].map { send($0) }).allSatisfy { $0.class == .application })
    #expect(try bursts([0, 100, 209].map { send($0) }).allSatisfy { $0.class == .periodic })
    #expect(try bursts([0, 100, 230].map { send($0) }).allSatisfy { $0.class == .application })
    // Quick exchanges of uneven length are not regular.
    #expect(
      try bursts([0, 1.6, 5, 6.8].map { send($0) }).allSatisfy { $0.class == .application })
  }

  @Test func `bytes, hosts and energies`() throws {
    let made = try bursts([
      send(0, to: "b"), NetworkTransfer(time: 0.2, bytesDown: 500, remote: "a"), send(20),
    ])
    #expect(made[0].bytesSent == 100 && made[0].bytesReceived == 500)
    #expect(made[0].remotes == ["a", "b"])
    #expect(made[0].durationSeconds == 0.2)
    #expect(made[0].energyJoules > 12 && made[1].energyJoules > 12)
    #expect(made[0].tailEnergyJoules < made[0].energyJoules)
  }
}
