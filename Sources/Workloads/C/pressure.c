#define _GNU_SOURCE
#include "CWorkloads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// This process's group in a line of /proc/self/cgroup that begins so, without the line's end.
static int own_group(const char *controller, char *path, size_t size) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (!file) return -errno;
  char line[512];
  int found = -ENOENT;
  while (found != 0 && fgets(line, sizeof line, file)) {
    char *names = strchr(line, ':');
    char *group = names ? strchr(names + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (strcmp(names + 1, controller) == 0) {
      snprintf(path, size, "%s", group);
      found = 0;
    }
  }
  fclose(file);
  return found;
}

// Version 1: an event descriptor that the kernel counts up (cgroup-v1/memory.rst, section 11).
static int wait_first(void) {
  char group[400], path[480];
  int status = own_group("memory", group, sizeof group);
  if (status < 0) return status;
  snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.pressure_level", group);
  int level = open(path, O_RDONLY | O_CLOEXEC);
  if (level < 0) return -errno;
  snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/cgroup.event_control", group);
  int control = open(path, O_WRONLY | O_CLOEXEC);
  int event = eventfd(0, EFD_CLOEXEC);
  char line[64];
  int length = snprintf(line, sizeof line, "%d %d low", event, level);
  if (control < 0 || event < 0 || write(control, line, (size_t)length) < 0) return -errno;
  uint64_t count;
  return read(event, &count, sizeof count) < 0 ? -errno : 0;
}

// Version 2: a trigger at 20 ms of stalls in a second (accounting/psi.rst).
static int wait_second(void) {
  char group[400], path[480];
  int status = own_group("", group, sizeof group);
  if (status < 0) return status;
  snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.pressure", group);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  const char *trigger = "some 20000 1000000";
  if (fd < 0 || write(fd, trigger, strlen(trigger) + 1) < 0) return -errno;
  struct pollfd polled = {.fd = fd, .events = POLLPRI};
  return poll(&polled, 1, -1) < 0 ? -errno : 0;
}

int workload_wait_for_pressure(void) { return wait_first() < 0 ? wait_second() : 0; }
