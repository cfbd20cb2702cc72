import Foundation
import Testing

extension EndToEnd {
  /// Recorders that do not get to run while a program does more than their buffers hold.
  @Suite(.enabled(if: Machine.isRoot, Machine.needsRoot)) struct Floods {
    private static func now() -> Double { ProcessInfo.processInfo.systemUptime }

    @Test(arguments: ["perf", "process", "kernel"])
    func `what a recorder cannot take is said to be lost, and nothing passes by it`(
      recorder: String
    ) throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let words = "rally rounds=150000 later=0 rest=1500 path=\(scratch.file("log"))"
      let recording = try Command([
        Machine.lull, "record", "-q", "-o", trace, "--recorder", recorder, "--", "sh", "-c",
        "echo ready; exec \(Machine.workload) \(words)",
      ])
      for _ in 0..<1000 where !recording.outputSoFar.contains("ready") { usleep(10_000) }
      usleep(500_000)
      kill(recording.pid, SIGSTOP)
      let stopped = Self.now()
      for _ in 0..<6000 where !recording.outputSoFar.contains("sends") { usleep(10_000) }
      let length = Self.now() - stopped
      kill(recording.pid, SIGCONT)
      let result = try recording.finish(limit: 120)
      try #require(result.status == 0, "\(result.errors)")

      let truth = try JSON(lastLineOf: result.text)
      let report = try Recorded.report(trace)
      let lost = report["trace"]["lostEvents"].int ?? 0
      #expect(lost > 0, "\(report["trace"])")
      for key in ["sends", "receives", "bytesSent", "bytesReceived"] {
        #expect(
          report["signals"]["network"][key].int ?? 0 <= truth[key].int ?? 0, "\(recorder): \(key)")
      }
      // No longer than it stood still and a round before and after. Within the process sums go on telling, and rings of
      // threads that did little have room.
      let seconds = report["trace"]["lostSeconds"].double ?? 0
      #expect(seconds < length + 0.5, "\(seconds) of \(length)")
      #expect(seconds > (recorder == "process" ? 0.05 : 0.3) * length, "\(seconds) of \(length)")
      let passed = report["audits"].items.filter {
        $0["status"].string == "pass" && $0["category"].string != "memory"
      }
      #expect(passed.isEmpty, "\(passed.map { $0["id"].string ?? "" })")
      #expect(report["score"]["overall"].double == nil, "\(report["score"])")
      let note = report["score"]["note"].string ?? ""
      #expect(note.contains("of what counts could be measured: of "), "\(note)")
      let text = try Command.run([Machine.lull, "report", trace]).text
      #expect(text.contains("lost, which would have told of about"), "\(text.prefix(1500))")
    }
  }
}
