import Foundation
import TestSupport
import Testing

extension SideBySide {
  @Suite struct Reads {
    /// Reads files in small pieces, one of them between reads of a pipe, and numbers are given to one file after the
    /// other. Prints how many calls brought something, and the bytes.
    private static let reader = """
      #include <fcntl.h>
      #include <poll.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/uio.h>
      #include <unistd.h>
      static long reads, bytes;
      static long count(long got) { if (got > 0) { reads++; bytes += got; } return got; }
      __attribute__((noinline)) void read_notes(const char *folder, int files) {
        char path[4096], room[512];
        for (int number = 0; number < files; number++) {
          snprintf(path, sizeof path, "%s/note%d", folder, number);
          int file = open(path, O_RDONLY);
          while (count(read(file, room, sizeof room)) > 0);
          close(file);
        }
      }
      __attribute__((noinline)) void scan(const char *path, int *ends) {
        char room[300];
        int file = open(path, O_RDONLY);
        for (int index = 0; index < 6000; index++) {
          count(read(file, room, 1 + index % 97));
          if (index % 10) continue;
          write(ends[1], room, 8);
          read(ends[0], room, 8);
        }
        close(file);
        file = open(path, O_RDONLY);
        for (int index = 0; index < 50; index++) count(pread(file, room, 200, index * 1000));
        poll(0, 0, 250);
        struct iovec parts[2] = {{room, 100}, {room + 100, 150}};
        count(readv(file, parts, 2));
        close(file);
      }
      int main(int words, char **word) {
        int ends[2];
        pipe(ends);
        read_notes(word[1], 200);
        long note_reads = reads, note_bytes = bytes;
        reads = bytes = 0;
        // Stacks are taken of some: what has none is taken to be where the thread was seen nearest in time.
        poll(0, 0, 100);
        scan(word[2], ends);
        poll(0, 0, 250);
        printf("{\\"noteReads\\": %ld, \\"noteBytes\\": %ld, \\"reads\\": %ld, \\"bytes\\": %ld}\\n", note_reads,
               note_bytes, reads, bytes);
        return 0;
      }
      """

    @Test(arguments: ["process"] + (Machine.recordsInKernel ? ["kernel"] : []))
    func `what small reads brought is told by file, and who made them`(recorder: String) throws {
      let scratch = try Scratch()
      let program = try scratch.program("reader", Self.reader)
      let (folder, large) = (scratch.file("notes"), scratch.file("large"))
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let sizes = (0..<200).map { 1000 + $0 }
      for (number, size) in sizes.enumerated() {
        try Data(count: size).write(to: URL(fileURLWithPath: "\(folder)/note\(number)"))
      }
      try Data(count: 1 << 20).write(to: URL(fileURLWithPath: large))
      let run = try Recorded(
        [program, folder, large], options: ["--recorder", recorder], scratch: scratch)
      let disk = run.signals["disk"]
      #expect(disk["smallReadsMeasured"].bool == true)
      #expect(run.file(large)["reads"].int == run.truth["reads"].int, "\(disk)")
      #expect(run.file(large)["bytesRead"].int == run.truth["bytes"].int, "\(disk)")

      // Of files that were only read the hundred of which most was are listed, and the others in a row.
      let notes = disk["files"].items.filter { $0["path"].string?.hasPrefix(folder) == true }
      #expect((90...100).contains(notes.count), "\(notes.count)")
      for note in notes {
        let number = Int(note["path"].string?.dropFirst(folder.count + 5) ?? "") ?? -1
        #expect(note["bytesRead"].int == (sizes.indices.contains(number) ? sizes[number] : -1))
        #expect(note["reads"].int == (number + 1000 + 511) / 512, "\(note)")
      }
      let rest = disk["otherReads"]
      #expect((200 - notes.count..<210).contains(rest["files"].int ?? -1), "\(rest)")
      // Besides those there are 600 of the pipe, 200 that found the end of a file, and the dynamic linker's.
      let unlisted =
        (run.truth["noteReads"].int ?? 0) - notes.reduce(0) { $0 + ($1["reads"].int ?? 0) }
      #expect((800..<840).contains((rest["reads"].int ?? 0) - unlisted), "\(rest)")

      let rows = run.report["blame"]["reads"].items
      func row(_ function: String) -> JSON {
        rows.first { $0["function"].string == function } ?? JSON(nil)
      }
      // Shares are added up: a whole number to a billionth.
      func whole(_ function: String, _ key: String) -> Int? {
        row(function)[key].double.map { Int($0.rounded()) }
      }
      #expect(whole("scan", "count") == run.truth["reads"].int, "\(rows)")
      #expect(whole("read_notes", "count") == run.truth["noteReads"].int, "\(rows)")
      #expect(whole("read_notes", "bytes") == run.truth["noteBytes"].int, "\(rows)")
    }

    /// Fifty threads read a file in twenty pieces each, and end.
    private static let threads = """
      #include <fcntl.h>
      #include <pthread.h>
      #include <unistd.h>
      static const char *path;
      static void *piece(void *unused) {
        char room[64];
        int file = open(path, O_RDONLY);
        for (int index = 0; index < 20; index++) if (read(file, room, 64) != 64) _exit(1);
        close(file);
        return 0;
      }
      int main(int words, char **word) {
        path = word[1];
        for (int round = 0; round < 25; round++) {
          pthread_t both[2];
          for (int index = 0; index < 2; index++) pthread_create(&both[index], 0, piece, 0);
          for (int index = 0; index < 2; index++) pthread_join(both[index], 0);
        }
        return 0;
      }
      """

