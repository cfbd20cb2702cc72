import Foundation
import Testing

extension EndToEnd {
  /// A program whose slow work is on queues of its own, each of which it gives a label.
  @Suite(.enabled(if: Machine.tool("swiftc") != nil, "needs swiftc"))
  struct SerialQueues {
    /// Queues of which the program runs something for as long as it is told to.
    private static let lasting = """
      import Dispatch
      import Glibc

      let slow = DispatchQueue(label: "shop.orders")
      let idle = DispatchQueue(label: "shop.stock")
      let quick = DispatchQueue(label: "shop.mail")
      func sleepsLong() {
        dispatchPrecondition(condition: .onQueue(slow))
        usleep(200_000)
        slow.async { sleepsLong() }
      }
      func sleepsShort() {
        dispatchPrecondition(condition: .onQueue(quick))
        usleep(20_000)
        quick.asyncAfter(deadline: .now() + 0.2) { sleepsShort() }
      }
      slow.async { sleepsLong() }
      quick.async { sleepsShort() }
      idle.sync { print("running") }
      fflush(nil)
      dispatchMain()
      """

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

    private func build(_ source: String, in scratch: Scratch) throws -> String {
      let file = scratch.file("main.swift")
      try source.write(toFile: file, atomically: true, encoding: .utf8)
      let built = try Command.run(["swiftc", "-O", "-g", file, "-o", scratch.file("shop")])
      try #require(built.status == 0, "\(built.errors)")
      return scratch.file("shop")
    }

    @Test func `queues that were there before the recording have their labels`() throws {
      let scratch = try Scratch()
      let target = try Command([try build(Self.lasting, in: scratch)])
      while !target.outputSoFar.contains("running") { usleep(10_000) }
      let trace = scratch.file("t")
      let result = try Command.run([
        Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "3s", "-o", trace,
      ])
      try #require(result.status == 0, "\(result.errors)")
      let queues = try Recorded.report(trace)["signals"]["serialQueues"].items
      try #require(queues.map { $0["label"].string } == ["shop.orders", "shop.mail"], "\(queues)")
      #expect((2.5...3.1).contains(queues[0]["blockedSeconds"].double ?? 0), "\(queues[0])")
      #expect(isNear(queues[0]["longestSeconds"].double, 0.2, slack: 0.02), "\(queues[0])")
      // About 3 s / 220 ms.
      #expect((0.18...0.4).contains(queues[1]["blockedSeconds"].double ?? 0), "\(queues[1])")
    }

    @Test(arguments: [[], ["--recorder", "process"]])
    func `what the work of a queue waited for has a row under the queue's label`(
      options: [String]
    ) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [try build(Self.source, in: scratch)], options: options, scratch: scratch)
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

    /// Two queues whose work goes through the very same functions, and from one worker to the other's.
    private static let alike = """
      import Dispatch
      import Glibc

      let queues = [DispatchQueue(label: "shop.orders"), DispatchQueue(label: "shop.mail")]
      let lengths: [UInt32] = [30_000, 10_000]
      @inline(never) func work(_ step: Int) {
        usleep(lengths[step % 2])
        guard step > 0 else { exit(0) }
        queues[(step - 1) % 2].async { work(step - 1) }
      }
      queues[1].async { work(39) }
      dispatchMain()
      """

    @Test(arguments: ["perf", "process", "kernel"])
    func `two queues that run the same functions each have their own time`(
      recorder: String
    ) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [try build(Self.alike, in: scratch)], options: ["--recorder", recorder], scratch: scratch)
      let queues = run.signals["serialQueues"].items
      for (label, length) in [("shop.orders", 0.6), ("shop.mail", 0.2)] {
        let queue = queues.first { $0["label"].string == label }
        #expect(
          isNear(queue?["blockedSeconds"].double, length, slack: 0.15 * length),
          "\(label): \(queues)")
      }
    }

    private static let crashing = """
      import Dispatch
      import Glibc

      let queue = DispatchQueue(label: "shop.orders")
      queue.asyncAfter(deadline: .now() + 1.5) {
        usleep(200_000)
        fatalError("no stock")
      }
      dispatchMain()
      """

    // As it crashes, handlers of signals run on all threads, in the midst of their waits: the main thread had run all
    // the time, it was said within the process.
    @Test(arguments: ["perf", "process"])
    func `a program that crashes has not computed while it was parked`(recorder: String) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [try build(Self.crashing, in: scratch)], options: ["--recorder", recorder], scratch: scratch
      )
      #expect(run.result.status == 128 + SIGILL || run.result.status == 128 + SIGTRAP)
      #expect((run.signals["cpu"]["totalSeconds"].double ?? 9) < 0.3, "\(run.signals["cpu"])")
      #expect((run.mainThread["runningSeconds"].double ?? 0) < 0.3, "\(run.mainThread)")
      let queue = run.signals["serialQueues"].items.first { $0["label"].string == "shop.orders" }
      #expect(isNear(queue?["blockedSeconds"].double, 0.2, slack: 0.02), "\(run.signals)")
    }
  }
}
