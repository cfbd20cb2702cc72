import Foundation
import Testing

extension EndToEnd {
  /// Handlers of signals that come in the midst of a wait: what they do is none of it, and they may not go back to it.
  @Suite struct InProcessHandlers {
    typealias Form = InProcessConduct.Form

    /// What a handler does, ten times, a tenth of a second apart, while its thread reads from a pipe for a second.
    struct Work: CustomTestStringConvertible {
      var name: String
      /// CPU time and sleep of each.
      var computes = 0.0
      var sleeps = 0.0
      var writes = 0

      var testDescription: String { name }
      static let all = [
        Work(name: "write", writes: 1), Work(name: "compute", computes: 0.03),
        Work(name: "sleep", sleeps: 0.02), Work(name: "mix", computes: 0.02, writes: 2),
      ]
    }

    @Test(arguments: Form.allCases, Work.all)
    func `a wait is as long as it was, and what the handler does its own`(
      form: Form, work: Work
    ) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.source, "handlers", form, scratch)
      let file = scratch.file("ticks")
      let (result, report, _) = try InProcessConduct.record(
        [program, work.name, file], form, scratch)
      let truth = try JSON(lastLineOf: result.text)
      let (cpu, length) = (truth["cpu"].double ?? -1, truth["length"].double ?? -1)
      let handled = truth["handled"].double ?? -1
      #expect(truth["handlers"].int == 10 && length > 0.99)
      let (signals, main) = (report["signals"], report["signals"]["mainThread"])
      #expect(abs((signals["cpu"]["totalSeconds"].double ?? 0) - cpu) < 0.01, "\(signals["cpu"])")
      let blocked = main["blockedByCause"]
      // The read took what the handlers left of it, by the program's own clock. Who asks a program to be recorded may
      // begin a little later than that finds out.
      #expect(abs((blocked["ipc"].double ?? 0) - (length - handled)) < 0.05, "\(blocked)")
      #expect(abs((blocked["sleep"].double ?? 0) - 10 * work.sleeps) < 0.02, "\(blocked)")
      let reads = main["blockings"].items.filter { $0["cause"].string == "ipc" }
      #expect(reads.first?["stack"].items.contains { $0["function"].string == "main" } == true)
      // The alarm ended it each time, which its period shows.
      let wakeups = signals["wakeups"]
      let timers = 10 + (work.sleeps > 0 ? 10 : 0)
      #expect(wakeups["byCause"]["timer"].int == timers, "\(wakeups)")
      #expect(abs((wakeups["total"].int ?? 0) - timers - 1) <= 2, "\(wakeups)")
      let period = wakeups["timers"].items.first?["periodSeconds"].double ?? 0
      #expect(abs(period - 0.1) < 0.002, "\(wakeups)")
      let ticks = signals["disk"]["files"].items.first { $0["path"].string == file }
      #expect((ticks?["writes"].int ?? 0) == 10 * work.writes, "\(signals["disk"])")
    }

    @Test(arguments: Form.allCases, ["shallow", "deep", "silent"])
    func `a call that a handler jumped out of goes on no more`(form: Form, where place: String)
      throws
    {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.jumping, "jumping", form, scratch)
      let (result, report, _) = try InProcessConduct.record([program, place], form, scratch)
      let cpu = try JSON(lastLineOf: result.text)["cpu"].double ?? -1
      let signals = report["signals"]
      // It reads for half a second, and computes for one. What it computes after the last call is seen by samples.
      #expect(cpu > 0.9)
      #expect(abs((signals["cpu"]["totalSeconds"].double ?? 0) - cpu) < 0.02, "\(signals["cpu"])")
      let blocked = signals["mainThread"]["blockedByCause"]
      #expect(abs((blocked["ipc"].double ?? 0) - 0.5) < 0.05, "\(blocked)")
      let sleep = place == "silent" ? 0 : 0.1
      #expect(abs((blocked["sleep"].double ?? 0) - sleep) < 0.02, "\(blocked)")
    }

    // Calls that take as long to be told as to be made, and a thousand jumps a second out of them.
    @Test(arguments: Form.allCases)
    func `a handler that jumps out while a call is being told ends nothing`(form: Form) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.leaving, "leaving", form, scratch)
      let file = scratch.file("after")
      let (result, report, _) = try InProcessConduct.record([program, file], form, scratch)
      let truth = try JSON(lastLineOf: result.text)
      #expect((truth["jumps"].int ?? 0) >= 300)
      // Of the thread all is told that it did after the last one.
      let after = report["signals"]["disk"]["files"].items.first { $0["path"].string == file }
      #expect(after?["writes"].int == 100 && after?["bytesWritten"].int == 400, "\(truth)")
      let sleep = report["signals"]["mainThread"]["blockedByCause"]["sleep"].double ?? 0
      #expect(abs(sleep - 0.1) < 0.02, "\(sleep)")
    }

    @Test(arguments: Form.allCases)
    func `a program's handlers are what it set, and are told what they are told alone`(
      form: Form
    ) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.asking, "asking", form, scratch)
      let alone = try Command.run([program])
      let (result, _, _) = try InProcessConduct.record([program], form, scratch)
      #expect(result.text == alone.text)
      #expect(alone.text.contains("handler 1 flags") && result.status == 0)
    }

    private static let clock = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <setjmp.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/time.h>
      #include <time.h>
      #include <unistd.h>
      static double at(clockid_t clock) {
        struct timespec time;
        clock_gettime(clock, &time);
        return time.tv_sec + time.tv_nsec * 1e-9;
      }
      static void compute(double length) {
        double end = at(CLOCK_THREAD_CPUTIME_ID) + length;
        while (at(CLOCK_THREAD_CPUTIME_ID) < end) {}
      }

      """

    private static let leaving =
      clock + """
        static sigjmp_buf place;
        static volatile int jumps;
        static void leave(int number) { siglongjmp(place, 1); }
        int main(int count, char **words) {
          struct sigaction action = {.sa_handler = leave, .sa_flags = SA_RESTART};
          sigaction(SIGALRM, &action, NULL);
          int null = open("/dev/null", O_WRONLY);
          struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
          if (sigsetjmp(place, 1)) jumps++;
          if (jumps < 300) {
            setitimer(ITIMER_REAL, &often, NULL);
            for (;;) write(null, "", 1);
          }
          setitimer(ITIMER_REAL, &never, NULL);
          int file = open(words[1], O_CREAT | O_WRONLY, 0600);
          for (int i = 0; i < 100; i++) {
            write(file, "tick", 4);
            usleep(1000);
          }
          printf("{\\"jumps\\": %d}\\n", jumps);
          return 0;
        }
        """

    private static let source =
      clock + """
        static const char *work;
        static int file;
        static volatile int handlers;
        static volatile double handled;
        static void on(int number) {
          double began = at(CLOCK_MONOTONIC);
          if (!strcmp(work, "write")) write(file, "tick", 4);
          if (!strcmp(work, "compute")) compute(0.03);
          if (!strcmp(work, "sleep")) usleep(20000);
          if (!strcmp(work, "mix")) write(file, "a", 1), compute(0.02), write(file, "b", 1);
          handlers++;
          handled += at(CLOCK_MONOTONIC) - began;
        }
        int main(int count, char **words) {
          work = words[1];
          file = open(words[2], O_CREAT | O_WRONLY, 0600);
          struct sigaction action = {.sa_handler = on, .sa_flags = SA_RESTART};
          sigaction(SIGALRM, &action, NULL);
          int ends[2];
          pipe(ends);
          if (!fork()) {
            usleep(1070000);
            write(ends[1], "x", 1);
            _exit(0);
          }
          struct itimerval timer = {{0, 100000}, {0, 100000}};
          char byte;
          double began = at(CLOCK_MONOTONIC);
          setitimer(ITIMER_REAL, &timer, NULL);
          read(ends[0], &byte, 1);
          double length = at(CLOCK_MONOTONIC) - began;
          memset(&timer, 0, sizeof timer);
          setitimer(ITIMER_REAL, &timer, NULL);
          printf("{\\"cpu\\": %f, \\"length\\": %f, \\"handled\\": %f, \\"handlers\\": %d}\\n",
                 at(CLOCK_PROCESS_CPUTIME_ID), length, handled, handlers);
          return 0;
        }
        """

    private static let jumping =
      clock + """
        static sigjmp_buf place;
        static void on(int number) { siglongjmp(place, 1); }
        __attribute__((noinline)) static void await(void) {
          int ends[2];
          char byte;
          pipe(ends);
          read(ends[0], &byte, 1);
        }
        __attribute__((noinline)) static void deep(int level) {
          volatile char room[1024];
          room[0] = level;
          if (level) deep(level - 1);
          else compute(0.5), usleep(100000), compute(0.5);
          room[1] = level;
        }
        int main(int count, char **words) {
          struct sigaction action = {.sa_handler = on};
          sigaction(SIGALRM, &action, NULL);
          struct itimerval timer = {{0, 0}, {0, 500000}};
          setitimer(ITIMER_REAL, &timer, NULL);
          if (!sigsetjmp(place, 1)) await();
          if (!strcmp(words[1], "shallow")) compute(0.5), usleep(100000), compute(0.5);
          if (!strcmp(words[1], "deep")) deep(20);
          if (!strcmp(words[1], "silent")) compute(1);
          printf("{\\"cpu\\": %f}\\n", at(CLOCK_PROCESS_CPUTIME_ID));
          return 0;
        }
        """

    private static let asking = """
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static volatile int first, second, code, value, known;
      static void plain(int number) { first = number; }
      static void told(int number, siginfo_t *information, void *context) {
        second = number, code = information->si_code, value = information->si_value.sival_int;
        known = context != NULL && information->si_pid == getpid();
      }
      static void show(int number) {
        struct sigaction now;
        sigaction(number, NULL, &now);
        printf("handler %d flags %x mask %d\\n",
               (void *)now.sa_sigaction == (void *)plain ? 1 : (void *)now.sa_sigaction == (void *)told ? 2
               : now.sa_handler == SIG_DFL ? 3 : now.sa_handler == SIG_IGN ? 4 : 5,
               now.sa_flags, sigismember(&now.sa_mask, SIGHUP));
      }
      int main(void) {
        int all[] = {SIGUSR1, SIGTERM, SIGALRM, SIGCHLD, SIGSEGV, SIGRTMIN + 3};
        for (int i = 0; i < 6; i++) {
          struct sigaction action = {.sa_handler = plain, .sa_flags = SA_RESTART};
          show(all[i]);
          sigaction(all[i], &action, NULL);
          sigaddset(&action.sa_mask, SIGHUP);
          show(all[i]);
          raise(all[i]);
          printf("%d\\n", first == all[i]);
          action.sa_sigaction = told, action.sa_flags = SA_SIGINFO | SA_NODEFER;
          sigaction(all[i], &action, NULL);
          show(all[i]);
          sigqueue(getpid(), all[i], (union sigval){.sival_int = 42 + i});
          printf("%d %d %d %d\\n", second == all[i], code, value, known);
          action.sa_handler = plain, action.sa_flags = SA_RESETHAND;
          sigaction(all[i], &action, NULL);
          show(all[i]);
          raise(all[i]);
          show(all[i]);
          printf("%d\\n", signal(all[i], plain) == SIG_DFL);
          printf("%d\\n", signal(all[i], SIG_IGN) == plain);
          show(all[i]);
          printf("%d\\n", signal(all[i], SIG_DFL) == SIG_IGN);
        }
        return 0;
      }
      """
  }
}
