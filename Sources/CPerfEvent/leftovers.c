#define _GNU_SOURCE
#include "leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In microseconds. */
enum { LOCK_PAUSE = 5000, LONG_CLOSE = 1000 };

static int by_number(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

/* Linux 5.9; before, one by one as far as descriptors usually go. */
static void close_from_to(unsigned first, unsigned last) {
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
  for (unsigned fd = first; fd <= last && fd < 65536; fd++) close((int)fd);
}

/* Only what may be called between fork and exec: other threads may have held locks. */
static void take_back(const struct lull_leftovers *leftovers, const int *kept, size_t kept_count, int gate) {
  setsid();
  if (chdir("/") < 0) _exit(1);
  int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3 && nothing >= 0; fd++) dup2(nothing, fd);
  // A pipe of somebody else's must not stay open for this.
  unsigned from = 3;
  for (size_t i = 0; i < kept_count; i++) {
    if (kept[i] < 3 || (unsigned)kept[i] < from) continue;
    if ((unsigned)kept[i] > from) close_from_to(from, (unsigned)kept[i] - 1);
    from = (unsigned)kept[i] + 1;
  }
  close_from_to(from, ~0U);
  char byte;
  while (read(gate, &byte, 1) < 0 && errno == EINTR) {
  }
  for (size_t i = 0; i < leftovers->count; i++) {
    /* Who opens events waits for each that is closed. He asks for the lock five times as often, and comes between
       two: but where something else holds the event, it takes no time and nobody waits. */
    int is_locked = 0;
    while (leftovers->definitions >= 0 && !is_locked) {
      is_locked = flock(leftovers->definitions, LOCK_EX | LOCK_NB) == 0;
      if (!is_locked && errno != EWOULDBLOCK && errno != EINTR) break;
      if (!is_locked) usleep(LOCK_PAUSE);
    }
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    close(leftovers->descriptors[i]);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long took = (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
    if (is_locked) flock(leftovers->definitions, LOCK_UN);
    if (is_locked && took > LONG_CLOSE) usleep(LOCK_PAUSE);
  }
  for (size_t i = 0; i < leftovers->line_count; i++) {
    ssize_t ignored = write(leftovers->definitions, leftovers->lines[i], strlen(leftovers->lines[i]));
    (void)ignored;
  }
  _exit(0);
}

int lull_leave(const struct lull_leftovers *leftovers, int *gate) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  size_t count = leftovers->count + 3;
  int *kept = malloc(count * sizeof *kept);
  int error = kept ? 0 : ENOMEM;
  pid_t first = -1;
  if (kept) {
    if (leftovers->count) memcpy(kept, leftovers->descriptors, leftovers->count * sizeof *kept);
    kept[count - 2] = ends[0];
    kept[count - 1] = leftovers->definitions;
    kept[count - 3] = leftovers->presence;
    qsort(kept, count, sizeof *kept, by_number);
    first = fork();
    if (first < 0) error = errno;
  }
  if (first == 0) {
    // Its own child is nobody's to wait for.
    pid_t second = fork();
    if (second == 0) {
      close(ends[1]);
      take_back(leftovers, kept, count, ends[0]);
    }
    _exit(second < 0 ? 1 : 0);
  }
  free(kept);
  close(ends[0]);
  int status = 0;
  if (first > 0) {
    while (waitpid(first, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) error = EAGAIN;
  }
  if (error) {
    close(ends[1]);
    return -error;
  }
  *gate = ends[1];
  return 0;
}
