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

// They read and write within the C library.
EXPORT int eventfd_read(int fd, eventfd_t *value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

void lull_resolve_events(void) { FIND(eventfd) FIND(timerfd_create) }
