import Foundation
import Testing

extension EndToEnd {
  /// Threads that are not made by pthread_create: C11's, and those that the C library makes for itself.
  @Suite struct InProcessThreads {
    @Test(arguments: InProcessConduct.Form.allCases)
    func `threads of C11 compute, sleep and wait for each other as others do`(
      form: InProcessConduct.Form
    ) throws {
      let (signals, report) = try record("standard", form)
      let threads = signals["threads"].items.compactMap { $0["cpuSeconds"].double }
      #expect(threads.contains { abs($0 - 0.3) < 0.03 }, "\(threads)")
      let computed = report["blame"]["cpu"].items.first { $0["function"].string == "computes" }
      #expect((computed?["selfSeconds"].double ?? 0) > 0.25, "\(report["blame"]["cpu"])")
      let wakeups = signals["wakeups"]
      #expect(abs((wakeups["byCause"]["timer"].int ?? 0) - 50) <= 3, "\(wakeups)")
      // It waits until the one has computed and the other has slept.
      let locked = signals["mainThread"]["blockedByCause"]["lock"].double ?? 0
      #expect(locked > 0.45, "\(signals["mainThread"])")
    }

    @Test(arguments: InProcessConduct.Form.allCases)
    func `CPU time of threads that the library makes for itself is the program's`(
      form: InProcessConduct.Form
    ) throws {
      let (signals, _) = try record("timer", form)
      // By /proc, which counts in hundredths of a second, in user and in system time.
      let cpu = signals["cpu"]["totalSeconds"].double ?? 0
      #expect(cpu > 0.17 && cpu < 0.3, "\(signals["cpu"])")
    }

    private func record(
      _ mode: String, _ form: InProcessConduct.Form
    ) throws -> (signals: JSON, report: JSON) {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.source, "threads", form, scratch)
      let (result, report, _) = try InProcessConduct.record([program, mode], form, scratch)
      #expect(result.status == 0, "\(result)")
      return (report["signals"], report)
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <signal.h>
      #include <string.h>
      #include <threads.h>
      #include <time.h>
      #include <unistd.h>
      static __attribute__((noinline)) void computes(double length) {
        struct timespec begun, now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
        do {
          for (volatile int index = 0; index < 10000; index++);
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while (now.tv_sec - begun.tv_sec + (now.tv_nsec - begun.tv_nsec) / 1e9 < length);
      }
      static int works(void *unused) {
        computes(0.3);
        return 0;
      }
      static int sleeps(void *unused) {
        for (int i = 0; i < 50; i++) thrd_sleep(&(struct timespec){0, 10000000}, NULL);
        return 0;
      }
      static void expires(union sigval value) { computes(0.02); }
      int main(int count, char **words) {
        if (!strcmp(words[1], "standard")) {
          thrd_t threads[2];
          thrd_create(&threads[0], works, NULL);
          thrd_create(&threads[1], sleeps, NULL);
          for (int i = 0; i < 2; i++) thrd_join(threads[i], NULL);
        } else {
          struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expires};
          struct itimerspec times = {{0, 50000000}, {0, 50000000}}, none = {{0, 0}, {0, 0}};
          timer_t timer;
          timer_create(CLOCK_MONOTONIC, &event, &timer);
          timer_settime(timer, 0, &times, NULL);
          usleep(525000);
          timer_settime(timer, 0, &none, NULL);
          usleep(100000);
        }
        return 0;
      }
      """
  }
}
