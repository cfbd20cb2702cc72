import Testing

extension EndToEnd {
  /// Event loops around poll().
  @Suite struct PollLoops {
    /// Of its own functions those that are not static keep their names without symbols, as an interpreter's do.
    private static let twoPaths = """
      #include <poll.h>
      #include <time.h>
      #include <unistd.h>
      static struct pollfd end = {0, POLLIN};
      static __attribute__((noinline)) void await(void) { poll(&end, 1, 50); __asm__ volatile(""); }
      static __attribute__((noinline)) void first(void) { await(); __asm__ volatile(""); }
      __attribute__((noinline)) void later(void) { await(); __asm__ volatile(""); }
      int main(void) {
        int ends[2];
        pipe(ends);
        end.fd = ends[0];
        struct timespec block = {0, 400000000};
        for (int turn = 0; turn < 40; turn++) {
          if (turn < 8) first(); else later();
          if (turn == 20) nanosleep(&block, 0);
        }
      }
      """

    // Idle servers of CPython 3.11 were one hang from the ninth turn of their loop on.
    @Test(arguments: ["perf", "kernel", "process", "outside"])
    func `a loop that comes to its wait by two paths is one`(recorder: String) throws {
      let scratch = try Scratch()
      let program = try scratch.program("paths", Self.twoPaths, ["-w", "-rdynamic", "-s"])
      let run = try Recorded([program], options: ["--recorder", recorder], scratch: scratch)
      // What comes before the first wait is a turn as well. From outside a wait of the loader's may be unknown, and is
      // taken for what nearly all others are.
      let turns = try #require(run.mainThread["turns"].int)
      #expect(turns == 41 || recorder == "outside" && turns == 42, "\(run.mainThread)")
      let long = run.mainThread["hangs"].items.filter {
        ($0["durationSeconds"].double ?? 0) > 0.3
      }
      #expect(long.count == 1 && isNear(long.first?["durationSeconds"].double, 0.4, slack: 0.05))
      #expect(isNear(long.first?["blockedByCause"]["sleep"].double, 0.4, slack: 0.05))
      #expect(isNear(run.mainThread["idleSeconds"].double, 2, slack: 0.3))
    }
  }
}
