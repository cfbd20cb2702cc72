import Foundation
import Quantities
import Testing
import TraceModel

extension EndToEnd {
  /// Children that are over within hundredths of a second, most of which they are being loaded.
  @Suite struct ShortChildren {
    enum Way: String, CaseIterable, CustomTestStringConvertible {
      /// After the child has computed for a while.
      case fork
      case vfork
      case spawn
      /// What is asked for first is not there.
      case search

      var testDescription: String { rawValue }
    }

    /// Their CPU time, as wait4(2) tells it of each, is theirs from the beginning, and so is what they run.
    @Test(
      .enabled(if: Rung.areThere, Rung.needsTools),
      arguments: Way.allCases, [Rung.root, .user, .dockerUser])
    func `a short child has its CPU time and its program however it is started`(
      way: Way, rung: Rung
    ) throws {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.source, "starter", .preloaded, scratch)
      let words = [program, way.rawValue, Machine.workload, scratch.file("log")]
      let run = try Recorded(
        words, in: rung.words(writingTo: scratch), options: ["--recorder", "process"],
        scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.signal ?? 0): \(run.result.errors)")
      let trace = try Trace.load(path: run.trace)
      var (told, counted) = (0.0, 0.0)
      let children = run.truth["children"].items
      try #require(children.count == 6)
      for child in children {
        let pid = Int32(try #require(child["pid"].int))
        let process = try #require(trace.processes.first { $0.pid == pid })
        #expect(process.name == "lull-workload")
        #expect(process.executable == Machine.workload)
        #expect(process.isSwift)
        #expect(process.codeBytes ?? 0 > 100_000)
        for interval in trace.threads(of: pid).flatMap(\.intervals) where interval.state == .running
        {
          told += (interval.end - interval.start).seconds
        }
        counted += child["cpu"].double ?? 0
        // It computes for 10 ms before it runs the program.
        if way == .fork {
          let own = (process.programStart ?? process.start) - process.start
          #expect(own.seconds >= 0.01, "\(own.seconds) s")
        }
      }
      // The kernel goes on to count until all of its memory is given back. Who is kept from its CPU for less than half
      // a millisecond is taken to run.
      #expect((0.75 * counted...1.05 * counted + 0.006).contains(told), "\(told) s of \(counted) s")
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <spawn.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/resource.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>

      extern char **environ;

      static void compute(double seconds) {
        struct timespec now;
        do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        while (now.tv_sec + now.tv_nsec / 1e9 < seconds);
      }

      int main(int count, char **words) {
        char path[4096];
        snprintf(path, sizeof path, "path=%s", words[3]);
        char *arguments[] = {words[2], "appender", "writes=3", "gap=1", path, NULL};
        // The children's lines come before the last one.
        setvbuf(stdout, NULL, _IOFBF, 4096);
        printf("{\\"children\\": [");
        for (int index = 0; index < 6; index++) {
          pid_t pid;
          if (strcmp(words[1], "spawn") == 0) {
            posix_spawn(&pid, words[2], NULL, NULL, arguments, environ);
          } else if (strcmp(words[1], "vfork") == 0) {
            if ((pid = vfork()) == 0) {
              execv(words[2], arguments);
              _exit(127);
            }
          } else if ((pid = fork()) == 0) {
            if (strcmp(words[1], "search") == 0) execv("/nowhere/lull-workload", arguments);
            else {
              usleep(1000);
              compute(0.01);
            }
            execv(words[2], arguments);
            _exit(127);
          }
          struct rusage used;
          int status;
          if (wait4(pid, &status, 0, &used) != pid || status != 0) return 1;
          double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
          cpu += (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
          printf("%s{\\"pid\\": %d, \\"cpu\\": %.6f}", index ? ", " : "", pid, cpu);
        }
        printf("]}\\n");
        return 0;
      }
      """
  }
}
