#include "interpose.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Descriptors of no file, of which the kernel does not tell one kind from another: known from where they are made.

DECLARE(eventfd)
EXPORT int eventfd(unsigned value, int flags) {
  int result = REAL(eventfd)(value, flags);
  lull_know_descriptor(result, lull_descriptor_event);
  return result;
}

DECLARE(timerfd_create)
EXPORT int timerfd_create(clockid_t clock, int flags) {
  int result = REAL(timerfd_create)(clock, flags);
  lull_know_descriptor(result, lull_descriptor_timer);
  return result;
}

// When it goes off first, by the clock of all else, and how often after that.
DECLARE(timerfd_settime)
EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_timerfd_settime, fd);
  int result = REAL(timerfd_settime)(fd, flags, value, old);
  if (!is_told && !lull_is_late(&call, SYS_timerfd_settime, fd)) return result;
  uint64_t first = 0, interval = 0;
  if (result == 0) {
    first = (uint64_t)value->it_value.tv_sec * 1000000000 + (uint64_t)value->it_value.tv_nsec;
    interval = (uint64_t)value->it_interval.tv_sec * 1000000000 + (uint64_t)value->it_interval.tv_nsec;
    if (first) first += flags & TFD_TIMER_ABSTIME ? -lull_clock_ahead : call.start;
  }
  lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)fd, .second = first, .third = interval,
      .descriptor = -1});
  return result;
}

// Two descriptors, of which one brings what is written to the other.
#define JOINS(name, parameters, arguments, call_number) \
  DECLARE(name) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    int result = REAL(name) arguments; \
    is_told = is_told || lull_is_late(&call, call_number, -1); \
    if (result == 0) { \
      lull_forget_descriptor(ends[0]); \
      lull_forget_descriptor(ends[1]); \
    } \
    if (is_told) { \
      struct outcome outcome = {.result = result, .descriptor = -1}; \
      if (result == 0) { \
        outcome.first = (uint64_t)ends[0]; \
        outcome.second = (uint64_t)ends[1]; \
      } \
      lull_finish(&call, outcome); \
    } \
    return result; \
  }
JOINS(pipe, (int ends[2]), (ends), SYS_pipe2)
JOINS(pipe2, (int ends[2], int flags), (ends, flags), SYS_pipe2)
JOINS(socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends), SYS_socketpair)

// They read and write within the C library.
EXPORT int eventfd_read(int fd, eventfd_t *value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

void lull_resolve_events(void) {
  FIND(eventfd) FIND(timerfd_create) FIND(timerfd_settime) FIND(pipe) FIND(pipe2) FIND(socketpair)
}
