import Foundation
import Testing

extension SideBySide {
  /// A program in C that uses the functions in front of which the library stands as odd programs do: what it prints is
  /// what it prints alone.
  @Suite struct InProcessCalls {
    @Test(arguments: EndToEnd.InProcessConduct.Form.allCases)
    func
      `cancellation, interruption, limits of time, locks and forms of calls are as they are alone`(
        form: EndToEnd.InProcessConduct.Form
      ) throws
    {
      let scratch = try Scratch()
      let program = try EndToEnd.InProcessConduct.build(Self.source, "calls", form, scratch)
      let words = [program, scratch.path]
      let alone = try Command.run(words)
      #expect(alone.status == 0 && alone.text.hasSuffix("end\n"), "\(alone.text)\(alone.errors)")
      let (result, report, _) = try EndToEnd.InProcessConduct.record(words, form, scratch)
      #expect(result.text == alone.text)
      #expect(result.status == 0)
      #expect(report["trace"]["lostEvents"].int == 0)
      // A file of which the call made the path, written past 4 GiB.
      let files = report["signals"]["disk"]["files"].items
      let made = files.first { $0["path"].string?.contains("/made-") == true }
      #expect(made?["writes"].int == 1 && made?["bytesWritten"].int == 3, "\(files)")
      // What it jumped out of is over: it computes after that, which is no wait.
      let computed = report["blame"]["cpu"].items.filter { $0["function"].string == "computes" }
        .compactMap { $0["selfSeconds"].double }.reduce(0, +)
      #expect((0.2...0.4).contains(computed), "\(report["blame"]["cpu"])")
    }

