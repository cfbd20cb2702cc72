#include "interpose.h"

#include "wakes.h"

#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <resolv.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

// Where a thread waits: for descriptors, for a time, for a signal, for a child, for names.

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);

static uint64_t of_seconds(uint64_t seconds, uint64_t parts, uint64_t nanoseconds) {
  // What is too long for that has no end.
  return seconds < 1000000000 ? seconds * 1000000000 + parts * nanoseconds : 0;
}

// Of a call that is not to wait.
#define NO_LENGTH UINT64_MAX

// How long a wait may take, in nanoseconds; 0 where it has no end.
static uint64_t of_milliseconds(int length) {
  return length > 0 ? (uint64_t)length * 1000000 : length == 0 ? NO_LENGTH : 0;
}
static uint64_t of_timeval(const struct timeval *length) {
  if (length && length->tv_sec == 0 && length->tv_usec == 0) return NO_LENGTH;
  return length ? of_seconds((uint64_t)length->tv_sec, (uint64_t)length->tv_usec, 1000) : 0;
}
static uint64_t of_limit(const struct timespec *length) {
  if (length && length->tv_sec == 0 && length->tv_nsec == 0) return NO_LENGTH;
  return length ? of_seconds((uint64_t)length->tv_sec, (uint64_t)length->tv_nsec, 1) : 0;
}
// Of a sleep.
static uint64_t of_timespec(const struct timespec *length) {
  return length ? of_seconds((uint64_t)length->tv_sec, (uint64_t)length->tv_nsec, 1) : 0;
}

// What comes of the wait is told by what is read then, or else that its time was over, and when that was.
#define POLLS(name, parameters, arguments, call_number, before, after) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    uint64_t length = before; \
    int result = REAL(name) arguments; \
    if (is_told && result >= 0) length += after; \
    bool is_look = length == NO_LENGTH, is_over = is_told && result == 0 && length > 0 && !is_look; \
    if (is_told || lull_is_late(&call, call_number, -1)) { \
      lull_finish(&call, (struct outcome){.result = result, .second = is_over ? call.start + length : 0, \
                                          .descriptor = -1, \
                                          .manner = manner_wait | manner_polled | (is_look ? manner_look : 0)}); \
    } \
    return result; \
  }

// A length that lies in memory is looked at once the kernel has found it to be there; but one that the call changes,
// which the C library itself looks at first.

DECLARE(poll)
POLLS(poll, (struct pollfd * entries, nfds_t count, int timeout), (entries, count, timeout), SYS_ppoll,
      of_milliseconds(timeout), 0)
DECLARE(__poll_chk)
POLLS(__poll_chk, (struct pollfd * entries, nfds_t count, int timeout, size_t room), (entries, count, timeout,
    room), SYS_ppoll, of_milliseconds(timeout), 0)
DECLARE(ppoll)
POLLS(ppoll, (struct pollfd * entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
      (entries, count, timeout, mask), SYS_ppoll, 0, of_limit(timeout))
DECLARE(__ppoll_chk)
POLLS(__ppoll_chk,
      (struct pollfd * entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room),
      (entries, count, timeout, mask, room), SYS_ppoll, 0, of_limit(timeout))
DECLARE(select)
POLLS(select, (int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *timeout),
      (count, reads, writes, others, timeout), SYS_pselect6, of_timeval(timeout), 0)
DECLARE(pselect)
POLLS(pselect,
      (int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *timeout, const sigset_t *mask),
      (count, reads, writes, others, timeout, mask), SYS_pselect6, 0, of_limit(timeout))
DECLARE(epoll_wait)
POLLS(epoll_wait, (int fd, struct epoll_event *events, int count, int timeout), (fd, events, count, timeout),
    SYS_epoll_pwait, of_milliseconds(timeout), 0)
DECLARE(epoll_pwait)
POLLS(epoll_pwait, (int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
      (fd, events, count, timeout, mask), SYS_epoll_pwait, of_milliseconds(timeout), 0)
#if __GLIBC_PREREQ(2, 35)
DECLARE(epoll_pwait2)
POLLS(epoll_pwait2,
      (int fd, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask),
      (fd, events, count, timeout, mask), SYS_epoll_pwait, 0, of_limit(timeout))
#endif

// A sleep that was not cut short tells when its time was over.
#define SLEEPS(type, name, parameters, arguments, until) \
  EXPORT type name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_clock_nanosleep, -1); \
    uint64_t start = is_told ? call.start : 0; \
    type result = REAL(name) arguments; \
    uint64_t end = is_told && result == 0 ? (until) : 0; \
    if (is_told || lull_is_late(&call, SYS_clock_nanosleep, -1)) { \
      lull_finish(&call, (struct outcome){.result = 0, .second = end, .descriptor = -1, .manner = manner_wait}); \
    } \
    return result; \
  }
