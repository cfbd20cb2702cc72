import Foundation
import Testing

extension EndToEnd {
  /// Jobs of Swift concurrency, by probes in its runtime.
  @Suite struct BlameConcurrency {
    @Test func `MainActor's jobs have their length, function and thread`() throws {
      let run = try Recorded([
        Machine.asyncWorkload, "mode=async-main", "count=3", "ms=300", "gap=50",
      ])
      let concurrency = run.signals["concurrency"]
      #expect((concurrency["mainActorJobs"].double ?? 0) >= 3, "\(concurrency)")
      // Each Task.sleep is a task of the runtime's.
      #expect((concurrency["tasksCreated"].double ?? 0) >= 4)
      let longest = Array(concurrency["longestJobs"].items.prefix(3))
        .sorted { ($0["start"].double ?? 0) < ($1["start"].double ?? 0) }
      try #require(longest.count == 3)
      for (job, span) in zip(longest, run.truth["spans"].items) {
        let truth = ((span["endNs"].double ?? 0) - (span["startNs"].double ?? 0)) / 1e9
        let length = job["durationSeconds"].double ?? 0
        // The job goes on a little before and after what the program times.
        #expect(length >= truth - 0.001 && length <= truth * 1.1 + 0.02, "\(job), not \(truth)")
        #expect(job["isMainActor"].bool == true)
        #expect(job["function"].string?.contains("runAsync") == true, "\(job)")
        #expect(job["tid"].double == span["tid"].double)
      }
      #expect(!concurrency["longestWaits"].items.isEmpty)
      #expect(concurrency["stopped"].string == nil)
      // The trace brings the names along.
      let elsewhere = try Recorded.report(run.trace, options: ["--full-names"])
      let full = elsewhere["signals"]["concurrency"]["longestJobs"].items.first?["function"].string
      #expect(full?.contains("lull_workload_async.AsyncWorkload") == true, "\(full ?? "none")")
    }

    @Test(arguments: Machine.usualAndPerf)
    func `jobs at a rate that would cost too much are not recorded on`(recorder: String) throws {
      let run = try Recorded(
        [Machine.asyncWorkload, "mode=hops", "count=400000"], options: ["--recorder", recorder])
      let stopped = run.signals["concurrency"]["stopped"].string
      #expect(stopped?.contains("2 %") == true, "\(run.signals["concurrency"])")
      let missing = run.report["capture"]["unavailable"].items.compactMap { $0["signal"].string }
      #expect(missing.contains("concurrency"))
      // Nearly all of them ran without being recorded.
      #expect((run.signals["concurrency"]["jobs"].double ?? .infinity) < 300_000)
    }

    @Test func `the program after one with too many jobs has its own told`() throws {
      let run = try Recorded(
        [
          "sh", "-c",
          "\(Machine.asyncWorkload) mode=hops count=400000; sleep 1;"
            + " exec \(Machine.asyncWorkload) mode=async-main count=3 ms=300 gap=600",
        ], options: ["--recorder", "perf"])
      let concurrency = run.signals["concurrency"]
      #expect(
        concurrency["stopped"].string?.contains("2 %") == true, "\(concurrency)")
      let long = concurrency["longestJobs"].items.filter {
        ($0["durationSeconds"].double ?? 0) > 0.25
      }
      #expect(long.count == 3, "\(concurrency)")
    }
  }
}
