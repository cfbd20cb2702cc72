import Foundation
import PerfData
import Testing
import TraceModel

extension EndToEnd {
  /// A program whose threads switch so often that events of the machine take the place of theirs.
  @Suite struct CPUWideTakeovers {
    @Test func `what a target does is told the same by events of the machine`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "rally path=\(target)", options: ["--recorder", "perf"], scratch: scratch)
      let capture = run.report["capture"]
      // They took over: the records of a CPU's switches are of another type than those of a thread's.
      let counts = try PerfDataFile(path: run.trace).recordCounts
      #expect(counts[RecordType.contextSwitchCPUWide, default: 0] > 10_000, "\(capture)")

      let trace = try Trace.load(path: run.trace)
      let threads = trace.threads(of: trace.subject.pid)
      let runs = threads.flatMap(\.intervals).count { $0.state == .running }
      let usage = run.truth["usage"]
      let switches = (usage["voluntarySwitches"].int ?? 0) + (usage["involuntarySwitches"].int ?? 0)
      #expect(abs(runs - switches) <= 12 + switches / 100, "\(runs) runs, \(usage)")

      // Also of threads that were born since.
      let network = run.signals["network"]
      for key in ["sends", "receives", "bytesSent", "bytesReceived"] {
        #expect(network[key].int == run.truth[key].int, "\(key): \(network[key]), \(capture)")
      }

      // How often it wrote is exact in any case: the file, and the line by which it ends.
      let writes = try #require(run.truth["writes"].int)
      let counted = capture["exactCounts"].items.first { $0["source"].string == "/proc/PID/io" }
      #expect(counted?["count"].int == writes + 1, "\(capture)")
      // By then it is recorded whole again, also a thread that was born since; unless others on the machine call the
      // kernel so often meanwhile, which events of the machine see, that they are recorded in slices: that is said.
      let end = (run.report["trace"]["durationSeconds"].double ?? 0) - 0.5
      let isWhole = !capture["sampled"].items.contains {
        $0["source"].string == "raw_syscalls:sys_exit" && ($0["end"].double ?? .infinity) > end
      }
      guard isWhole else { return }
      let file = run.file(target)
      #expect(file["writes"].int == writes, "\(capture)")
      #expect(file["bytesWritten"].int == run.truth["bytes"].int)
    }

    // Of 500 threads 31 were not recorded: they began while the events of those before were closed.
    @Test func `threads that begin as they take over are recorded whole`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let program = try scratch.program(
        "threads",
        """
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static int file;
        static void *run(void *none) {
          for (int index = 0; index < 20; index++) write(file, "0123456789", 10);
          for (int index = 0; index < 5; index++) usleep(10000);
          return none;
        }
        int main(int words, char **word) {
          pthread_t threads[500];
          file = open(word[1], O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
          for (int index = 0; index < 500; index++) pthread_create(threads + index, 0, run, 0);
          for (int index = 0; index < 500; index++) pthread_join(threads[index], 0);
          printf("{}\\n");
          return 0;
        }
        """)
      let run = try Recorded(
        [program, target], options: ["--recorder", "perf"], scratch: scratch)
      let capture = run.report["capture"]
      let isSampled = capture["sampled"].items.contains {
        $0["source"].string == "raw_syscalls:sys_exit"
      }
      guard !isSampled else { return }
      #expect(run.file(target)["writes"].int == 10_000, "\(capture)")
    }

    @Test func `a program that is started after they took over is followed`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let command =
        "\(Machine.workload) rally later=0 path=\(scratch.file("log")); "
        + "\(Machine.workload) appender writes=40 bytes=80 gap=5 path=\(target); true"
      let run = try Recorded(
        ["sh", "-c", command], options: ["--recorder", "perf"], scratch: scratch)
      let processes = run.report["processes"].items
      // The shell, and the two that it starts.
      #expect(processes.count == 3, "\(processes)")
      let appender = processes.first { $0["pid"].int == run.truth["pid"].int }
      #expect(appender?["bytesWritten"].int == run.truth["bytes"].int, "\(processes)")
      #expect((appender?["cpuSeconds"].double ?? 0) > 0)
    }
  }
}