    private static let source = """
      #define _GNU_SOURCE
      #define _FORTIFY_SOURCE 2
      #include <errno.h>
      #include <fcntl.h>
      #include <poll.h>
      #include <pthread.h>
      #include <semaphore.h>
      #include <setjmp.h>
      #include <signal.h>
      #include <spawn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/epoll.h>
      #include <sys/mman.h>
      #include <sys/select.h>
      #include <sys/socket.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <sys/uio.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>

      static int ends[2], sockets[2], listener, full[2], polled;
      static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
      static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
      static sem_t semaphore;
      static char large[1 << 20];
      enum { calls = 17 };

      // Each waits for what does not come.
      static int waits(int which) {
        char byte;
        struct pollfd one = {ends[0], POLLIN, 0};
        struct epoll_event event;
        struct iovec part = {&byte, 1};
        fd_set set;
        FD_ZERO(&set);
        FD_SET(ends[0], &set);
        switch (which) {
        case 0: return read(ends[0], &byte, 1);
        case 1: return recv(sockets[0], &byte, 1, 0);
        case 2: return accept(listener, NULL, NULL);
        case 3: return poll(&one, 1, -1);
        case 4: return select(ends[0] + 1, &set, NULL, NULL, NULL);
        case 5: return epoll_wait(polled, &event, 1, -1);
        case 6: return sem_wait(&semaphore);
        case 7: return nanosleep(&(struct timespec){100, 0}, NULL);
        case 8: return pause();
        case 9: return write(full[1], large, sizeof large);
        case 10: return readv(ends[0], &part, 1);
        case 11: return usleep(100000000);
        case 12: return ppoll(&one, 1, NULL, NULL);
        case 13: return sleep(100);
        case 14: return waitpid(-1, NULL, 0);
        case 15: return clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){100, 0}, NULL);
        default:
          pthread_mutex_lock(&mutex);
          return pthread_cond_wait(&condition, &mutex);
        }
      }

      static _Thread_local int cleaned;
      static void clean(void *which) {
        cleaned++;
        // It has the mutex again.
        if ((long)which == calls - 1) printf(" unlocked %d", pthread_mutex_unlock(&mutex));
        printf(" cleaned %ld", (long)which);
      }
      static void *waiting(void *which) {
        pthread_cleanup_push(clean, which);
        waits((int)(long)which);
        pthread_cleanup_pop(0);
        return NULL;
      }
      static void cancels(void) {
        for (long which = 0; which < calls; which++) {
          pthread_t thread;
          void *result;
          pthread_create(&thread, NULL, waiting, (void *)which);
          usleep(15000);
          pthread_cancel(thread);
          pthread_join(thread, &result);
          printf(" %d\\n", result == PTHREAD_CANCELED);
        }
      }

      static volatile int handled;
      static void handler(int number) { handled++; }
      static void alarms(int flags) {
        struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
        sigaction(SIGALRM, &action, NULL);
      }
      // Once more after a while: on a busy machine the first may come before the call that it is to interrupt.
      static void later(void) {
        struct itimerval timer = {.it_value = {0, 15000}, .it_interval = {0, 500000}};
        setitimer(ITIMER_REAL, &timer, NULL);
      }
      static void never(void) {
        struct itimerval timer = {{0, 0}, {0, 0}};
        setitimer(ITIMER_REAL, &timer, NULL);
      }
      static void *feeds(void *unused) {
        usleep(40000);
        write(ends[1], "abcd", 4);
        send(sockets[1], "abcd", 4, 0);
        sem_post(&semaphore);
        return unused;
      }
      static void interrupts(void) {
        alarms(0);
        for (int which = 0; which < calls - 1; which++) {
          if (which == 9) continue;
          later();
          errno = 0;
          int result = waits(which);
          int error = errno;
          never();
          printf("interrupted %d: %d %d\\n", which, result == 0 ? 0 : result > 0 ? 1 : -1, error == EINTR);
        }
        alarms(SA_RESTART);
        pthread_t thread;
        pthread_create(&thread, NULL, feeds, NULL);
        int restarted[] = {0, 1, 6, 10, 1, 0};
        for (int index = 0; index < 6; index++) {
          later();
          int result = waits(restarted[index]);
          printf("restarted %d: %d\\n", restarted[index], result);
        }
        never();
        pthread_join(thread, NULL);
        printf("handled %d\\n", handled > 10);
      }

      static void until(struct timespec *time, long milliseconds) {
        clock_gettime(CLOCK_REALTIME, time);
        time->tv_nsec += milliseconds * 1000000;
        if (time->tv_nsec >= 1000000000) time->tv_sec++, time->tv_nsec -= 1000000000;
      }
      static void *holds(void *unused) {
        pthread_mutex_lock(&mutex);
        pthread_rwlock_wrlock(&rwlock);
        usleep(60000);
        pthread_rwlock_unlock(&rwlock);
        pthread_mutex_unlock(&mutex);
        return unused;
      }
      static void limits(void) {
        struct timespec time;
        pthread_t thread;
        pthread_create(&thread, NULL, holds, NULL);
        usleep(10000);
        until(&time, 10);
        printf("limits %d", pthread_mutex_timedlock(&mutex, &time));
        printf(" %d", pthread_rwlock_timedrdlock(&rwlock, &time));
        printf(" %d", pthread_rwlock_timedwrlock(&rwlock, &time));
        printf(" %d", pthread_timedjoin_np(thread, NULL, &time));
        printf(" %d", pthread_mutex_trylock(&mutex) == EBUSY);
        printf(" %d", pthread_join(thread, NULL));
        until(&time, 10);
        printf(" %d", sem_timedwait(&semaphore, &time) < 0 && errno == ETIMEDOUT);
        pthread_mutex_lock(&mutex);
        printf(" %d", pthread_cond_timedwait(&condition, &mutex, &time));
        pthread_mutex_unlock(&mutex);
        struct pollfd one = {ends[0], POLLIN, 0};
        printf(" %d\\n", poll(&one, 1, 10));
      }

      static void *dies(void *robust) {
        pthread_mutex_lock(robust);
        return NULL;
      }
      static void locks(void) {
        int types[] = {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
        for (int index = 0; index < 2; index++) {
          pthread_mutexattr_t attributes;
          pthread_mutex_t one;
          pthread_mutexattr_init(&attributes);
          pthread_mutexattr_settype(&attributes, types[index]);
          pthread_mutex_init(&one, &attributes);
          printf("lock %d %d", pthread_mutex_lock(&one), pthread_mutex_lock(&one));
          printf(" %d %d\\n", pthread_mutex_unlock(&one), pthread_mutex_unlock(&one));
        }
        pthread_mutexattr_t attributes;
        pthread_mutex_t robust;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&robust, &attributes);
        pthread_t thread;
        pthread_create(&thread, NULL, dies, &robust);
        pthread_join(thread, NULL);
        printf("robust %d", pthread_mutex_lock(&robust));
        printf(" %d", pthread_mutex_unlock(&robust));
        printf(" %d\\n", pthread_mutex_lock(&robust));
        printf("own lock %d", pthread_rwlock_wrlock(&rwlock));
        printf(" %d %d\\n", pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock));
      }

      static void forms(const char *folder) {
        char path[300];
        snprintf(path, sizeof path, "%s/mode", folder);
        umask(022);
        int file = open(path, O_CREAT | O_RDWR, 0666);
        struct stat status;
        fstat(file, &status);
        printf("mode %o", status.st_mode & 0777);
        printf(" flags %d", fcntl(file, F_GETFL) & O_ACCMODE);
        printf(" least %d", fcntl(file, F_DUPFD, 70));
        void *page = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        printf(" page %d\\n", page != MAP_FAILED && ((char *)page)[100] == 0);
        snprintf(path, sizeof path, "%s/made-XXXXXX", folder);
        file = mkstemp(path);
        printf("large %zd", pwrite64(file, "end", 3, 5ll << 30));
        fstat(file, &status);
        printf(" %lld", (long long)status.st_size);
        char read[4] = "";
        volatile size_t count = 3;
        printf(" %zd %s", pread64(file, read, count, 5ll << 30), read);
        struct iovec part = {read, 2};
        printf(" %zd %s\\n", preadv2(file, &part, 1, (5ll << 30) + 1, 0), read);
        ftruncate(file, 0);
        errno = 77;
        struct pollfd one = {ends[1], POLLOUT, 0};
        poll(&one, 1, 2000);
        usleep(2000);
        write(ends[1], "x", 1);
        pread(file, read, 1, 0);
        close(dup(file));
        printf("errno %d\\n", errno);
        fflush(stdout);
        int child = fork();
        if (child == 0) execl("/bin/echo", "echo", "a", "b", "c", "d", "e", "f", "g", "h", NULL);
        waitpid(child, NULL, 0);
        char *words[] = {"sh", "-c", "exit 5", NULL};
        int ended;
        posix_spawnp(&child, "sh", NULL, NULL, words, environ);
        waitpid(child, &ended, 0);
        printf("spawned %d", WEXITSTATUS(ended));
        FILE *pipe = popen("echo from a pipe; exit 3", "r");
        char line[100];
        printf(" %s", fgets(line, sizeof line, pipe));
        printf("ended %d", WEXITSTATUS(pclose(pipe)));
        printf(" %d\\n", WEXITSTATUS(system("exit 4")));
      }

      static void *small(void *unused) {
        for (int index = 0; index < 20; index++) usleep(2000), write(ends[1], "x", 1), read(ends[0], (char[1]){0}, 1);
        return unused;
      }
      static void smallStack(void) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 16384);
        pthread_t thread;
        printf("small %d", pthread_create(&thread, &attributes, small, NULL));
        printf(" %d\\n", pthread_join(thread, NULL));
      }

      static sigjmp_buf place;
      static void jumps(int number) { siglongjmp(place, 1); }
      static __attribute__((noinline)) void computes(void) {
        struct timespec begun, now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
        do {
          for (volatile int index = 0; index < 10000; index++);
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while (now.tv_sec - begun.tv_sec + (now.tv_nsec - begun.tv_nsec) / 1e9 < 0.3);
      }
      static void jumpsOut(void) {
        struct sigaction action = {.sa_handler = jumps};
        sigaction(SIGALRM, &action, NULL);
        volatile int count = 0;
        for (volatile int round = 0; round < 10; round++) {
          if (sigsetjmp(place, 1)) never(), count++;
          else later(), waits(round % 2 ? 0 : 7);
        }
        printf("jumped %d\\n", count);
        write(ends[1], "x", 1);
        computes();
      }

      // All signals for programs, of which one was the samples' until now.
      static void ownSignals(void) {
        sigset_t set;
        sigemptyset(&set);
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) sigaddset(&set, number);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) raise(number);
        int bad = 0, taken;
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) bad += sigwait(&set, &taken) || taken != number;
        printf("signals %d\\n", bad);
      }

      int main(int count, char **words) {
        alarm(60);
        setvbuf(stdout, NULL, _IOLBF, 0);
        pipe(ends);
        pipe(full);
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
        listener = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(listener, (struct sockaddr *)&(sa_family_t){AF_UNIX}, sizeof(sa_family_t));
        listen(listener, 1);
        polled = epoll_create1(0);
        sem_init(&semaphore, 0, 0);
        int child = fork();
        if (child == 0) {
          sleep(20);
          _exit(0);
        }
        epoll_ctl(polled, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){EPOLLIN, {0}});
        cancels();
        interrupts();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        limits();
        locks();
        forms(words[1]);
        smallStack();
        jumpsOut();
        ownSignals();
        puts("end");
      }
      """
  }
}
