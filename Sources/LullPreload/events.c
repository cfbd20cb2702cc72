#include "interpose.h"

#include <sys/eventfd.h>
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

// They read and write within the C library.
EXPORT int eventfd_read(int fd, eventfd_t *value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

void lull_resolve_events(void) { FIND(eventfd) FIND(timerfd_create) FIND(timerfd_settime) }
