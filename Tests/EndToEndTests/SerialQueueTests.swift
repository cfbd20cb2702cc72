import Foundation
import Testing

extension EndToEnd {
  /// A program whose slow work is on queues of its own, each of which it gives a label.
  @Suite(.enabled(if: Machine.tool("swiftc") != nil, "needs swiftc"))
  struct SerialQueues {
    private static let source = """
      import Dispatch
      import Glibc

      // Dispatch itself proves where the work is done.
      let slow = DispatchQueue(label: "shop.orders")
      let quick = DispatchQueue(label: "shop.mail")
      func sleepsLong() {
        dispatchPrecondition(condition: .onQueue(slow))
        dispatchPrecondition(condition: .notOnQueue(.main))
        usleep(300_000)
      }
      func sleepsShort() {
        dispatchPrecondition(condition: .onQueue(quick))
        usleep(20_000)
      }
      for _ in 0..<4 {
        slow.async { sleepsLong() }
        quick.async { sleepsShort() }
      }
      DispatchQueue.main.asyncAfter(deadline: .now() + 1.6) { exit(0) }
      dispatchMain()
      """

    @Test func `what the work of a queue waited for has a row under the queue's label`() throws {
      let scratch = try Scratch()
      let source = scratch.file("main.swift")
      try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
      let built = try Command.run(["swiftc", "-O", "-g", source, "-o", scratch.file("shop")])
      try #require(built.status == 0, "\(built.errors)")
      let run = try Recorded([scratch.file("shop")], scratch: scratch)
      #expect(run.mainThread["hangs"].items.isEmpty, "\(run.mainThread)")
      let queues = run.signals["serialQueues"].items
      let named = queues.filter { $0["label"].string != nil }
      try #require(
        named.map { $0["label"].string } == ["shop.orders", "shop.mail"], "\(queues)")
      #expect(isNear(named[0]["blockedSeconds"].double, 1.2, slack: 0.05), "\(named[0])")
      #expect(isNear(named[0]["longestSeconds"].double, 0.3, slack: 0.02), "\(named[0])")
      #expect(isNear(named[0]["blockedByCause"]["sleep"].double, 1.2, slack: 0.05), "\(named[0])")
      #expect(isNear(named[1]["blockedSeconds"].double, 0.08, slack: 0.02), "\(named[1])")
      let text = try Command.run([Machine.lull, "report", run.trace]).text
      #expect(text.contains("shop.orders: 1.2"), "\(text)")
    }
  }
}
