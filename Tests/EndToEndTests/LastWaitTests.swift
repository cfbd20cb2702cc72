import Foundation
import Testing

extension EndToEnd {
  /// Waits in which threads come to their end with their process, before anybody outside could look at them.
  @Suite struct LastWaits {
    /// Its first thread waits for good, while another ends the program, or has another take its place.
    private static let program = """
      #define _GNU_SOURCE
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <pthread.h>
      #include <stddef.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
      __attribute__((noinline)) static void is_parked(void) {
        pthread_mutex_lock(&mutex);
        for (;;) pthread_cond_wait(&condition, &mutex);
      }
      static void *ends(void *how) {
        usleep(40000);
        if (strcmp(how, "exec") == 0) execl("/bin/sh", "sh", "-c", "exit 7", (char *)0);
        if (strcmp(how, "_exit") == 0) _exit(7);
        exit(7);
      }
      static void lets_nobody_read_memory(void) {
        struct sock_filter steps[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) {
          exit(3);
        }
      }
      int main(int count, char **words) {
        if (strcmp(words[1], "filtered") == 0) lets_nobody_read_memory();
        pthread_t thread;
        pthread_create(&thread, NULL, ends, words[1]);
        is_parked();
      }
      """

    private func record(_ how: String) throws -> Recorded {
      let scratch = try Scratch()
      let program = try scratch.program("parked", Self.program, ["-pthread"])
      return try Recorded([program, how], options: ["--recorder", "process"], scratch: scratch)
    }

    @Test(arguments: ["exit", "_exit"])
    func `a thread that waits as its process ends has the function that it waits in`(how: String)
      throws
    {
      let run = try record(how)
      #expect(run.result.status == 7, "\(run.result.errors)")
      let waits = run.mainThread["blockings"].items.filter { wait in
        wait["stack"].items.contains { $0["function"].string == "is_parked" }
      }
      try #require(waits.count == 1, "\(run.mainThread)")
      #expect(waits[0]["cause"].string == "lock")
      // It may begin before the other thread's sleep, or after.
      let seconds = waits[0]["seconds"].double ?? 0
      #expect(seconds > 0.038 && seconds < 0.08, "\(waits)")
      #expect(run.mainThread["blockedByCause"]["unknown"].double ?? 0 < 0.001, "\(run.mainThread)")
    }

    // A report is about the program that came; what the one before waited is in the trace.
    @Test(.enabled(if: Machine.hasPerf, "needs perf to read the trace"))
    func `so does a thread that waits as another program takes the place of its own`() throws {
      let run = try record("exec")
      #expect(run.result.status == 7, "\(run.result.errors)")
      let script = try Command.run([
        "perf", "script", "-i", run.trace, "-F", "comm,pid,tid,event",
      ])
      // What is told of a wait has its stack.
      let waits = script.text.split(separator: "\n").filter {
        $0.contains("parked") && $0.contains("sched:sched_switch")
      }
      let first = waits.filter { line in
        let ids = line.split(separator: " ").first { $0.contains("/") }?.split(separator: "/")
        return ids?.count == 2 && ids?[0] == ids?[1]
      }
      #expect(first.count == 1, "\(waits)")
    }

    @Test func `a program that lets nobody read its memory ends as it would`() throws {
      let run = try record("filtered")
      #expect(run.result.status == 7, "\(run.result.errors)")
    }
  }
}