DECLARE(nanosleep)
SLEEPS(int, nanosleep, (const struct timespec *length, struct timespec *rest), (length, rest),
    start + of_timespec(length))
DECLARE(clock_nanosleep)
SLEEPS(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *length, struct timespec *rest),
      (clock, flags, length, rest),
      clock != CLOCK_MONOTONIC && (flags & TIMER_ABSTIME || clock != CLOCK_REALTIME)
          ? LULL_SOMETIME : (flags & TIMER_ABSTIME ? -lull_clock_ahead : start) + of_timespec(length))
DECLARE(thrd_sleep)
SLEEPS(int, thrd_sleep, (const struct timespec *length, struct timespec *rest), (length, rest),
       start + of_timespec(length))
DECLARE(usleep) SLEEPS(int, usleep, (useconds_t length), (length), start + (uint64_t)length * 1000)
DECLARE(sleep) SLEEPS(unsigned, sleep, (unsigned length), (length), start + (uint64_t)length * 1000000000)

DECLARE(sigsuspend) WAITS(int, sigsuspend, (const sigset_t *mask), (mask), SYS_rt_sigsuspend)
DECLARE(pause) WAITS(int, pause, (void), (), SYS_rt_sigsuspend)

DECLARE(wait) WAITS(pid_t, wait, (int *status), (status), SYS_wait4)
DECLARE(waitpid)
WAITS_UNLESS(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options), SYS_wait4,
             options & WNOHANG)
DECLARE(wait3)
WAITS_UNLESS(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage), SYS_wait4,
             options & WNOHANG)
DECLARE(wait4)
WAITS_UNLESS(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage),
             (child, status, options, usage), SYS_wait4, options & WNOHANG)
DECLARE(waitid)
WAITS_UNLESS(int, waitid, (idtype_t type, id_t child, siginfo_t *information, int options),
             (type, child, information, options), SYS_waitid, options & WNOHANG)
DECLARE(system) WAITS(int, system, (const char *command), (command), SYS_wait4)
DECLARE(pclose) WAITS(int, pclose, (FILE * stream), (stream), SYS_wait4)

// Messages of POSIX and of System V. The wait for one may be over by its time: an error's number.
#define EXCHANGES(type, name, parameters, arguments, call_number, hands_on) \
  DECLARE(name) \
  EXPORT type name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    type result = REAL(name) arguments; \
    if ((hands_on) && result == 0) lull_hand_on(); \
    if (is_told || lull_is_late(&call, call_number, -1)) { \
      lull_finish(&call, (struct outcome){.second = result < 0 ? (uint64_t)errno : 0, .descriptor = -1, \
                                          .manner = manner_wait}); \
    } \
    return result; \
  }
EXCHANGES(ssize_t, mq_receive, (mqd_t queue, char *text, size_t room, unsigned *priority),
          (queue, text, room, priority), SYS_mq_timedreceive, false)
EXCHANGES(ssize_t, mq_timedreceive,
          (mqd_t queue, char *text, size_t room, unsigned *priority, const struct timespec *until),
          (queue, text, room, priority, until), SYS_mq_timedreceive, false)
EXCHANGES(int, mq_send, (mqd_t queue, const char *text, size_t length, unsigned priority),
          (queue, text, length, priority), SYS_mq_timedsend, true)
EXCHANGES(int, mq_timedsend,
          (mqd_t queue, const char *text, size_t length, unsigned priority, const struct timespec *until),
          (queue, text, length, priority, until), SYS_mq_timedsend, true)
DECLARE(msgrcv)
WAITS_UNLESS(ssize_t, msgrcv, (int queue, void *message, size_t room, long type, int flags),
             (queue, message, room, type, flags), SYS_msgrcv, flags & IPC_NOWAIT)
DECLARE(msgsnd)
EXPORT int msgsnd(int queue, const void *message, size_t length, int flags) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_msgsnd, -1);
  int result = REAL(msgsnd)(queue, message, length, flags);
  if (result == 0) lull_hand_on();
  if (is_told || lull_is_late(&call, SYS_msgsnd, -1)) {
    bool is_look = flags & IPC_NOWAIT;
    lull_finish(&call, (struct outcome){.descriptor = -1, .manner = manner_wait | (is_look ? manner_look : 0)});
  }
  return result;
}

