import Foundation
import Testing

extension EndToEnd {
  /// A thread that sleeps, and by a call that is no write to a file or socket has another one go on.
  @Suite struct HandedOn {
    static let recorders = ["auto", "process"]
    private static let count = 20

    private func wakeups(_ mode: String, _ recorder: String) throws -> JSON {
      let scratch = try Scratch()
      let program = try scratch.program("hands", Self.source, ["-O1", "-pthread"])
      let run = try Recorded(
        [program, mode], options: ["--recorder", recorder], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result)")
      return run.signals["wakeups"]
    }

    // They were told to have expired for nothing.
    @Test(
      arguments: recorders,
      [
        "mutex", "condition", "barrier", "eventfd", "posix", "system-v", "semaphores", "futex",
        "sigwait", "pause", "other",
      ])
    func `who sleeps and then has another go on does not poll`(recorder: String, mode: String)
      throws
    {
      let wakeups = try wakeups(mode, recorder)
      let timers = wakeups["timers"].items
      let timer = try #require(
        timers.first { ($0["count"].int ?? 0) >= Self.count - 2 }, "\(wakeups)")
      #expect(timers.count == 1, "\(wakeups)")
      #expect((timer["expiredWithoutWork"].int ?? .max) <= 1, "\(wakeups)")
    }

    // It hands nothing on, or what nobody waits for.
    @Test(arguments: recorders, ["nothing", "free"])
    func `who sleeps again at once polls`(recorder: String, mode: String) throws {
      let timers = try wakeups(mode, recorder)["timers"].items
      #expect((timers.first?["expiredWithoutWork"].int ?? 0) >= Self.count - 3, "\(timers)")
    }

    // Their ends were of unknown cause.
    @Test(arguments: recorders, ["received", "message", "semaphore", "signal", "absolute"])
    func `a wait that is given a time ends by a timer`(recorder: String, mode: String) throws {
      let wakeups = try wakeups(mode, recorder)
      // On a machine with other work a wait of the time may end as another's.
      #expect((wakeups["byCause"]["timer"].int ?? 0) >= Self.count - 4, "\(wakeups)")
      let timer = wakeups["timers"].items.first
      #expect((timer?["expiredWithoutWork"].int ?? 0) >= Self.count - 5, "\(wakeups)")
    }

    // The other thread wrote, and another process was said to have.
    @Test(arguments: recorders, ["poll", "select", "epoll", "pair", "copy"])
    func `what a thread of its own wrote is no other process's`(recorder: String, mode: String)
      throws
    {
      let causes = try wakeups(mode, recorder)["byCause"]
      #expect(causes["otherProcess"].int ?? 0 <= Self.count / 4, "\(causes)")
      #expect((causes["sameProcess"].int ?? 0) >= Self.count - 2, "\(causes)")
    }

    @Test(arguments: recorders)
    func `what a child wrote is`(recorder: String) throws {
      let causes = try wakeups("child", recorder)["byCause"]
      #expect((causes["otherProcess"].int ?? 0) >= Self.count - 2, "\(causes)")
    }

