import Foundation
import Testing

extension EndToEnd {
  /// A process that is held by SIGSTOP neither waits for what it waits for otherwise, nor for a CPU.
  @Suite struct InProcessStops {
    @Test(arguments: InProcessConduct.Form.allCases, ["compute", "sleep"])
    func `a stopped process waits for nothing`(form: InProcessConduct.Form, work: String) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.source, "stopped", form, scratch)
      let (result, report, _) = try InProcessConduct.record([program, work], form, scratch)
      let length = try JSON(lastLineOf: result.text)["length"].double ?? -1
      #expect(length > 2, "\(result)")
      let signals = report["signals"]
      let main = signals["mainThread"]
      // A second each of work and of being held, by construction: when it was held is seen to 50 ms.
      let blocked = main["blockedSeconds"].double ?? 9
      let cpu = signals["cpu"]["totalSeconds"].double ?? 0
      #expect(abs(blocked - (work == "sleep" ? 1 : 0)) < 0.12, "\(main)")
      #expect(abs(cpu - (work == "sleep" ? 0 : 1)) < 0.03, "\(signals["cpu"])")
      #expect((main["runnableSeconds"].double ?? 9) < 0.12, "\(main)")
    }

    private static let source = """
      #include <signal.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      static double at(clockid_t clock) {
        struct timespec time;
        clock_gettime(clock, &time);
        return time.tv_sec + time.tv_nsec * 1e-9;
      }
      int main(int count, char **words) {
        pid_t own = getpid();
        double began = at(CLOCK_MONOTONIC);
        if (!fork()) {
          usleep(500000);
          kill(own, SIGSTOP);
          usleep(1000000);
          kill(own, SIGCONT);
          _exit(0);
        }
        double end = at(CLOCK_PROCESS_CPUTIME_ID) + 1;
        if (!strcmp(words[1], "compute")) {
          while (at(CLOCK_PROCESS_CPUTIME_ID) < end) {}
        } else {
          // The one that is cut short by the stop goes on until its time is over.
          for (int i = 0; i < 10; i++) usleep(100000);
          while (at(CLOCK_MONOTONIC) < began + 2.02) usleep(10000);
        }
        printf("{\\"length\\": %f}\\n", at(CLOCK_MONOTONIC) - began);
        return 0;
      }
      """
  }
}
