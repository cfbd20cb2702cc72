import Foundation
import Testing

extension EndToEnd {
  /// What a wait was for and what ended it, of programs that do it by themselves and by no event loop that is known.
  @Suite struct WaitEnds {
    static let recorders = ["auto", "perf", "process"]
    private static let count = 40

    private func signals(_ mode: String, _ recorder: String) throws -> (JSON, String) {
      let scratch = try Scratch()
      let program = try scratch.program("ends", Self.source, ["-O1", "-pthread"])
      let run = try Recorded(
        [program, mode], options: ["--recorder", recorder], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result)")
      return (run.signals, run.result.text)
    }

    // The thread that polls takes the connection, and another one reads from it.
    @Test(arguments: recorders)
    func `who polls for connections is woken by the network and not by a timer`(recorder: String)
      throws
    {
      let (signals, _) = try signals("connections", recorder)
      let wakeups = signals["wakeups"]
      #expect(wakeups["byCause"]["timer"].int == 0, "\(wakeups)")
      #expect(wakeups["timers"].items.isEmpty, "\(wakeups)")
      #expect((wakeups["byCause"]["network"].int ?? 0) >= Self.count - 2, "\(wakeups)")
    }

    @Test(arguments: recorders)
    func `to read a timer is to sleep until it is over`(recorder: String) throws {
      let (signals, _) = try signals("timer", recorder)
      let (wakeups, main) = (signals["wakeups"], signals["mainThread"])
      #expect(abs((wakeups["byCause"]["timer"].int ?? 0) - Self.count) <= 2, "\(wakeups)")
      let period = wakeups["timers"].items.first?["periodSeconds"].double ?? 0
      #expect(abs(period - 0.01) < 0.001, "\(wakeups)")
      let slept = main["blockedByCause"]["sleep"].double ?? 0
      #expect(abs(slept - 0.4) < 0.04, "\(main)")
    }

    @Test(arguments: recorders)
    func `to read what a thread counts up is to wait for that thread`(recorder: String) throws {
      let (signals, _) = try signals("event", recorder)
      let (wakeups, main) = (signals["wakeups"], signals["mainThread"])
      let waited = main["blockedByCause"]
      #expect((waited["ipc"].double ?? 0) > 0.35 && (waited["child"].double ?? 0) < 0.01, "\(main)")
      // The other thread sleeps as often.
      #expect(abs((wakeups["byCause"]["timer"].int ?? 0) - Self.count) <= 2, "\(wakeups)")
    }

    // They were of unknown cause, or a file's by the kernel's stacks.
    @Test(arguments: recorders + ["outside"], ["posix", "system-v", "semaphores"])
    func `who waits for a message waits for another thread's`(recorder: String, mode: String)
      throws
    {
      let (signals, _) = try signals(mode, recorder)
      let waited = signals["mainThread"]["blockedByCause"]
      let cause = mode == "semaphores" ? "lock" : "ipc"
      #expect((waited[cause].double ?? 0) > 0.35, "\(signals["mainThread"])")
      #expect((waited["unknown"].double ?? 0) < 0.05, "\(signals["mainThread"])")
    }

    // A fork took as long as a wait would, and stood for the one that nobody saw.
    @Test(arguments: recorders)
    func `what is waited past the C library is no wait for a CPU`(recorder: String) throws {
      let (signals, text) = try signals("unseen", recorder)
      let main = signals["mainThread"]
      let delayed = try #require(Double(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      let queued = main["runnableSeconds"].double ?? 9
      #expect(queued < delayed / 1e9 + 0.03, "\(main), \(delayed)")
      let waited = main["blockedByCause"]
      let unseen = (waited["unknown"].double ?? 0) + (waited["sleep"].double ?? 0)
      #expect(abs(unseen - 0.36) < 0.05, "\(main)")
    }

