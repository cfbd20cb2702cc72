import TestSupport
import Testing

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let microsecond: UInt64 = 1000

/// Sleeps of a server's handlers, after which an event loop answers that was awake, so that nobody woke it.
struct AnsweredWaitsTests {
  private static let loop: Int32 = 101
  private static let sleeper: Int32 = 102

  /// A server whose loop never sleeps, with a thread that sleeps for 50 ms again and again, 60 times.
  ///
  /// `exchanges` say when requests come and when their answers go, in microseconds after each sleep's end.
  private func timers(
    exchanges: [(request: Int, answer: Int)], sockets: UInt64 = 1
  ) throws -> [TimerSignal] {
    let signals = try measureProgram { builder in
      builder.comm(time: second, pid: 100, tid: Self.loop, name: "loop")
      builder.comm(time: second, pid: 100, tid: Self.sleeper, name: "sleeper")
      for socket in 1...sockets {
        // Accepted: from SYN received to established.
        builder.socketState(
          time: second + socket, tid: 0, socket: socket, from: 3, to: 1, localPort: 80,
          remotePort: 50_000 + Int(socket))
      }
      builder.switchIn(time: second + 1000, Self.loop, cpu: 1)
      builder.switchIn(time: second + 1000, Self.sleeper)
      var transfers: [(time: UInt64, socket: UInt64, isAnswer: Bool)] = []
      for index in UInt64(1)...60 {
        let begin = second + (index * 50_500 - 50_000) * microsecond
        let end = begin + 50_000 * microsecond
        builder.blockedStack(time: begin - 1000, Self.sleeper)
        try builder.stack(
          time: begin - 1000, tid: Self.sleeper, functions: ["usleep", "Handler.respond()"],
          firstID: Int(index) * 10)
        builder.switchOut(time: begin, Self.sleeper)
        builder.waking(time: end, by: 0, of: Self.sleeper, context: .hardInterrupt)
        builder.switchIn(time: end, Self.sleeper)
        for (place, exchange) in exchanges.enumerated() {
          let socket = UInt64(place) % sockets + 1
          func time(_ offset: Int) -> UInt64 { UInt64(Int(end) + offset * 1000) }
          transfers.append((time(exchange.request), socket, false))
          transfers.append((time(exchange.answer), socket, true))
        }
      }
      for transfer in transfers.sorted(by: { $0.time < $1.time }) where transfer.time > second {
        if transfer.isAnswer {
          builder.send(time: transfer.time, tid: Self.loop, socket: transfer.socket, bytes: 121)
        } else {
          builder.receive(time: transfer.time, tid: Self.loop, socket: transfer.socket, bytes: 40)
        }
      }
      builder.exit(time: second + 3_100_000 * microsecond, pid: 100, tid: 100)
    }
    return try #require(signals.wakeups).timers
  }

  @Test func `a handler's sleep that is answered is not for nothing`() throws {
    let timer = try #require(try timers(exchanges: [(-50_200, 200)]).first)
    #expect(timer.count == 60 && abs(timer.periodSeconds - 0.0505) < 1e-6)
    // Before the first there was no request.
    #expect(timer.expiredWithoutWork <= 1 && timer.expiredUntold == 0)
  }

  @Test(
    arguments: [
      // Nobody asks; each request comes after the sleep; each is answered long after it, and long before the next.
      [], [(300, 900)], [(-50_200, 20_000)],
    ] as [[(Int, Int)]])
  func `a sleep beside answers that did not wait for it is for nothing`(
    exchanges: [(Int, Int)]
  ) throws {
    let timer = try #require(
      try timers(exchanges: exchanges.map { (request: $0.0, answer: $0.1) }).first)
    // After the last one it runs on to the end.
    #expect(timer.count == 60 && timer.expiredWithoutWork == 59 && timer.expiredUntold == 0)
  }

  @Test func `among answers that come all the time nothing is known of a sleep`() throws {
    // 20 requests are open at any time, and answered 2.5 ms apart.
    let exchanges = (0..<20).map { (request: $0 * 2525 - 50_450, answer: $0 * 2525 + 30) }
    let timer = try #require(try timers(exchanges: exchanges, sockets: 20).first)
    #expect(timer.count == 60 && timer.expiredWithoutWork <= 1 && timer.expiredUntold >= 59)
  }
}
