import Foundation
import Testing

extension SideBySide {
  /// Programs whose addresses, or whose locked memory, are limited.
  @Suite struct InProcessAddresses {
    @Test(
      arguments: EndToEnd.InProcessConduct.Form.allCases,
      ["starter", "itself", "child", "locked", "future"])
    func `what a program may have of memory is its own`(
      form: EndToEnd.InProcessConduct.Form, limit: String
    ) throws {
      let scratch = try Scratch()
      let program = try EndToEnd.InProcessConduct.build(Self.source, "addresses", form, scratch)
      let limits = limit == "starter" ? ["prlimit", "--as=67108864"] : []
      let words = limits + [program, limit, scratch.file("out")]
      let alone = try Command.run(words)
      try #require(alone.status == 0, "\(alone)")
      let run = try EndToEnd.InProcessConduct.record(words, form, scratch)
      #expect(run.result.status == 0 && run.result.text == alone.text, "\(run.result)")
      let file = run.report["signals"]["disk"]["files"].items.first {
        $0["path"].string == scratch.file("out")
      }
      // The first thread, and three more.
      if limit == "child" {
        let children = run.report["processes"].items.filter { $0["bytesWritten"].int == 16 }
        #expect(children.count == 1, "\(run.report["processes"])")
      } else {
        #expect(file?["bytesWritten"].int == 16, "\(run.report["signals"]["disk"])")
      }
      #expect(!run.report.description.contains("threads were not recorded"))
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <pthread.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/prctl.h>
      #include <sys/resource.h>
      #include <sys/syscall.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static int file;
      static void *work(void *unused) { write(file, "row\\n", 4); return unused; }
      int main(int count, char **words) {
        file = open(words[2], O_CREAT | O_WRONLY | O_TRUNC, 0600);
        pid_t child = strcmp(words[1], "child") ? 0 : fork();
        if (child) {
          int status;
          waitpid(child, &status, 0);
          return WEXITSTATUS(status);
        }
        write(file, "row\\n", 4);
        int is_locked = !strcmp(words[1], "locked") || !strcmp(words[1], "future");
        struct rlimit limit = {64 << 20, 64 << 20};
        if (!is_locked && strcmp(words[1], "starter")) setrlimit(RLIMIT_AS, &limit);
        if (is_locked) {
          // Who may lock as much as there is has no limit.
          limit = (struct rlimit){32 << 20, 32 << 20};
          setrlimit(RLIMIT_MEMLOCK, &limit);
          if (syscall(SYS_setresuid, 65534, 65534, 65534)) perror("setresuid");
          prctl(PR_SET_DUMPABLE, 1);
          printf("locked %d\\n", mlockall(strcmp(words[1], "locked") ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT));
        }
        size_t size = is_locked ? 8 << 20 : 32 << 20;
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        printf("mapped %d\\n", memory != MAP_FAILED);
        if (!strcmp(words[1], "locked")) printf("more %d\\n", mlock(memory, size));
        pthread_attr_t small;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 64 << 10);
        for (int i = 0; i < 3; i++) {
          pthread_t thread;
          if (pthread_create(&thread, &small, work, NULL)) return 9;
          pthread_join(thread, NULL);
        }
        puts("{}");
        return 0;
      }
      """
  }
}
