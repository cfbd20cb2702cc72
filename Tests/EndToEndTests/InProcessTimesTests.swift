import Foundation
import Testing
import TraceModel

extension SideBySide {
  /// When calls were, as they are recorded within the process: by the processor's counter, where that can be.
  @Suite struct InProcessTimes {
    @Test(arguments: EndToEnd.InProcessConduct.Form.allCases)
    func `calls were when the program's own clock says`(form: EndToEnd.InProcessConduct.Form) throws
    {
      let scratch = try Scratch()
      let program = try EndToEnd.InProcessConduct.build(Self.source, "times", form, scratch)
      let (result, report, path) = try EndToEnd.InProcessConduct.record(
        [program, scratch.file("target")], form, scratch)
      #expect(result.status == 0 && report["trace"]["lostEvents"].int == 0)
      let stamps = result.text.split(separator: "\n").map { line in
        line.split(separator: " ").compactMap { UInt64($0) }
      }
      try #require(stamps.count == 4000)
      let trace = try Trace.load(path: path)
      var times: [Int: UInt64] = [:]
      for operation in trace.fileOperations where operation.path == scratch.file("target") {
        if operation.bytes > 0 { times[Int(operation.bytes)] = operation.time.nanoseconds }
      }
      #expect(times.count == 4000)
      for (index, stamp) in stamps.enumerated() {
        guard let time = times[index + 1] else { continue }
        // The clock's pace is corrected by half a microsecond in the millisecond that the counter is gone by.
        if time + 600 < stamp[0] || time > stamp[1] + 600 {
          Issue.record("write \(index) between \(stamp) was told at \(time)")
          break
        }
      }
    }

    @Test(.enabled(if: Machine.isRoot, Machine.needsRoot), arguments: [100_000, -100])
    func `a program in another time namespace was when the recorder's clock says`(ahead: Int) throws
    {
      let scratch = try Scratch()
      let space = ["unshare", "-T", "--monotonic", "\(ahead)"]
      try #require(try Command.run(space + ["true"]).status == 0)
      let program = try EndToEnd.InProcessConduct.build(
        Self.sleeping, "sleeping", .preloaded, scratch)
      let run = try Recorded(
        space + [program], options: ["--recorder", "process"], scratch: scratch)
      let (signals, report) = (run.report["signals"], run.report)
      // Ten sleeps of 50 ms for a length, ten of 30 ms until a time, ten periods of 20 ms of a timer.
      let length = report["trace"]["durationSeconds"].double ?? 0
      #expect((1...3).contains(length), "\(report["trace"])")
      #expect(abs((signals["mainThread"]["blockedSeconds"].double ?? 0) - 1) < 0.1)
      #expect(signals["wakeups"]["byCause"]["timer"].int == 30, "\(signals["wakeups"])")
      #expect((signals["mainThread"]["runnableSeconds"].double ?? 1) < 0.1)
    }

    private static let sleeping = """
      #include <stdint.h>
      #include <sys/timerfd.h>
      #include <time.h>
      #include <unistd.h>
      static struct timespec later(struct timespec time, long by) {
        time.tv_nsec += by;
        if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
        return time;
      }
      int main(void) {
        struct timespec time;
        for (int i = 0; i < 10; i++) usleep(50000);
        clock_gettime(CLOCK_MONOTONIC, &time);
        for (int i = 0; i < 10; i++) {
          time = later(time, 30000000);
          clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
        }
        int timer = timerfd_create(CLOCK_MONOTONIC, 0);
        struct itimerspec value = {{0, 20000000}, later(time, 20000000)};
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, NULL);
        uint64_t count;
        for (int i = 0; i < 10; i++) {
          struct pollfd { int fd; short events, returned; } one = {timer, 1, 0};
          poll(&one, 1ul, -1);
          read(timer, &count, sizeof count);
        }
        return 0;
      }
      """

    // Each write is of another size, so that none stands for others, and by its size it is known again.
    private static let source = """
      #include <fcntl.h>
      #include <stdio.h>
      #include <time.h>
      #include <unistd.h>
      enum { writes = 4000 };
      static char data[writes];
      static unsigned long long stamps[writes][2];
      static unsigned long long now(void) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1000000000ull + time.tv_nsec;
      }
      int main(int count, char **words) {
        int file = open(words[1], O_CREAT | O_WRONLY, 0600);
        for (int i = 0; i < writes; i++) {
          // Close together, and apart for longer than one look at the clock holds.
          if (i % 500 == 0) usleep(5000);
          stamps[i][0] = now();
          if (write(file, data, i + 1) != i + 1) return 1;
          stamps[i][1] = now();
        }
        close(file);
        for (int i = 0; i < writes; i++) printf("%llu %llu\\n", stamps[i][0], stamps[i][1]);
        return 0;
      }
      """
  }
}