    // Each new thread had the stacks of its first reads copied: more than the rings hold.
    @Test(arguments: ["process"] + (Machine.recordsInKernel ? ["kernel"] : []))
    func `what short threads read is not lost`(recorder: String) throws {
      let scratch = try Scratch()
      let (program, file) = (try scratch.program("threads", Self.threads), scratch.file("data"))
      try Data(count: 7000).write(to: URL(fileURLWithPath: file))
      let run = try Recorded(
        [program, file], options: ["--recorder", recorder], scratch: scratch)
      #expect(run.report["trace"]["lostEvents"].int == 0)
      #expect(run.file(file)["reads"].int == 1000, "\(run.signals["disk"])")
      #expect(run.file(file)["bytesRead"].int == 1000 * 64)
    }

    /// Ends within a few milliseconds.
    private static let shortProgram = """
      #include <fcntl.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/resource.h>
      #include <unistd.h>
      int main(int words, char **word) {
        char *room = malloc(30 << 20);
        memset(room, 1, 30 << 20);
        int file = open(word[1], O_RDONLY);
        for (int index = 0; index < 70; index++) if (read(file, room, 100) != 100) return 1;
        char text[600];
        file = open("/proc/self/io", O_RDONLY);
        text[read(file, text, sizeof text - 1)] = 0;
        long chars, calls;
        sscanf(strstr(text, "rchar:"), "rchar: %ld", &chars);
        sscanf(strstr(text, "syscr:"), "syscr: %ld", &calls);
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("{\\"bytes\\": %ld, \\"reads\\": %ld, \\"peak\\": %ld}\\n", chars + (long)strlen(text), calls + 1,
               usage.ru_maxrss << 10);
        return 0;
      }
      """

    @Test func `a program that ends at once tells its memory and what it read, within the process`()
      throws
    {
      let scratch = try Scratch()
      let (program, file) = (try scratch.program("short", Self.shortProgram), scratch.file("data"))
      try Data(count: 7000).write(to: URL(fileURLWithPath: file))
      let run = try Recorded(
        [program, file], options: ["--recorder", "process"], scratch: scratch)
      let (disk, memory) = (run.signals["disk"], run.signals["memory"])
      #expect(disk["bytesRead"].int == run.truth["bytes"].int, "\(disk)")
      #expect(disk["reads"].int == run.truth["reads"].int, "\(disk)")
      #expect((memory["peakFootprintBytes"].int ?? 0) > 30 << 20, "\(memory)")
      // The rings are left out.
      let peak = Double(run.truth["peak"].int ?? 0)
      #expect(abs((memory["peakResidentBytes"].double ?? 0) - peak) < 0.05 * peak, "\(memory)")
      #expect(run.audit("peak-footprint")["status"].string != "notMeasured")
    }

    /// Ends itself at any opening of a file from then on.
    private static let filtered = """
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int words, char **word) {
        struct sock_filter steps[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 2;
        if (words > 1 ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
                      : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) return 3;
        return 7;
      }
      """

    @Test(arguments: [[], ["syscall"]])
    func `a program that may open no file any longer ends as it would`(words: [String]) throws {
      let scratch = try Scratch()
      let program = try scratch.program("filtered", Self.filtered)
      let result = try Command.run(
        [
          Machine.lull, "record", "--recorder", "process", "-q", "-o", scratch.file("t"), "--",
          program,
        ]
          + words)
      #expect(result.status == 7, "\(result.errors)")
    }

    /// Has the C library read files that it opens itself, one after the other by the same number, and write one.
    private static let asker = """
      #include <netdb.h>
      #include <pwd.h>
      #include <stdio.h>
      #include <unistd.h>
      int main(void) {
        for (int round = 0; round < 3; round++) {
          getpwnam("nobody of that name");
          getservbyname("none of that name", "udp");
        }
        FILE *file = tmpfile();
        fputs("saved", file);
        fclose(file);
        int ends[2];
        char byte = 1;
        return pipe(ends) || write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1;
      }
      """

    @Test func `what the C library reads of files that it opens itself has their names`() throws {
      let scratch = try Scratch()
      let program = try scratch.program("asker", Self.asker)
      let run = try Recorded([program], options: ["--recorder", "process"], scratch: scratch)
      #expect(run.result.status == 0, "\(run.result.errors)")
      for path in ["/etc/passwd", "/etc/services"] {
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let file = run.file(path)
        #expect(file["bytesRead"].int == 3 * size, "\(path): \(run.signals["disk"])")
      }
      let written = run.signals["disk"]["files"].items.filter { $0["bytesWritten"].int == 5 }
      #expect(written.count == 1, "\(run.signals["disk"])")
    }

    @Test func `perf's events, which cannot tell files, have small reads in sum`() throws {
      let scratch = try Scratch()
      let program = try scratch.program("reader", Self.reader)
      let large = scratch.file("large")
      try Data(count: 1 << 20).write(to: URL(fileURLWithPath: large))
      let run = try Recorded(
        [program, scratch.path, large], options: ["--recorder", "perf"], scratch: scratch)
      let disk = run.signals["disk"]
      #expect(!disk["smallReadsMeasured"].exists)
      let reads = (disk["otherReads"]["reads"].int ?? 0) - (run.truth["reads"].int ?? 0)
      // 600 of the pipe, 200 of files that are not there, the dynamic linker's.
      #expect((600..<900).contains(reads), "\(disk)")
    }
  }
}
