import Foundation
import Testing

extension SideBySide {
  /// Calls by their numbers, which go past the C library's functions.
  @Suite struct InProcessRawCalls {
    @Test(arguments: EndToEnd.InProcessConduct.Form.allCases)
    func `what is opened, closed and written by number is told as by the functions`(
      form: EndToEnd.InProcessConduct.Form
    ) throws {
      let scratch = try Scratch()
      let program = try EndToEnd.InProcessConduct.build(Self.source, "raw", form, scratch)
      let run = try EndToEnd.InProcessConduct.record([program, scratch.path], form, scratch)
      #expect(run.result.status == 3)
      let files = run.report["signals"]["disk"]["files"].items
      for (name, writes, bytes) in [
        ("first", 1, 4), ("second", 2, 7), ("third", 1, 6), ("fourth", 1, 8), ("moved", 1, 5),
      ] {
        let file = files.first { $0["path"].string == scratch.file(name) }
        #expect(file?["writes"].int == writes, "\(name): \(files)")
        #expect(file?["bytesWritten"].int == bytes, "\(name): \(files)")
      }
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <linux/close_range.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      static int make(const char *name) {
        return syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
      }
      int main(int count, char **words) {
        syscall(SYS_chdir, words[1]);
        int file = make("first");
        write(file, "one\\n", 4);
        syscall(SYS_close, file);
        if (make("second") != file) return 9;
        write(file, "two\\n", 4);
        syscall(SYS_write, file, "to\\n", 3);
        syscall(SYS_close_range, file, file, 0);
        if (make("third") != file) return 9;
        int copy = syscall(SYS_fcntl, file, F_DUPFD, 20);
        int fourth = make("fourth");
        syscall(SYS_dup3, fourth, file, 0);
        write(copy, "third\\n", 6);
        write(file, "fourths\\n", 8);
        int other = make("before");
        write(other, "moved", 5);
        syscall(SYS_renameat2, AT_FDCWD, "before", AT_FDCWD, "moved", 0);
        syscall(SYS_exit_group, 3);
      }
      """
  }
}
