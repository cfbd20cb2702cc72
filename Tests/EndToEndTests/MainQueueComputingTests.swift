import Foundation
import Testing

extension EndToEnd {
  /// Programs whose main queue and MainActor do nothing but compute, on libdispatch's workers: no wait shows it.
  @Suite(.enabled(if: Machine.tool("swiftc") != nil, "needs swiftc"))
  struct MainQueueComputing {
    private static let crunch = """
      import Dispatch
      import Glibc

      @inline(never) func crunch(seconds: Double) -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        let end = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 + seconds
        var value = 1.0
        repeat {
          for _ in 0..<1000 { value = (value * 1.0000001).squareRoot() + 1 }
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        } while Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 < end
        return value
      }

      """

    /// Four times 300 ms on the main queue; between them a queue of its own computes as long.
    private static let queues =
      crunch + """
        let other = DispatchQueue(label: "shop.orders")
        nonisolated(unsafe) var left = 4
        func onMain() {
          dispatchPrecondition(condition: .onQueue(.main))
          _ = crunch(seconds: 0.3)
          left -= 1
          if left == 0 { exit(0) }
          other.async {
            _ = crunch(seconds: 0.31)
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { onMain() }
          }
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { onMain() }
        dispatchMain()
        """

    /// The same of MainActor, and of an actor.
    private static let actors =
      crunch + """
        actor Worker { func work() { _ = crunch(seconds: 0.31) } }
        @MainActor func onMain() { _ = crunch(seconds: 0.3) }
        @main struct Program {
          static func main() async throws {
            let worker = Worker()
            for _ in 0..<4 {
              try await Task.sleep(for: .milliseconds(100))
              await onMain()
              await worker.work()
            }
          }
        }
        """

    static let programs = [("queues", queues), ("actors", actors)]

    @Test(arguments: programs, ["perf", "process"])
    func `what the main queue and MainActor compute is told from what others do`(
      program: (name: String, source: String), recorder: String
    ) throws {
      let scratch = try Scratch()
      let file = scratch.file("\(program.name).swift")
      try program.source.write(toFile: file, atomically: true, encoding: .utf8)
      let built = try Command.run(
        ["swiftc", "-O", "-g", file, "-o", scratch.file("program")]
          + (program.name == "actors" ? ["-parse-as-library"] : []))
      try #require(built.status == 0, "\(built.errors)")
      let run = try Recorded(
        [scratch.file("program")], options: ["--recorder", recorder], scratch: scratch)
      let hangs = run.mainThread["hangs"].items
      #expect(hangs.count == 4, "\(run.mainThread)")
      // What is done in less than a millisecond shows nothing of whose work it is, and is not among the turns.
      if program.name == "queues" { #expect(run.mainThread["shortTurnsUntold"].bool == true) }
      for hang in hangs {
        #expect(isNear(hang["runningSeconds"].double, 0.3, slack: 0.02), "\(hang)")
        #expect(
          hang["stack"].items.contains { $0["function"].string?.hasPrefix("crunch") == true },
          "\(hang)")
      }
      #expect(run.audit("main-thread-hangs")["status"].string == "fail")
      guard program.name == "queues" else { return }
      let queue = run.signals["serialQueues"].items.first
      #expect(queue?["label"].string == "shop.orders", "\(run.signals["serialQueues"])")
      #expect(
        isNear(queue?["cpuSeconds"].double, 0.93, slack: 0.2), "\(run.signals["serialQueues"])")
    }

    /// Many jobs of MainActor, each too short to be sampled or to wait in.
    private static let shortJobs =
      crunch + """
        @MainActor func onMain() { _ = crunch(seconds: 0.0006) }
        @main struct Program {
          static func main() async throws {
            for _ in 0..<300 {
              try await Task.sleep(for: .milliseconds(1))
              await onMain()
            }
          }
        }
        """

    // The main thread was told to have been idle beside them. Jobs are told by probes alone.
    @Test(.enabled(if: Machine.isRoot, Machine.needsRoot))
    func `jobs of MainActor that take less than a millisecond are its turns`() throws {
      let scratch = try Scratch()
      let file = scratch.file("short.swift")
      try Self.shortJobs.write(toFile: file, atomically: true, encoding: .utf8)
      let built = try Command.run([
        "swiftc", "-O", "-g", "-parse-as-library", file, "-o", scratch.file("program"),
      ])
      try #require(built.status == 0, "\(built.errors)")
      let run = try Recorded([scratch.file("program")], scratch: scratch)
      let running = run.mainThread["runningSeconds"].double ?? 0
      #expect(running > 0.18 && running < 0.3, "\(run.mainThread)")
      // The first may be the first thread's yet.
      #expect((299...302).contains(run.mainThread["turns"].int ?? 0), "\(run.mainThread)")
    }
  }
}
