import Foundation
import Testing

extension EndToEnd {
  /// Calls that were asked not to wait, or had nothing to wait for, on a CPU that others want too: what they take they
  /// have no CPU.
  @Suite struct InProcessLooks {
    @Test(arguments: [
      "poll", "ppoll", "select", "epoll", "child", "read", "receive", "ready", "ready-group",
    ])
    func `a call that did not wait is no wait, however long it takes`(call: String) throws {
      let scratch = try Scratch()
      let other = try Command(["taskset", "-c", "0", "sh", "-c", "while :; do :; done"])
      defer { kill(other.pid, SIGKILL) }
      let program = try InProcessConduct.build(Self.source, "looks", .preloaded, scratch)
      let (result, report, _) = try InProcessConduct.record(
        ["taskset", "-c", "0", program, call], .preloaded, scratch)
      let counted = result.text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      try #require(counted.count == 2, "\(result)")
      let main = report["signals"]["mainThread"]
      // The kernel counts the waits, and how long it had no CPU.
      let (waits, delay) = (counted[0], counted[1] / 1e9)
      #expect(waits < 5 && delay > 0.3, "\(counted)")
      #expect((main["blockedSeconds"].double ?? 9) < 0.05, "\(main)")
      #expect(
        abs((main["runnableSeconds"].double ?? 0) - delay) < 0.25 * delay, "\(main), \(delay)")
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <poll.h>
      #include <signal.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/epoll.h>
      #include <sys/resource.h>
      #include <sys/select.h>
      #include <sys/socket.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      static unsigned long long waited(void) {
        unsigned long long ran = 0, delayed = 0;
        FILE *file = fopen("/proc/thread-self/schedstat", "r");
        if (fscanf(file, "%llu %llu", &ran, &delayed) != 2) return 0;
        fclose(file);
        return delayed;
      }
      static double now(void) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec + time.tv_nsec * 1e-9;
      }
      int main(int count, char **words) {
        int ends[2];
        pipe(ends);
        int group = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN};
        epoll_ctl(group, EPOLL_CTL_ADD, ends[0], &event);
        pid_t child = fork();
        if (!child) {
          pause();
          _exit(0);
        }
        int full[2], sockets[2], ready = epoll_create1(0);
        pipe(full);
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
        epoll_ctl(ready, EPOLL_CTL_ADD, full[0], &event);
        char byte = 0;
        write(full[1], &byte, 1);
        struct rusage before, after;
        getrusage(RUSAGE_THREAD, &before);
        unsigned long long first = waited();
        const struct timespec none = {0, 0};
        double end = now() + 2;
        while (now() < end) {
          struct pollfd one = {ends[0], POLLIN, 0};
          struct timeval nothing = {0, 0};
          fd_set set;
          FD_ZERO(&set);
          FD_SET(ends[0], &set);
          if (!strcmp(words[1], "poll")) poll(&one, 1, 0);
          if (!strcmp(words[1], "ppoll")) ppoll(&one, 1, &none, NULL);
          if (!strcmp(words[1], "select")) select(ends[0] + 1, &set, NULL, NULL, &nothing);
          if (!strcmp(words[1], "epoll")) epoll_wait(group, &event, 1, 0);
          if (!strcmp(words[1], "child")) waitpid(child, NULL, WNOHANG);
          if (!strcmp(words[1], "read")) {
            write(full[1], &byte, 1);
            read(full[0], &byte, 1);
          }
          if (!strcmp(words[1], "receive")) {
            send(sockets[1], &byte, 1, 0);
            recv(sockets[0], &byte, 1, 0);
          }
          one.fd = full[0];
          if (!strcmp(words[1], "ready")) poll(&one, 1, -1);
          if (!strcmp(words[1], "ready-group")) epoll_wait(ready, &event, 1, -1);
        }
        unsigned long long delay = waited() - first;
        getrusage(RUSAGE_THREAD, &after);
        kill(child, 9);
        waitpid(child, NULL, 0);
        printf("%ld %llu\\n", after.ru_nvcsw - before.ru_nvcsw, delay);
        return 0;
      }
      """
  }
}
