import Foundation
import Testing

extension EndToEnd {
  /// A server on Hummingbird whose handlers wait before they answer, recorded by the kernel's events and from within.
  @Suite struct RequestServer {
    private static let places: [Rung?] = [nil] + (Rung.areThere ? [.user] : [])

    private func record(_ words: String, in rung: Rung?) throws -> Recorded {
      let scratch = try Scratch()
      let run = try Recorded(
        [try TestPackage.servers.program("request-server")]
          + words.split(separator: " ").map(String.init),
        in: rung?.words(writingTo: scratch) ?? [], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      try #require((run.truth["requests"].int ?? 0) > 50, "\(run.truth)")
      return run
    }

    private func isGood(_ audit: JSON) -> Bool {
      ["fail", "warn"].contains(audit["status"].string) == false
    }

    @Test(arguments: ["block", "suspend"], places)
    func `a handler's sleep that is followed by its answer is no polling`(
      route: String, rung: Rung?
    ) throws {
      let run = try record("route=\(route) clients=4 seconds=8", in: rung)
      let requests = run.truth["requests"].int ?? 0
      let timers = run.signals["wakeups"]["timers"].items
      let handlers = timers.filter { (0.115...0.14).contains($0["periodSeconds"].double ?? 0) }
      let waits = handlers.compactMap { $0["count"].int }.reduce(0, +)
      let idle = handlers.compactMap { $0["expiredWithoutWork"].int }.reduce(0, +)
      if route == "block" {
        #expect(waits >= requests * 3 / 4, "\(timers)")
      } else {
        // Up to four wake together where their clients keep step. Where those do not, as on a busy machine, the waits
        // between are of all lengths, and no timer's: then none is told.
        let woken = run.signals["wakeups"]["byCause"]["timer"].int ?? 0
        #expect(woken >= requests / 8, "\(run.signals["wakeups"])")
      }
      // The server's own clock ticks once a second, which may come among them.
      #expect(idle <= 10, "\(timers)")
      for rule in ["polling-timers", "wakeup-coalescing"] {
        #expect(isGood(run.audit(rule)), "\(run.audit(rule))")
      }
      let pool = run.audit("cooperative-pool-blocking")
      #expect((pool["status"].string == "fail") == (route == "block"), "\(pool)")
    }

    @Test(arguments: places)
    func `a task of the same server that polls is found`(rung: Rung?) throws {
      let run = try record("route=suspend clients=4 seconds=8 poll=50", in: rung)
      let looks = run.truth["looks"].double ?? 0
      let timer = try #require(
        run.signals["wakeups"]["timers"].items.first {
          isNear($0["periodSeconds"].double, 0.0502, slack: 0.001)
        }, "\(run.signals["wakeups"])")
      // Some come together with a handler's.
      for key in ["count", "expiredWithoutWork"] {
        #expect((0.8...1).contains((timer[key].double ?? 0) / looks), "\(timer) of \(looks)")
      }
      #expect(!isGood(run.audit("polling-timers")), "\(run.audit("polling-timers"))")
    }

    @Test func `a server's start is told from a leak, and a leak with its rate`() throws {
      let start = try record("route=quick clients=4 gap=50 seconds=9", in: nil)
      let early = start.audit("footprint-growth")
      #expect(["pass", "notMeasured"].contains(early["status"].string), "\(early)")
      let steady = try record("route=quick clients=4 gap=50 seconds=34", in: nil)
      let growth = steady.signals["memory"]["growthBytesPerMinute"].double ?? .infinity
      #expect(steady.audit("footprint-growth")["status"].string == "pass", "\(growth)")
      let leaking = try record("route=quick clients=4 gap=50 seconds=34 leak=8176", in: nil)
      #expect(leaking.audit("footprint-growth")["status"].string == "fail")
      let truth = try #require(leaking.truth["keptPerMinute"].double)
      let interval = leaking.signals["memory"]["growthInterval"].items.compactMap(\.double)
      try #require(interval.count == 2)
      // Beside each 8176 bytes malloc keeps 16 of its own, and the list of them 24 and room to grow.
      #expect(interval[0] > 0.95 * truth && interval[1] < 1.1 * truth, "\(interval) of \(truth)")
      // What it answers is no chatter.
      for run in [start, steady, leaking] {
        #expect(isGood(run.audit("chatty-protocol")), "\(run.audit("chatty-protocol"))")
      }
    }
  }
}
