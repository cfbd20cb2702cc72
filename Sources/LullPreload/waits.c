#include "interpose.h"

#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

// Where a thread waits: for descriptors, for a time, for a signal, for a child, for names.

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);

// What comes of the wait is told by what is read then.
#define POLLS(name, parameters, arguments, call_number) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    int result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, call_number, -1)) { \
      lull_agent.woken = result > 0; \
      lull_finish(&call, (struct outcome){.result = result, .descriptor = -1, .manner = manner_wait}); \
    } \
    return result; \
  }

DECLARE(poll)
POLLS(poll, (struct pollfd * entries, nfds_t count, int timeout), (entries, count, timeout), SYS_ppoll)
DECLARE(__poll_chk)
POLLS(__poll_chk, (struct pollfd * entries, nfds_t count, int timeout, size_t room), (entries, count, timeout,
    room), SYS_ppoll)
DECLARE(ppoll)
POLLS(ppoll, (struct pollfd * entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
      (entries, count, timeout, mask), SYS_ppoll)
DECLARE(__ppoll_chk)
POLLS(__ppoll_chk,
      (struct pollfd * entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room),
      (entries, count, timeout, mask, room), SYS_ppoll)
DECLARE(select)
POLLS(select, (int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *timeout),
      (count, reads, writes, others, timeout), SYS_pselect6)
DECLARE(pselect)
POLLS(pselect,
      (int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *timeout, const sigset_t *mask),
      (count, reads, writes, others, timeout, mask), SYS_pselect6)
DECLARE(epoll_wait)
POLLS(epoll_wait, (int fd, struct epoll_event *events, int count, int timeout), (fd, events, count, timeout),
    SYS_epoll_pwait)
DECLARE(epoll_pwait)
POLLS(epoll_pwait, (int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
      (fd, events, count, timeout, mask), SYS_epoll_pwait)
#if __GLIBC_PREREQ(2, 35)
DECLARE(epoll_pwait2)
POLLS(epoll_pwait2,
      (int fd, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask),
      (fd, events, count, timeout, mask), SYS_epoll_pwait)
#endif

DECLARE(nanosleep)
WAITS(int, nanosleep, (const struct timespec *length, struct timespec *rest), (length, rest), SYS_clock_nanosleep)
DECLARE(clock_nanosleep)
WAITS(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *length, struct timespec *rest),
      (clock, flags, length, rest), SYS_clock_nanosleep)
DECLARE(usleep) WAITS(int, usleep, (useconds_t length), (length), SYS_clock_nanosleep)
DECLARE(sleep) WAITS(unsigned, sleep, (unsigned length), (length), SYS_clock_nanosleep)

DECLARE(sigsuspend) WAITS(int, sigsuspend, (const sigset_t *mask), (mask), SYS_rt_sigsuspend)
DECLARE(pause) WAITS(int, pause, (void), (), SYS_rt_sigsuspend)

DECLARE(wait) WAITS(pid_t, wait, (int *status), (status), SYS_wait4)
DECLARE(waitpid) WAITS(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options), SYS_wait4)
DECLARE(wait3)
WAITS(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage), SYS_wait4)
DECLARE(wait4)
WAITS(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage), (child, status, options, usage),
    SYS_wait4)
DECLARE(waitid)
WAITS(int, waitid, (idtype_t type, id_t child, siginfo_t *information, int options), (type, child, information,
    options), SYS_waitid)
DECLARE(system) WAITS(int, system, (const char *command), (command), SYS_wait4)
DECLARE(pclose) WAITS(int, pclose, (FILE * stream), (stream), SYS_wait4)

DECLARE(getaddrinfo)
WAITS(int, getaddrinfo, (const char *node, const char *service, const struct addrinfo *hints,
    struct addrinfo **result_list),
      (node, service, hints, result_list), lull_number_names)

// The parent stands still until the child runs its program.
DECLARE(posix_spawn)
WAITS(int, posix_spawn,
      (pid_t * child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
       char *const arguments[], char *const environment[]),
      (child, path, actions, attributes, arguments, environment), SYS_clone)
DECLARE(posix_spawnp)
WAITS(int, posix_spawnp,
      (pid_t * child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
       char *const arguments[], char *const environment[]),
      (child, path, actions, attributes, arguments, environment), SYS_clone)

void lull_resolve_waits(void) {
  FIND(poll) FIND(__poll_chk) FIND(ppoll) FIND(__ppoll_chk) FIND(select) FIND(pselect) FIND(epoll_wait)
  FIND(epoll_pwait)
#if __GLIBC_PREREQ(2, 35)
  FIND(epoll_pwait2)
#endif
  FIND(nanosleep) FIND(clock_nanosleep) FIND(usleep) FIND(sleep)
  FIND(sigsuspend) FIND(pause)
  FIND(wait) FIND(waitpid) FIND(wait3) FIND(wait4) FIND(waitid) FIND(system) FIND(pclose)
  FIND(getaddrinfo) FIND(posix_spawn) FIND(posix_spawnp)
}
