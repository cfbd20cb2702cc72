import Foundation
import Testing

extension EndToEnd {
  /// A server with a database (GRDB), an HTTP client (Foundation's) and timers, on FlyingFox.
  @Suite struct DatabaseServer {
    @Test(arguments: ["good", "bad"])
    func `a server with a database, a client and a timer gets the verdict that it is due`(
      mode: String
    ) throws {
      let server = try TestPackage.databaseServer.program("database-server")
      let scratch = try Scratch()
      let run = try Recorded([server, scratch.path, mode, "8"], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      // Of some 260: each takes 120 ms, and four are asked at a time.
      try #require((run.truth["requests"].int ?? 0) > 100, "\(run.truth)")
      // Its main thread is parked, and what MainActor does takes no time.
      for rule in ["hangs", "sleeps", "lock-waits", "file-access", "computation"] {
        let audit = run.audit("main-thread-" + rule)
        #expect(audit["status"].string != "fail" && audit["status"].string != "warn", "\(audit)")
      }
      // What it blocks is the pool, and in which function.
      let pool = run.audit("cooperative-pool-blocking")
      #expect((pool["status"].string == "fail") == (mode == "bad"), "\(pool)")
      if mode == "bad" {
        #expect(pool["evidence"][0]["function"].string?.contains("block") == true, "\(pool)")
      }
      // Each sleep is followed by a row and a response, and each tick by a row.
      for rule in ["polling-timers", "wakeup-coalescing"] {
        #expect(run.audit(rule)["status"].string != "fail", "\(run.audit(rule))")
      }
      // All of it stays on the machine: no radio was on.
      #expect(run.signals["network"]["bursts"].items.isEmpty, "\(run.signals["network"])")
      // A database's pages are written and synced, not the whole file.
      #expect(run.audit("whole-file-rewrites")["status"].string != "fail")
      // Eight seconds are a start, and hold no growth against it.
      #expect(run.audit("footprint-growth")["status"].string != "fail")
      let store = run.file(scratch.file("store.sqlite"))
      #expect((store["writes"].int ?? 0) >= (run.truth["rows"].int ?? .max), "\(store)")
    }
  }
}