    // The child sleeps before it runs its program.
    @Test(arguments: ["auto", "perf"])
    func `who begins a process by vfork waits for the child`(recorder: String) throws {
      let (signals, _) = try signals("begin", recorder)
      let main = signals["mainThread"]
      let waited = main["blockedByCause"]["child"].double ?? 0
      // A machine that is busy lets the child sleep for longer, and its parent with it.
      #expect(waited > 0.298, "\(main)")
      #expect(waited > 0.99 * (main["blockedSeconds"].double ?? 9), "\(main)")
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <arpa/inet.h>
      #include <fcntl.h>
      #include <mqueue.h>
      #include <poll.h>
      #include <pthread.h>
      #include <semaphore.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/eventfd.h>
      #include <sys/msg.h>
      #include <sys/sem.h>
      #include <sys/socket.h>
      #include <sys/syscall.h>
      #include <sys/timerfd.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      enum { count = \(count) };
      static int accepted, event;
      static sem_t ready;
      static void *serves(void *unused) {
        char bytes[16];
        for (int i = 0; i < count; i++) {
          sem_wait(&ready);
          long read = recv(accepted, bytes, sizeof bytes, 0);
          send(accepted, bytes, read, 0);
          close(accepted);
        }
        return unused;
      }
      static void connections(void) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
        socklen_t size = sizeof address;
        int server = socket(AF_INET, SOCK_STREAM, 0);
        bind(server, (void *)&address, size);
        listen(server, 5);
        getsockname(server, (void *)&address, &size);
        pid_t child = fork();
        if (!child) {
          char bytes[16] = "ask";
          for (int i = 0; i < count; i++) {
            usleep(20000);
            int client = socket(AF_INET, SOCK_STREAM, 0);
            connect(client, (void *)&address, size);
            send(client, bytes, 4, 0);
            recv(client, bytes, sizeof bytes, 0);
            close(client);
          }
          _exit(0);
        }
        sem_init(&ready, 0, 0);
        pthread_t thread;
        pthread_create(&thread, NULL, serves, NULL);
        for (int i = 0; i < count; i++) {
          struct pollfd one = {server, POLLIN, 0};
          poll(&one, 1, -1);
          accepted = accept(server, NULL, NULL);
          sem_post(&ready);
        }
        pthread_join(thread, NULL);
        waitpid(child, NULL, 0);
      }
      static void *counts(void *unused) {
        unsigned long long one = 1;
        for (int i = 0; i < count; i++) {
          usleep(10000);
          write(event, &one, sizeof one);
        }
        return unused;
      }
      static int queue;
      static mqd_t posix_queue;
      struct message { long type; char text[4]; };
      static void *sends(void *mode) {
        struct message message = {1, "one"};
        struct sembuf add = {0, 1, 0};
        for (int i = 0; i < count; i++) {
          usleep(10000);
          if (*(char *)mode == 'p') mq_send(posix_queue, message.text, 4, 0);
          if (*(char *)mode == 's') msgsnd(queue, &message, 4, 0);
          if (*(char *)mode == 'e') semop(queue, &add, 1);
        }
        return mode;
      }
      static void receives(char mode) {
        struct message message;
        struct sembuf take = {0, -1, 0};
        struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 4};
        char name[64];
        snprintf(name, sizeof name, "/lull-test-%d", getpid());
        if (mode == 'p') posix_queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
        if (mode == 'p') mq_unlink(name);
        if (mode == 's') queue = msgget(IPC_PRIVATE, 0600);
        if (mode == 'e') queue = semget(IPC_PRIVATE, 1, 0600);
        pthread_t thread;
        pthread_create(&thread, NULL, sends, &mode);
        for (int i = 0; i < count; i++) {
          if (mode == 'p') mq_receive(posix_queue, message.text, 4, NULL);
          if (mode == 's') msgrcv(queue, &message, 4, 0, 0);
          if (mode == 'e') semop(queue, &take, 1);
        }
        pthread_join(thread, NULL);
        if (mode == 's') msgctl(queue, IPC_RMID, NULL);
        if (mode == 'e') semctl(queue, 0, IPC_RMID);
      }
      static unsigned long long delay(void) {
        unsigned long long ran = 0, delayed = 0;
        FILE *file = fopen("/proc/thread-self/schedstat", "r");
        if (fscanf(file, "%llu %llu", &ran, &delayed) != 2) return 0;
        fclose(file);
        return delayed;
      }
      int main(int words, char **texts) {
        unsigned long long number, before = delay();
        if (!strcmp(texts[1], "connections")) connections();
        if (!strcmp(texts[1], "timer")) {
          int timer = timerfd_create(CLOCK_MONOTONIC, 0);
          struct itimerspec value = {{0, 10000000}, {0, 10000000}};
          timerfd_settime(timer, 0, &value, NULL);
          for (int i = 0; i < count; i++) read(timer, &number, sizeof number);
        }
        if (!strcmp(texts[1], "event")) {
          event = eventfd(0, 0);
          pthread_t thread;
          pthread_create(&thread, NULL, counts, NULL);
          for (int i = 0; i < count; i++) read(event, &number, sizeof number);
          pthread_join(thread, NULL);
        }
        if (!strcmp(texts[1], "posix")) receives('p');
        if (!strcmp(texts[1], "system-v")) receives('s');
        if (!strcmp(texts[1], "semaphores")) receives('e');
        if (!strcmp(texts[1], "begin")) {
          for (int i = 0; i < 6; i++) {
            pid_t child = vfork();
            if (!child) {
              sleeps(&(struct timespec){0, 50000000});
              _exit(0);
            }
            waitpid(child, NULL, 0);
          }
        }
        if (!strcmp(texts[1], "unseen")) {
          for (int i = 0; i < 6; i++) {
            pid_t child = fork();
            if (!child) {
              usleep(50000);
              _exit(0);
            }
            // By syscall() it would be seen.
            struct timespec length = {0, 60000000};
            sleeps(&length);
            waitpid(child, NULL, 0);
          }
        }
        printf("%llu\\n", delay() - before);
        return 0;
      }
      """.replacingOccurrences(
        of: "int main(int words", with: raw + "\nint main(int words")

    /// A sleep that no function of the C library makes.
    private static let raw = """
      static void sleeps(const struct timespec *length) {
      #ifdef __aarch64__
        register long number __asm__("x8") = SYS_nanosleep;
        register long first __asm__("x0") = (long)length;
        register long second __asm__("x1") = 0;
        __asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second) : "memory");
      #else
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_nanosleep), "D"(length), "S"(0L)
                         : "rcx", "r11", "memory");
      #endif
      }
      """
  }
}
