import Foundation
import Testing

extension EndToEnd {
  /// A program in C that does what a library in front of the C library's functions may break.
  @Suite(.enabled(if: Machine.hasStrace, Machine.needsStrace))
  struct InProcessConduct {
    /// How the library comes into a program.
    enum Form: String, CaseIterable, CustomTestStringConvertible {
      case preloaded
      /// The program links LullAgent.
      case own

      var testDescription: String { rawValue }
    }

    private static let sources =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path + "/Sources"

    /// Makes a program of a text in C, in its folder. One that links the agent waits at its beginning until it is
    /// recorded, where `LULL_TEST_WAIT` is set.
    static func build(_ source: String, _ name: String, _ form: Form, _ scratch: Scratch) throws
      -> String
    {
      let program = scratch.file(name)
      try Data(source.utf8).write(to: URL(fileURLWithPath: program + ".c"))
      try Data(
        """
        #include <stdbool.h>
        #include <stdlib.h>
        #include <unistd.h>
        bool lull_agent_is_recording(void);
        __attribute__((constructor)) static void await(void) {
          for (int i = 0; getenv("LULL_TEST_WAIT") && i < 5000 && !lull_agent_is_recording(); i++) usleep(2000);
        }
        """.utf8
      ).write(to: URL(fileURLWithPath: scratch.file("await.c")))
      let agent = Self.sources + "/CLullAgent"
      let own = [
        "-I", Self.sources + "/CPreloadRing/include", "-I", agent + "/include",
        agent + "/children.c", agent + "/door.c", agent + "/recorder.c", scratch.file("await.c"),
      ]
      let built = try Command.run(
        ["cc", "-O1", "-w", "-o", program, program + ".c"] + (form == .own ? own : [])
          + ["-pthread"])
      try #require(built.status == 0, "\(built.errors)")
      return program
    }

    /// Records it from its first line on.
    static func record(_ words: [String], _ form: Form, _ scratch: Scratch) throws -> (
      result: CommandResult, report: JSON, trace: String
    ) {
      guard form == .own else {
        let run = try Recorded(words, options: ["--recorder", "process"], scratch: scratch)
        return (run.result, run.report, run.trace)
      }
      let program = try Command(words, environment: ["LULL_TEST_WAIT": "1"])
      usleep(200_000)
      let recorder = try Command.run([
        Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(program.pid)", "-o",
        scratch.file("t"),
      ])
      #expect(recorder.status == 0, "\(recorder.errors)")
      let trace = scratch.file("t")
      return (try program.finish(), try Recorded.report(trace), trace)
    }

    @Test(arguments: Form.allCases)
    func `streams, forks, cancellation and signals go on as they do alone`(form: Form) throws {
      let scratch = try Scratch()
      let program = try Self.build(Self.source, "conduct", form, scratch)
      let words = [program, scratch.path, "7"]
      let alone = try Command.run(words)
      let expected = try Strace.files(of: [program, scratch.path, "0"], scratch: scratch)
        .filter { $0.key.hasPrefix(scratch.path + "/w-") }
      #expect(expected.count == 4, "\(expected)")
      let run = try Self.record(words, form, scratch)
      #expect(run.result.text == alone.text)
      #expect(run.result.status == 7 && alone.status == 7)
      let disk = run.report["signals"]["disk"]
      for (path, activity) in expected where !path.hasSuffix("w-child") {
        let file = disk["files"].items.first { $0["path"].string == path }
        #expect(file?["writes"].int == activity.writes, "\(path): \(disk)")
        #expect(file?["bytesWritten"].int == activity.bytes, "\(path): \(disk)")
      }
      // A child without a program of its own is a process of its own.
      let child = run.report["processes"].items.filter { $0["bytesWritten"].int == 5 }
      #expect(child.count == 1, "\(run.report["processes"])")
      #expect(run.report["trace"]["lostEvents"].int == 0)
    }

