import Foundation
import Testing

extension EndToEnd {
  /// System calls by function, against programs that say how many they made and how long they took.
  @Suite struct FunctionCalls {
    @Test(arguments: ["perf", "process"])
    func `waits in a lock are told by call and function, writes are counted`(recorder: String)
      throws
    {
      let run = try Recorded(
        workload: "blocker cause=lock count=3 ms=200", options: ["--recorder", recorder])
      let waits = run.report["blame"]["calls"].items.filter {
        ["futex", "pthread_mutex_lock"].contains($0["call"].string)
          && $0["function"].string?.contains("closure #2 in makeLockBlock") == true
      }
      let seconds = waits.reduce(0) { $0 + ($1["seconds"].double ?? 0) }
      let told = run.truth["spans"].items.reduce(0) {
        $0 + (($1["endNs"].double ?? 0) - ($1["startNs"].double ?? 0)) / 1e9
      }
      #expect(abs(seconds - told) < 0.1, "\(run.report["blame"]["calls"]) of \(told)")
      #expect(waits.reduce(0) { $0 + ($1["waits"].int ?? 0) } >= 3)

      let writer = try Recorded(
        workload: "appender writes=30 gap=5 path=/var/tmp/lull-calls-\(getpid()).log",
        options: ["--recorder", recorder])
      let writes = writer.report["blame"]["calls"].items.filter { $0["call"].string == "write" }
      // Thirty, and the line that it prints at its end.
      let counted = writes.reduce(0) { $0 + ($1["calls"].double ?? 0) }
      #expect((29.5...31.5).contains(counted), "\(writer.report["blame"]["calls"])")
    }
  }
}
