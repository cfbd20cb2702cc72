#define _GNU_SOURCE
#include "contents.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/fanotify.h>
#include <unistd.h>

int lull_contents_open(void) {
  int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK,
                         // A named pipe, where a kernel tells of one, must not be waited for.
                         O_RDONLY | O_NONBLOCK | O_LARGEFILE | O_CLOEXEC | O_NOATIME);
  return fd < 0 ? -errno : fd;
}

int lull_contents_mark(int fd, const char *path) {
  int status =
      fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_CLOSE_WRITE, AT_FDCWD, path);
  return status < 0 ? -errno : 0;
}

int lull_contents_read(int fd, struct lull_closed_file *files, size_t count) {
  struct fanotify_event_metadata events[64];
  size_t room = count < 64 ? count : 64;
  ssize_t size = read(fd, events, room * sizeof events[0]);
  if (size < 0) return -errno;
  int found = 0;
  struct fanotify_event_metadata *event = events;
  for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
    // A queue that overflowed is told by an event without a file.
    files[found].fd = event->fd;
    files[found].pid = event->pid;
    found++;
  }
  return found;
}
