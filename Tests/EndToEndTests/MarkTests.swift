import Foundation
import Testing

extension EndToEnd {
  @Suite struct Marks {
    @Test func `a program's own marks and intervals are recorded at their times`() throws {
      let run = try Recorded(workload: "marker count=3 ms=120 mb=48")
      let marks = run.report["marks"].items
      #expect(marks.compactMap { $0["name"].string } == ["ready", "background"])
      #expect(marks.allSatisfy { $0["how"].string == "library" })
      let intervals = run.report["intervals"].items.filter { $0["name"].string == "work" }
      let lengths = intervals.compactMap { $0["durationSeconds"].double }
      #expect(lengths.count == 3)
      for (length, truth) in zip(lengths, run.trueSpans) {
        #expect(isNear(length, truth, slack: 0.005), "\(length) s, the program says \(truth) s")
      }
      let phases = run.report["phases"].items.compactMap { $0["name"].string }
      #expect(phases == ["launch", "active", "background"])
      #expect(run.audit("background-footprint")["status"].string == "pass")
      #expect(run.audit("background-work")["value"].double ?? 100 < 5)
    }

    @Test func `lull mark reaches a recording from outside`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let target = try Command([Machine.workload, "idle", "seconds=60"])
      defer { kill(target.pid, SIGTERM) }
      usleep(300_000)
      let recorder = try Command(
        [Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "4s", "-o", trace])
      usleep(1_500_000)
      let mark = try Command.run([Machine.lull, "mark", "\(target.pid)", "background"])
      #expect(mark.status == 0, "\(mark.errors)")
      _ = try recorder.finish()
      let report = try Recorded.report(trace)
      #expect(report["marks"].items.compactMap { $0["name"].string } == ["background"])
      #expect(report["phases"].items.last?["name"].string == "background")
      let late = try Command.run([Machine.lull, "mark", "\(target.pid)", "ready"])
      #expect(late.status != 0 && late.errors.contains("is not being recorded"))
    }
  }
}
