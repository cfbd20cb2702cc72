import Foundation
import Testing

extension EndToEnd {
  /// Files that another takes the place of, at the same path: a library that is loaded again, a program that is
  /// installed anew. `swift build` gives its programs no build id, by which they would be told from each other.
  @Suite struct ReplacedFiles {
    /// How the linker is asked for a build id.
    static let identities = ["none", "sha1"]

    @Test(arguments: ["auto", "perf", "process"], identities)
    func `a library that is loaded anew has the functions of its own`(
      recorder: String, identity: String
    ) throws {
      // Within the process what is loaded is looked for now and then: a mapping where another was would be that one.
      let (scratch, words) = try Self.program(identity, isLarger: recorder == "process")
      let run = try Recorded(words, options: ["--recorder", recorder], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result)")
      let seconds = Self.seconds(run.report)
      for name in ["first", "second"] {
        #expect(abs((seconds[name] ?? 0) - 0.3) < 0.1, "\(seconds)")
      }
    }

    /// When the library is replaced.
    enum Moment: CaseIterable { case during, after }

    @Test(arguments: identities, Moment.allCases)
    func `a library that is replaced keeps the functions that it had when it was recorded`(
      identity: String, moment: Moment
    ) throws {
      let (scratch, words) = try Self.program(identity)
      let target = try Command([words[0], words[1]])
      usleep(100_000)
      let trace = scratch.file("attached")
      let lull = try Command([
        Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "800ms", "-o", trace,
      ])
      usleep(400_000)
      if moment == .during { #expect(rename(words[2], words[1]) == 0) }
      let result = try lull.finish()
      if moment == .after { #expect(rename(words[2], words[1]) == 0) }
      kill(target.pid, SIGKILL)
      _ = try target.finish()
      try #require(result.status == 0, "\(result.errors)")
      let seconds = Self.seconds(try Recorded.report(trace))
      let all = seconds.values.reduce(0, +)
      #expect(all > 0.1 && (seconds["first"] ?? 0) > 0.95 * all, "\(seconds)")
    }

    @Test(
      .enabled(if: Machine.tool("perf") != nil, "needs perf"), arguments: [false, true])
    func `names of a program that is younger than its recording by perf are in doubt`(
      isNewer: Bool
    ) throws {
      let scratch = try Scratch()
      let source = "int main(void) { for (volatile long i = 0; i < 200000000; i++) {} }"
      let options = ["-O0", "-Wl,--build-id=none"]
      let program = try scratch.program("main", source, options)
      let trace = scratch.file("perf.data")
      let perf = try Command.run([
        "perf", "record", "-q", "-e", "cpu-clock", "-g", "-o", trace, program,
      ])
      try #require(perf.status == 0, "\(perf.errors)")
      if isNewer { _ = try scratch.program("main", source, options) }
      let doubts = try Recorded.report(trace)["trace"]["nameDoubts"].items.compactMap(\.string)
      #expect(doubts.count == (isNewer ? 1 : 0), "\(doubts)")
      #expect(doubts.allSatisfy { $0.hasPrefix("\(program) has no build id") }, "\(doubts)")
    }

    /// CPU time by function.
    private static func seconds(_ report: JSON) -> [String: Double] {
      Dictionary(
        report["blame"]["cpu"].items.compactMap { row in
          row["selfSeconds"].double.map { (row["function"].string ?? "", $0) }
        }, uniquingKeysWith: +)
    }

    /// A program that is given a library, of which it runs what it has, and another to put in its place, of which it
    /// then runs that; without another it goes on.
    private static func program(
      _ identity: String, isLarger: Bool = false
    ) throws -> (Scratch, [String]) {
      let scratch = try Scratch()
      let main = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdio.h>
        static int run(const char *path) {
          void *library = dlopen(path, RTLD_NOW);
          void (*work)(void) = library ? (void (*)(void))dlsym(library, "work") : NULL;
          if (!work) return 1;
          work();
          return dlclose(library);
        }
        int main(int count, char **words) {
          if (count < 3) {
            void (*work)(void) = (void (*)(void))dlsym(dlopen(words[1], RTLD_NOW), "work");
            for (;;) work();
          }
          if (run(words[1]) || rename(words[2], words[1])) return 1;
          return run(words[1]);
        }
        """
      let words = [
        try scratch.program("main", main, ["-O0"]),
        try library("first", identity, 0, scratch),
        try library("second", identity, isLarger ? 1 << 20 : 0, scratch),
      ]
      return (scratch, words)
    }

    private static func library(
      _ name: String, _ identity: String, _ room: Int, _ scratch: Scratch
    ) throws -> String {
      // Without more room as long as each other: the one's code is where the other's was.
      let source = """
        #include <time.h>
        const char room[\(room) + 1] = "more";
        static double used(void) {
          struct timespec time;
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
          return time.tv_sec + time.tv_nsec * 1e-9;
        }
        __attribute__((noinline)) static void \(name)(void) {
          for (volatile int i = 0; i < 1000000; i++) {}
        }
        void work(void) { for (double end = used() + 0.3; used() < end;) \(name)(); }
        """
      return try scratch.program(
        "\(name).so", source,
        ["-O0", "-shared", "-fPIC", "-Wl,--build-id=\(identity)"])
    }
  }
}