    // Who found that another thread was just making room for more had none.
    @Test func `of many threads that begin at once each is recorded`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "threads",
        """
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static int file;
        static void *work(void *nothing) {
          for (int index = 0; index < 20; index++) write(file, "a row of a table", 16);
          usleep(200000);
          return nothing;
        }
        int main(int words, char **word) {
          static pthread_t threads[500];
          file = open(word[1], O_CREAT | O_WRONLY | O_APPEND, 0600);
          for (int index = 0; index < 500; index++) pthread_create(&threads[index], NULL, work, NULL);
          for (int index = 0; index < 500; index++) pthread_join(threads[index], NULL);
          puts("{}");
        }
        """, ["-pthread"])
      let run = try Recorded(
        [program, scratch.file("table")], options: ["--recorder", "process"], scratch: scratch)
      #expect(run.file(scratch.file("table"))["writes"].int == 10_000)
      #expect(run.report["process"]["threadCount"].int == 501)
    }

    @Test func `what a recorder that was killed leaves behind is removed by the next`() throws {
      let scratch = try Scratch()
      let folders = { () -> Set<String> in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        return Set(names.filter { $0.hasPrefix("lull-") && !$0.hasPrefix("lull-test-") })
      }
      let before = folders()
      let first = try Command([
        Machine.lull, "record", "-q", "--recorder", "process", "-o", scratch.file("first"), "--",
        "sleep", "2",
      ])
      for _ in 0..<200 where folders().subtracting(before).isEmpty { usleep(10_000) }
      let left = folders().subtracting(before)
      #expect(left.count == 1)
      usleep(200_000)
      kill(first.pid, SIGKILL)
      _ = try first.finish()
      #expect(folders().isSuperset(of: left))
      let second = try Command.run([
        Machine.lull, "record", "-q", "--recorder", "process", "-o", scratch.file("second"), "--",
        "true",
      ])
      #expect(second.status == 0, "\(second.errors)")
      #expect(folders().isDisjoint(with: left))
    }

    @Test(arguments: Form.allCases)
    func `samples leave a program's signals alone, and no program after it has theirs`(
      form: Form
    ) throws {
      let scratch = try Scratch()
      let program = try Self.build(Self.sampled, "samples", form, scratch)
      let next = try scratch.program(
        "static", "int main() { for (volatile long i = 0; i < 50000000; i++); }", ["-static"])
      let words = [program, next]
      let alone = try Command.run(words)
      let run = try Self.record(words, form, scratch)
      #expect(run.result.text == alone.text)
      #expect(alone.text.hasSuffix("all ended well\n"), "\(alone.text)")
      // The thread that blocks every signal, and makes no call, is seen as often as the other.
      let threads = run.report["signals"]["threads"].items.compactMap { $0["cpuSeconds"].double }
      #expect(threads.count == 2 && threads.allSatisfy { $0 > 0.29 }, "\(threads)")
      let told = run.report["blame"]["cpu"].items.filter {
        ["burn", "used"].contains($0["function"].string ?? "")
      }.compactMap { $0["selfSeconds"].double }.reduce(0, +)
      #expect(told > 0.5, "\(run.report["blame"]["cpu"])")
      #expect(run.report["trace"]["lostEvents"].int == 0)
    }

    @Test func `a library that is loaded as the program runs has its functions' names`() throws {
      let scratch = try Scratch()
      let library = scratch.file("late.so")
      let sources = [
        "late":
          "#include <unistd.h>\nvoid waits_late(void) { for (int i = 0; i < 5; i++) usleep(80000); }",
        "main": """
        #include <dlfcn.h>
        int main(int count, char **words) {
          void *library = dlopen(words[1], RTLD_NOW);
          ((void (*)(void))dlsym(library, "waits_late"))();
        }
        """,
      ]
      for (name, text) in sources {
        try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.file(name + ".c")))
      }
      for words in [
        ["-shared", "-fPIC", "-o", library, scratch.file("late.c")],
        ["-o", scratch.file("main"), scratch.file("main.c")],
      ] {
        let built = try Command.run(["cc", "-O0"] + words)
        try #require(built.status == 0, "\(built.errors)")
      }
      let run = try Recorded(
        [scratch.file("main"), library], options: ["--recorder", "process"], scratch: scratch)
      let functions = run.report["blame"]["blocked"].items.map { $0["function"].string }
      #expect(functions.contains("waits_late"), "\(run.report["blame"]["blocked"])")
    }

    /// Computes with all signals blocked, waits with time limits between computing, and becomes other programs while a
    /// sample is due.
    private static let sampled = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <poll.h>
      #include <pthread.h>
      #include <signal.h>
      #include <stdio.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      static double used(void) {
        struct timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec + time.tv_nsec / 1e9;
      }
      static void burn(double seconds) {
        double end = used() + seconds;
        volatile unsigned sum = 0;
        while (used() < end) for (int i = 0; i < 1000; i++) sum += i;
      }
      static void *computes(void *unused) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        burn(0.3);
        return unused;
      }
      static volatile int ends;
      static void handler(int number) { ends++; }
      int main(int count, char **words) {
        signal(SIGTERM, handler);
        struct sigaction action;
        sigaction(SIGTERM, NULL, &action);
        printf("handler %d\\n", action.sa_handler == handler);
        int others = 0;
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
          sigaction(number, NULL, &action);
          others += action.sa_handler != SIG_DFL;
        }
        printf("handlers of others %d\\n", others);
        pthread_t thread;
        pthread_create(&thread, NULL, computes, NULL);
        burn(0.3);
        pthread_join(thread, NULL);
        int interrupted = 0;
        struct timespec pause = {0, 500000};
        for (int i = 0; i < 100; i++) {
          burn(0.001);
          interrupted += nanosleep(&pause, NULL) < 0;
          interrupted += poll(NULL, 0, 1) < 0;
        }
        printf("interrupted %d\\n", interrupted);
        kill(getpid(), SIGTERM);
        printf("asked %d\\n", ends);
        int bad = 0;
        for (int i = 0; i < 60; i++) {
          pid_t child = i % 2 ? fork() : vfork();
          if (child == 0) {
            if (i % 2) burn(0.0005 * (i % 20));
            execl(i % 3 ? "/bin/true" : words[1], "next", NULL);
            _exit(1);
          }
          int status;
          waitpid(child, &status, 0);
          bad += status != 0;
        }
        // Who has use for the samples' signal has it.
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
          signal(number, handler);
          ends = 0;
          raise(number);
          bad += ends != 1;
        }
        printf(bad ? "%d ended badly\\n" : "all ended well\\n", bad);
      }
      """

    private static let source = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <fcntl.h>
      #include <pthread.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/time.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      static char folder[200], path[300];
      static const char *at(const char *name) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        return path;
      }
      static void *forks(void *unused) {
        pid_t child = fork();
        if (child == 0) {
          int file = open(at("w-child"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
          write(file, "child", 5);
          _exit(3);
        }
        int status = 0;
        waitpid(child, &status, 0);
        printf("child %d\\n", WEXITSTATUS(status));
        return unused;
      }
      static void *sleeps(void *unused) {
        sleep(100);
        return unused;
      }
      static void handler(int number) { errno = 0; }
      int main(int count, char **words) {
        strcpy(folder, words[1]);
        FILE *stream = fopen(at("w-stream"), "w");
        for (int i = 0; i < 2000; i++) fprintf(stream, "line %d\\n", i);
        fclose(stream);
        pthread_t thread;
        pthread_create(&thread, NULL, forks, NULL);
        pthread_join(thread, NULL);
        pid_t child = vfork();
        if (child == 0) {
          close(0);
          execl("/bin/true", "true", NULL);
          _exit(9);
        }
        int status = 0;
        waitpid(child, &status, 0);
        printf("vfork %d %d\\n", WEXITSTATUS(status), fcntl(0, F_GETFD));
        pthread_create(&thread, NULL, sleeps, NULL);
        usleep(50000);
        pthread_cancel(thread);
        void *result;
        pthread_join(thread, &result);
        printf("cancelled %d\\n", result == PTHREAD_CANCELED);
        struct sigaction action = {.sa_handler = handler};
        sigaction(SIGALRM, &action, NULL);
        struct itimerval timer = {.it_value = {0, 20000}};
        setitimer(ITIMER_REAL, &timer, NULL);
        struct timespec length = {5, 0};
        int slept = nanosleep(&length, &length);
        printf("interrupted %d %d %d\\n", slept, errno == EINTR, length.tv_sec == 4);
        int failed = write(-1, "x", 1) < 0 && errno == EBADF;
        failed += open("/nowhere/at/all", O_RDONLY) < 0 && errno == ENOENT;
        printf("errno %d\\n", failed);
        closefrom(3);
        int file = open(at("w-after"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        printf("descriptor %d\\n", file);
        for (int i = 0; i < 300; i++) write(file, "0123456789", 10);
        for (int i = 0; i < 30; i++) pwrite(file, "abc", 3, i * 5);
        dup2(file, 50);
        write(50, "dup", 3);
        file = creat(at("w-large"), 0600);
        char *large = calloc(1, 300000);
        write(file, large, 300000);
        fsync(file);
        fflush(stdout);
        _exit(atoi(words[2]));
      }
      """
  }
}
