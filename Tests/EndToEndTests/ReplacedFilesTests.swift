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

    /// What the linker gives the program, and whether that is built anew before the report.
    struct Build: CustomTestStringConvertible {
      var identity: String
      var isNewer: Bool
      var testDescription: String { identity + (isNewer ? ", built anew" : "") }
      static let all = identities.flatMap { identity in
        [false, true].map { Build(identity: identity, isNewer: $0) }
      }
    }

    @Test(.enabled(if: Machine.tool("perf") != nil, "needs perf"), arguments: Build.all)
    func `a recording of perf's has no functions of a later build without a word`(build: Build)
      throws
    {
      let scratch = try Scratch()
      func compile(_ function: String) throws -> String {
        let source = """
          __attribute__((noinline)) void \(function)(void) {
            // The build id is of the code, without its names.
            for (volatile long i = 0; i < 20000000\(function.count); i++) {}
          }
          int main(void) { \(function)(); }
          """
        return try scratch.program(
          "main", source, ["-O1", "-Wl,--build-id=\(build.identity)"])
      }
      let program = try compile("early")
      let trace = scratch.file("perf.data")
      let perf = try Command.run([
        "perf", "record", "-q", "-e", "cpu-clock", "-g", "-o", trace, program,
      ])
      try #require(perf.status == 0, "\(perf.errors)")
      if build.isNewer { _ = try compile("afterwards") }
      let report = try Recorded.report(trace)
      let isTold = build.identity != "none"
      let functions = Self.seconds(report)
      #expect(((functions["early"] ?? 0) > 0.05) == !build.isNewer, "\(functions)")
      // Where nothing tells that it is another file it is said that it may be.
      #expect(((functions["afterwards"] ?? 0) > 0.05) == (build.isNewer && !isTold), "\(functions)")
      let (missing, doubts) = (report["trace"]["symbolProblems"], report["trace"]["nameDoubts"])
      let inDoubt = doubts.items.compactMap(\.string)
      #expect(inDoubt.count == (build.isNewer && !isTold ? 1 : 0), "\(doubts)")
      #expect(inDoubt.allSatisfy { $0.hasPrefix("\(program) has no build id") }, "\(doubts)")
      let changed = missing.items.filter { $0.string?.hasPrefix("\(program) changed") == true }
      #expect(changed.count == (build.isNewer && isTold ? 1 : 0), "\(missing)")
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
