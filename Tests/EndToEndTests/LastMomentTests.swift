import Foundation
import Testing

extension EndToEnd {
  /// What a program leaves behind, holds and writes as it is stopped or ends.
  @Suite struct LastMoment {
    /// Locks a file and is stopped for a second, with the lock or after having let go of it; leaves or removes a
    /// temporary file; and saves as SIGTERM comes, for the first time or not.
    private static let program = """
      #include <fcntl.h>
      #include <poll.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/file.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static volatile int told;
      static void term(int number) { told = 1; }
      static void save(const char *path) {
        static char bytes[50000];
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (write(file, bytes, sizeof bytes) < 0) exit(1);
        close(file);
      }
      int main(int count, char **words) {
        int isBad = strcmp(words[1], "bad") == 0;
        signal(SIGTERM, term);
        poll(0, 0, 100);
        if (!isBad) save(words[3]);
        save(words[4]);
        if (!isBad) unlink(words[4]);
        int lock = open(words[2], O_RDWR | O_CREAT, 0600);
        flock(lock, LOCK_EX);
        poll(0, 0, 600);
        if (!isBad) flock(lock, LOCK_UN);
        poll(0, 0, 600);
        pid_t child = fork();
        if (child == 0) {
          usleep(900000); kill(getppid(), SIGCONT);
          usleep(500000); kill(getppid(), SIGTERM);
          _exit(0);
        }
        raise(SIGSTOP);
        while (!told) poll(0, 0, 5000);
        save(words[3]);
        waitpid(child, 0, 0);
        return 0;
      }
      """

    @Test(arguments: [true, false])
    func `locks, late saves and temporary files of a program that is stopped and told to end`(
      isBad: Bool
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program("p", Self.program)
      let folder = scratch.path + "/tmp"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let run = try Recorded(
        [program, isBad ? "bad" : "good", scratch.file("lock"), scratch.file("state"), "part"],
        // What the command line names is no temporary file.
        in: ["env", "-C", folder], scratch: scratch)
      let (locks, saves) = (run.audit("suspended-locks"), run.audit("late-saves"))
      #expect(locks["status"].string == (isBad ? "fail" : "pass"), "\(locks)")
      if isBad { #expect(locks["evidence"][0]["path"].string == scratch.file("lock")) }
      // Bad: 50 of 100 kB are first written at the end. Good: the last save repeats an earlier one.
      #expect(saves["value"].double == (isBad ? 50 : 0), "\(saves)")
      let left = run.audit("temporary-files")["evidence"].items.compactMap { $0["path"].string }
      #expect(left.contains(folder + "/part") == isBad, "\(left)")
    }

    /// Waits for events, and half a second into its life is stopped for 1.2 s in the midst of its turn.
    private static let stoppedProgram = """
      #include <signal.h>
      #include <sys/epoll.h>
      #include <sys/wait.h>
      #include <unistd.h>
      int main(void) {
        struct epoll_event event;
        int queue = epoll_create1(0);
        for (int i = 0; i < 20; i++) {
          epoll_wait(queue, &event, 1, 100);
          if (i != 5) continue;
          pid_t child = fork();
          if (child == 0) { usleep(1200000); kill(getppid(), SIGCONT); _exit(0); }
          raise(SIGSTOP);
          waitpid(child, 0, 0);
        }
        return 0;
      }
      """

    @Test func `a program that others stop does not hang`() throws {
      let scratch = try Scratch()
      let program = try scratch.program("p", Self.stoppedProgram)
      let run = try Recorded([program], scratch: scratch)
      #expect(run.hangs.isEmpty, "\(run.hangs)")
      #expect(run.mainThread["turns"].int ?? 0 > 15)
      #expect(run.mainThread["blockedSeconds"].double ?? 1 < 0.1, "\(run.mainThread)")
      let stopped = run.report["phases"].items.first { $0["name"].string == "background" }
      #expect(abs((stopped?["durationSeconds"].double ?? 0) - 1.2) < 0.1, "\(run.report["phases"])")
    }

    @Test func `property lists and the size of the code are looked at`() throws {
      let scratch = try Scratch()
      let list: [String: Any] = ["key": String(repeating: "value ", count: 4000)]
      var paths: [String] = []
      for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
        let data = try PropertyListSerialization.data(
          fromPropertyList: list, format: format, options: 0)
        paths.append(scratch.file("\(format.rawValue).plist"))
        try data.write(to: URL(fileURLWithPath: paths[paths.count - 1]))
      }
      let run = try Recorded(["cat"] + paths, scratch: scratch)
      let size = try Data(contentsOf: URL(fileURLWithPath: paths[1])).count
      let audit = run.audit("property-list-format")
      #expect(audit["value"].double == Double(size) / 1000, "\(audit)")
      let code = try Command.run(["sh", "-c", "readelf -lW $(command -v cat) | grep ' R E '"])
      let words = code.text.split(separator: " ")
      // "LOAD 0x002000 0x…2000 0x…2000 0x004e31 0x004e31 R E 0x1000": the sixth is the size in memory.
      if code.status == 0, words.count > 5, let bytes = Int(words[5].dropFirst(2), radix: 16) {
        #expect(run.audit("thumb-code")["value"].double == Double(bytes) / 1e6)
      }
    }
  }
}