    private static let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <mqueue.h>
      #include <poll.h>
      #include <pthread.h>
      #include <semaphore.h>
      #include <signal.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/epoll.h>
      #include <sys/eventfd.h>
      #include <sys/msg.h>
      #include <sys/select.h>
      #include <sys/sem.h>
      #include <sys/socket.h>
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      enum { count = \(count), pause_length = 30000 };
      static const char *mode;
      static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
      static pthread_barrier_t barrier;
      static sem_t locked, done;
      static pthread_t first;
      static mqd_t posix_queue;
      static int queue, event, number, ends[2], others[2];
      struct message { long type; char text[4]; };
      static int is(const char *name) { return !strcmp(mode, name); }
      static void hand_on(void) {
        struct message message = {1, "one"};
        struct sembuf add = {0, 1, 0};
        long one = 1;
        if (is("condition")) {
          pthread_mutex_lock(&mutex);
          number++;
          pthread_cond_signal(&condition);
          pthread_mutex_unlock(&mutex);
        }
        if (is("barrier")) pthread_barrier_wait(&barrier);
        if (is("eventfd")) write(event, &one, sizeof one);
        if (is("posix")) mq_send(posix_queue, message.text, 4, 0);
        if (is("system-v")) msgsnd(queue, &message, 4, 0);
        if (is("semaphores")) semop(queue, &add, 1);
        if (is("futex")) {
          __atomic_add_fetch(&number, 1, __ATOMIC_SEQ_CST);
          syscall(SYS_futex, &number, 1, 1, 0, 0, 0);
        }
        if (is("sigwait") || is("pause")) pthread_kill(first, SIGUSR1);
        if (is("other")) write(others[1], "x", 1);
        if (is("free")) {
          pthread_mutex_lock(&mutex);
          pthread_mutex_unlock(&mutex);
        }
        if (is("poll") || is("select") || is("epoll") || is("pair")) write(ends[1], "x", 1);
        if (is("copy")) write(others[1], "x", 1);
      }
      static void *sleeps(void *unused) {
        for (int i = 0; i < count; i++) {
          if (is("mutex")) {
            pthread_mutex_lock(&mutex);
            sem_post(&locked);
            usleep(pause_length);
            pthread_mutex_unlock(&mutex);
            sem_wait(&done);
          } else {
            usleep(pause_length);
            hand_on();
          }
        }
        return unused;
      }
      static void noted(int unused) { number++; }
      static void await(int index, int poller) {
        struct message message;
        struct sembuf take = {0, -1, 0};
        struct timespec length = {0, pause_length * 1000}, until;
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        long value;
        char byte;
        int taken;
        if (is("mutex")) {
          sem_wait(&locked);
          pthread_mutex_lock(&mutex);
          pthread_mutex_unlock(&mutex);
          sem_post(&done);
        }
        if (is("condition")) {
          pthread_mutex_lock(&mutex);
          while (number <= index) pthread_cond_wait(&condition, &mutex);
          pthread_mutex_unlock(&mutex);
        }
        if (is("barrier")) pthread_barrier_wait(&barrier);
        if (is("eventfd")) read(event, &value, sizeof value);
        if (is("posix")) mq_receive(posix_queue, message.text, 4, NULL);
        if (is("system-v")) msgrcv(queue, &message, 4, 0, 0);
        if (is("semaphores")) semop(queue, &take, 1);
        if (is("futex")) {
          while (__atomic_load_n(&number, __ATOMIC_SEQ_CST) <= index) {
            syscall(SYS_futex, &number, 0, index, 0, 0, 0);
          }
        }
        if (is("sigwait")) sigwait(&set, &taken);
        if (is("pause")) {
          sigemptyset(&set);
          while (number <= index) sigsuspend(&set);
        }
        if (is("other")) read(others[0], &byte, 1);
        if (is("received")) recv(ends[0], &byte, 1, 0);
        if (is("message")) {
          clock_gettime(CLOCK_REALTIME, &until);
          until.tv_nsec += pause_length * 1000;
          until.tv_sec += until.tv_nsec / 1000000000;
          until.tv_nsec %= 1000000000;
          mq_timedreceive(posix_queue, message.text, 4, NULL, &until);
        }
        if (is("semaphore")) semtimedop(queue, &take, 1, &length);
        if (is("signal")) sigtimedwait(&set, NULL, &length);
        if (is("absolute")) {
          clock_gettime(CLOCK_REALTIME, &until);
          until.tv_nsec += pause_length * 1000;
          until.tv_sec += until.tv_nsec / 1000000000;
          until.tv_nsec %= 1000000000;
          clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
        }
        if (is("poll") || is("pair") || is("child") || is("copy")) {
          struct pollfd one = {ends[0], POLLIN, 0};
          poll(&one, 1, -1);
          read(ends[0], &byte, 1);
        }
        if (is("select")) {
          fd_set reads;
          FD_ZERO(&reads);
          FD_SET(ends[0], &reads);
          select(ends[0] + 1, &reads, NULL, NULL, NULL);
          read(ends[0], &byte, 1);
        }
        if (is("epoll")) {
          struct epoll_event one;
          epoll_wait(poller, &one, 1, -1);
          read(ends[0], &byte, 1);
        }
      }
      int main(int words, char **texts) {
        mode = texts[1];
        first = pthread_self();
        pthread_barrier_init(&barrier, NULL, 2);
        sem_init(&locked, 0, 0);
        sem_init(&done, 0, 0);
        event = eventfd(0, 0);
        struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 4};
        char name[64];
        snprintf(name, sizeof name, "/lull-hands-%d", getpid());
        posix_queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
        mq_unlink(name);
        if (is("system-v")) queue = msgget(IPC_PRIVATE, 0600);
        if (is("semaphores") || is("semaphore")) queue = semget(IPC_PRIVATE, 1, 0600);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        if (is("pause")) signal(SIGUSR1, noted);
        if (is("received") || is("pair")) socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        else pipe(ends);
        pipe(others);
        if (is("copy")) dup2(ends[1], others[1]);
        struct timeval limit = {0, pause_length};
        if (is("received")) setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        int poller = epoll_create1(0);
        struct epoll_event one = {EPOLLIN};
        epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &one);
        pid_t child = is("child") ? fork() : -1;
        if (!child) {
          for (int i = 0; i < count; i++) {
            usleep(pause_length);
            write(ends[1], "x", 1);
          }
          _exit(0);
        }
        int is_alone = is("received") || is("message") || is("semaphore") || is("signal") ||
                       is("absolute") || is("child");
        pthread_t thread;
        if (!is_alone) pthread_create(&thread, NULL, sleeps, NULL);
        for (int i = 0; i < count; i++) await(i, poller);
        if (!is_alone) pthread_join(thread, NULL);
        if (child > 0) waitpid(child, NULL, 0);
        if (is("system-v")) msgctl(queue, IPC_RMID, NULL);
        if (is("semaphores") || is("semaphore")) semctl(queue, 0, IPC_RMID);
        return 0;
      }
      """
  }
}
