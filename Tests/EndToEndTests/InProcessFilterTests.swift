import Foundation
import Testing

extension SideBySide {
  /// Programs that put a filter over their system calls, by which a call that they do not make themselves ends them.
  @Suite struct InProcessFilters {
    private typealias Conduct = EndToEnd.InProcessConduct

    @Test(
      arguments: EndToEnd.InProcessConduct.Form.allCases,
      ["strict", "raw", "few", "without signals", "refused", "clock", "raw clock"])
    func `a filter meets no call that is not the program's own`(
      form: EndToEnd.InProcessConduct.Form, filter: String
    ) throws {
      let scratch = try Scratch()
      let program = try Conduct.build(Self.source, "filters", form, scratch)
      let words = [program, filter, scratch.file("out")]
      let alone = try Command.run(words)
      try #require(alone.status == 8, "\(alone)")
      let run = try Conduct.record(words, form, scratch)
      #expect(run.result.status == 8 && run.result.text == alone.text)
      let file = run.report["signals"]["disk"]["files"].items.first {
        $0["path"].string == scratch.file("out")
      }
      // Nothing can be told of a thread with the strict filter, which is said; with another its writes are told.
      let isStrict = filter == "strict" || filter == "raw"
      #expect(file?["bytesWritten"].int == (isStrict ? 4 : 12), "\(run.report["signals"]["disk"])")
      let isToldOf = run.report.description.contains("leaves a thread no call by which")
      #expect(isToldOf == (isStrict || filter == "few" || filter == "without signals"))
      let isUnsampled = run.report.description.contains("(seccomp) refuses what")
      #expect(isUnsampled == (filter == "without signals"))
    }

    // What the child's thread had run before was told as all ones, and the recorder ended by it.
    @Test(arguments: EndToEnd.InProcessConduct.Form.allCases)
    func
      `a program that may not ask for its CPU time is recorded on, and its child is said to be left out`(
        form: EndToEnd.InProcessConduct.Form
      ) throws
    {
      let scratch = try Scratch()
      let program = try Conduct.build(Self.forking, "forking", form, scratch)
      let run = try Conduct.record([program, scratch.file("out")], form, scratch)
      #expect(run.result.status == 3)
      let written = run.report["processes"].items.compactMap { $0["bytesWritten"].int }
      #expect(written.contains(6), "\(run.report["processes"])")
      #expect(run.report.description.contains("leaves a thread no call by which"))
    }

    private static let forking = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <fcntl.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <sys/wait.h>
      #include <unistd.h>
      int main(int count, char **words) {
        int file = open(words[1], O_CREAT | O_WRONLY | O_TRUNC, 0600), status = 0;
        struct sock_filter code[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        struct sock_fprog program = {sizeof code / sizeof *code, code};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        pid_t child = fork();
        if (!child) {
          write(file, "four", 4);
          usleep(200000);
          _exit(3);
        }
        waitpid(child, &status, 0);
        write(file, "sixsix", 6);
        return WEXITSTATUS(status);
      }
      """

    private static let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <semaphore.h>
      #include <stddef.h>
      #include <string.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      #define ALLOW(call) \\
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
      static sem_t unused;
      static void filter(int has_signals, int is_refused) {
        struct sock_filter code[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          ALLOW(SYS_write), ALLOW(SYS_nanosleep), ALLOW(SYS_clock_nanosleep), ALLOW(SYS_exit_group), ALLOW(SYS_exit),
          ALLOW(SYS_timer_delete), ALLOW(SYS_rt_sigtimedwait), ALLOW(has_signals ? SYS_rt_sigreturn : SYS_write),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
        struct sock_fprog program = {sizeof code / sizeof *code, code};
        if (is_refused) program.len = 0;
        else prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
      }
      int main(int count, char **words) {
        int file = open(words[2], O_CREAT | O_WRONLY | O_TRUNC, 0600);
        write(file, "one\\n", 4);
        int is_strict = 0;
        sem_init(&unused, 0, 0);
        if (!strcmp(words[1], "strict")) is_strict = 1, prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        if (!strcmp(words[1], "raw")) is_strict = 1, syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
        if (!strcmp(words[1], "few")) filter(1, 0);
        if (!strcmp(words[1], "without signals")) filter(0, 0);
        if (!strcmp(words[1], "refused")) filter(0, 1);
      #ifdef __x86_64__
        if (!strcmp(words[1], "clock")) prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
        if (!strcmp(words[1], "raw clock")) syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
      #endif
        for (volatile unsigned long i = 0; i < 100000000; i++) {}
        write(file, "two\\n", 4);
        sem_post(&unused);
        if (!is_strict) usleep(30000);
        write(file, "six\\n", 4);
        write(1, "{}", 2);
        if (is_strict) syscall(SYS_exit, 8);
        _exit(8);
      }
      """
  }
}