// What the C library sends and receives for a name is seen by nobody here. Whether it had to ask for it is known by
// whether the thread slept.
#define ASKS(type, name, parameters, arguments) \
  DECLARE(name) \
  EXPORT type name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, lull_number_names, -1); \
    if (is_told) lull_runs_long(&call); \
    type result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, lull_number_names, -1)) { \
      lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1, .manner = manner_wait}); \
    } \
    return result; \
  }
ASKS(int, getaddrinfo, (const char *node, const char *service, const struct addrinfo *hints,
    struct addrinfo **result_list),
     (node, service, hints, result_list))
ASKS(int, getnameinfo, (const struct sockaddr *address, socklen_t size, char *host, socklen_t host_size, char *service,
    socklen_t service_size, int flags), (address, size, host, host_size, service, service_size, flags))
ASKS(struct hostent *, gethostbyname, (const char *node), (node))
ASKS(struct hostent *, gethostbyname2, (const char *node, int family), (node, family))
ASKS(int, gethostbyname_r, (const char *node, struct hostent *host, char *buffer, size_t size,
    struct hostent **result_place, int *error), (node, host, buffer, size, result_place, error))
ASKS(int, gethostbyname2_r, (const char *node, int family, struct hostent *host, char *buffer, size_t size,
    struct hostent **result_place, int *error), (node, family, host, buffer, size, result_place, error))
ASKS(struct hostent *, gethostbyaddr, (const void *address, socklen_t size, int family), (address, size, family))
ASKS(int, gethostbyaddr_r, (const void *address, socklen_t address_size, int family, struct hostent *host,
    char *buffer, size_t size, struct hostent **result_place, int *error),
     (address, address_size, family, host, buffer, size, result_place, error))
#if __GLIBC_PREREQ(2, 34)
// Before that they were in a library of their own, which need not be there.
ASKS(int, res_query, (const char *node, int kind, int type, unsigned char *answer, int size),
     (node, kind, type, answer, size))
ASKS(int, res_search, (const char *node, int kind, int type, unsigned char *answer, int size),
     (node, kind, type, answer, size))
ASKS(int, res_send, (const unsigned char *query, int length, unsigned char *answer, int size),
     (query, length, answer, size))
ASKS(int, res_nquery, (res_state state, const char *node, int kind, int type, unsigned char *answer, int size),
     (state, node, kind, type, answer, size))
ASKS(int, res_nsearch, (res_state state, const char *node, int kind, int type, unsigned char *answer, int size),
     (state, node, kind, type, answer, size))
ASKS(int, res_nsend, (res_state state, const unsigned char *query, int length, unsigned char *answer, int size),
     (state, query, length, answer, size))
#endif

// The parent stands still until the child runs its program.
#define SPAWNS(name) \
  DECLARE(name) \
  EXPORT int name(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, \
      const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) { \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_clone, -1); \
    GIVE_LIBRARY(environment) \
    int result = REAL(name)(child, path, actions, attributes, words, environment); \
    if (is_told || lull_is_late(&call, SYS_clone, -1)) { \
      lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1, .manner = manner_wait}); \
    } \
    return result; \
  }
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

void lull_resolve_waits(void) {
  FIND(poll) FIND(__poll_chk) FIND(ppoll) FIND(__ppoll_chk) FIND(select) FIND(pselect) FIND(epoll_wait)
  FIND(epoll_pwait)
#if __GLIBC_PREREQ(2, 35)
  FIND(epoll_pwait2)
#endif
  FIND(nanosleep) FIND(clock_nanosleep) FIND(thrd_sleep) FIND(usleep) FIND(sleep)
  FIND(sigsuspend) FIND(pause)
  FIND(mq_receive) FIND(mq_timedreceive) FIND(mq_send) FIND(mq_timedsend) FIND(msgrcv) FIND(msgsnd)
  FIND(wait) FIND(waitpid) FIND(wait3) FIND(wait4) FIND(waitid) FIND(system) FIND(pclose)
  FIND(getaddrinfo) FIND(getnameinfo) FIND(gethostbyname) FIND(gethostbyname2) FIND(gethostbyname_r)
  FIND(gethostbyname2_r) FIND(gethostbyaddr) FIND(gethostbyaddr_r)
#if __GLIBC_PREREQ(2, 34)
  FIND(res_query) FIND(res_search) FIND(res_send) FIND(res_nquery) FIND(res_nsearch) FIND(res_nsend)
#endif
  FIND(posix_spawn) FIND(posix_spawnp)
}
