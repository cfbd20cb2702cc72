import Foundation
import Testing

extension EndToEnd {
  /// Programs with an agent that are attached to just as their main threads go on from one wait to the next.
  @Suite struct AgentBeginnings {
    /// So many threads that to look at all takes some time, and a main thread that sees the folder which a recorder
    /// makes first of all. So many milliseconds later it begins to wait for events, for so long, and then it hangs.
    private static let source = """
      #include <pthread.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/epoll.h>
      #include <sys/inotify.h>
      #include <time.h>
      #include <unistd.h>
      static void *waits(void *unused) { pause(); return unused; }
      static double now(void) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
      }
      int main(int count, char **words) {
        pthread_t thread;
        for (int i = 0; i < 400; i++) pthread_create(&thread, NULL, waits, NULL);
        char text[4096];
        struct epoll_event event;
        int loop = epoll_create1(0), watch = inotify_init1(0);
        inotify_add_watch(watch, "/dev/shm", IN_CREATE);
        do {
          memset(text, 0, sizeof text);
          read(watch, text, sizeof text);
        } while (strncmp(text + sizeof(struct inotify_event), "lull-", 5));
        double begin = now() + atoi(words[1]);
        while (now() < begin) usleep(500);
        epoll_wait(loop, &event, 1, atoi(words[2]));
        usleep(300000);
        epoll_wait(loop, &event, 1, 5000);
        return 0;
      }
      """

    private func recorded(_ begin: Int, _ length: Int) throws -> JSON {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(Self.source, "moves", .own, scratch)
      let target = try Command([program, "\(begin)", "\(length)"])
      let status = "/proc/\(target.pid)/status"
      while (try? String(contentsOfFile: status, encoding: .utf8))?.contains("Threads:\t401")
        != true
      {
        usleep(5000)
      }
      usleep(50_000)
      let trace = scratch.file("t")
      let result = try Command.run([
        Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)",
        "--duration", "1s", "-o", trace,
      ])
      try #require(result.status == 0, "\(result.errors)")
      kill(target.pid, SIGKILL)
      return try Recorded.report(trace)["signals"]["mainThread"]
    }

    // Of a wait that began after the thread was looked at, and before the program was asked, nothing was known.
    @Test(arguments: [20, 30, 40])
    func `what a thread goes on to wait in as the recording begins is known`(begin: Int) throws {
      let main = try recorded(begin, 4000)
      #expect(main["hasEventLoop"].bool == true, "\(main)")
      #expect((main["blockedByCause"]["unknown"].double ?? 0) < 0.01, "\(main)")
      #expect((main["idleSeconds"].double ?? 0) > 0.9 && main["hangs"].items.isEmpty, "\(main)")
    }

    @Test(arguments: [1, 10, 20, 40, 80])
    func `what a thread waits in as the recording begins is no part of the hang after it`(
      length: Int
    ) throws {
      let main = try recorded(1, length)
      let hangs = main["hangs"].items
      #expect(hangs.count <= 1, "\(main)")
      for hang in hangs {
        #expect((hang["durationSeconds"].double ?? 9) < 0.32, "\(hang)")
        let slept = hang["blockedByCause"]["sleep"].double ?? 0
        #expect(slept > 0.9 * (hang["durationSeconds"].double ?? 0), "\(hang)")
      }
      #expect((main["blockedByCause"]["unknown"].double ?? 0) < 0.01, "\(main)")
    }
  }
}
