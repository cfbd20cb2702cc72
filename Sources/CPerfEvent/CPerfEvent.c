#define _GNU_SOURCE
#include "CPerfEvent.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif

// The bit field of perf_event_attr begins after type, size, config, period, sample type and
// read format, and it has no address in C.
enum { attr_flags_offset = offsetof(struct perf_event_attr, read_format) + 8 };

int lull_perf_event_open(const struct lull_event *event, pid_t pid, int cpu, int group_fd) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.type = event->type;
  attr.size = sizeof attr;
  attr.config = event->config;
  attr.sample_period = event->sample_period;
  attr.sample_type = event->sample_type;
  attr.read_format = event->read_format;
  memcpy((char *)&attr + attr_flags_offset, &event->flags, sizeof event->flags);
  attr.wakeup_events = event->wakeup;
  attr.config1 = event->config1;
  attr.config2 = event->config2;
  attr.sample_regs_user = event->sample_regs_user;
  attr.sample_stack_user = event->sample_stack_user;
  attr.clockid = event->clockid;
  long fd = syscall(__NR_perf_event_open, &attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? -errno : (int)fd;
}

static int control(int fd, unsigned long request, unsigned long argument) {
  return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

int lull_perf_enable(int fd) { return control(fd, PERF_EVENT_IOC_ENABLE, 0); }
int lull_perf_disable(int fd) { return control(fd, PERF_EVENT_IOC_DISABLE, 0); }

int lull_perf_set_period(int fd, uint64_t period) {
  return control(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

int lull_perf_set_filter(int fd, const char *filter) {
  return control(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter);
}

int lull_perf_set_output(int fd, int ring_fd) {
  return control(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)ring_fd);
}

int lull_perf_id(int fd, uint64_t *id) {
  return control(fd, PERF_EVENT_IOC_ID, (unsigned long)id);
}

int lull_perf_read(int fd, uint64_t *count, uint64_t *lost, int has_lost) {
  uint64_t values[2] = {0, 0};
  ssize_t n = read(fd, values, has_lost ? 16 : 8);
  if (n < 0) return -errno;
  if (n < (has_lost ? 16 : 8)) return -ENODATA;
  *count = values[0];
  *lost = values[1];
  return 0;
}

int lull_ring_map(int fd, size_t data_bytes, struct lull_ring *ring) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *base = mmap(NULL, data_bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return -errno;
  ring->base = base;
  ring->data = (uint8_t *)base + page;
  ring->data_size = data_bytes;
  return 0;
}

void lull_ring_unmap(struct lull_ring *ring) {
  if (!ring->base) return;
  munmap(ring->base, ring->data_size + (size_t)sysconf(_SC_PAGESIZE));
  ring->base = NULL;
  ring->data = NULL;
}

// The kernel writes the records before it moves data_head; we read the records before we move
// data_tail: acquire and release, as the comment on struct perf_event_mmap_page demands.
uint64_t lull_ring_head(const struct lull_ring *ring) {
  struct perf_event_mmap_page *page = ring->base;
  return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

uint64_t lull_ring_tail(const struct lull_ring *ring) {
  struct perf_event_mmap_page *page = ring->base;
  return __atomic_load_n(&page->data_tail, __ATOMIC_RELAXED);
}

void lull_ring_set_tail(const struct lull_ring *ring, uint64_t tail) {
  struct perf_event_mmap_page *page = ring->base;
  __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

int lull_poll(struct pollfd *entries, size_t count, uint64_t nanoseconds) {
  struct timespec timeout = {
      .tv_sec = (time_t)(nanoseconds / 1000000000u), .tv_nsec = (long)(nanoseconds % 1000000000u)};
  int ready = ppoll(entries, count, &timeout, NULL);
  return ready < 0 ? -errno : ready;
}

void lull_release_memory(void) { malloc_trim(0); }

// malloc_trim leaves the reserve at the end of a thread's arena, which grows with the largest block that was ever freed
// (mallopt(3)): after each part of a recording that of another thread was 22 MB larger.
void lull_hold_little_memory(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

int lull_pidfd_open(pid_t pid) {
  long fd = syscall(__NR_pidfd_open, pid, 0);
  return fd < 0 ? -errno : (int)fd;
}

int lull_pidfd_send_signal(int pidfd, int signal) {
  return syscall(__NR_pidfd_send_signal, pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

static uint64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t lull_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
uint64_t lull_wall_ns(void) { return clock_ns(CLOCK_REALTIME); }
pid_t lull_gettid(void) { return (pid_t)syscall(__NR_gettid); }

int64_t lull_lockable_bytes(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur > INT64_MAX / 2) return -1;
  return (int64_t)limit.rlim_cur;
}

int lull_tracefs_mount(void) {
#if defined(__NR_fsopen) && defined(__NR_fsconfig) && defined(__NR_fsmount)
  // The numbers of FSOPEN_CLOEXEC, FSCONFIG_CMD_CREATE and FSMOUNT_CLOEXEC in linux/mount.h,
  // which cannot be included beside sys/mount.h everywhere.
  enum { fsopen_cloexec = 1, fsconfig_create = 6, fsmount_cloexec = 1 };
  int context = (int)syscall(__NR_fsopen, "tracefs", fsopen_cloexec);
  if (context < 0) return -errno;
  int result;
  if (syscall(__NR_fsconfig, context, fsconfig_create, NULL, NULL, 0) < 0) {
    result = -errno;
  } else {
    result = (int)syscall(__NR_fsmount, context, fsmount_cloexec, 0);
    if (result < 0) result = -errno;
  }
  close(context);
  return result;
#else
  return -ENOSYS;
#endif
}

int lull_tracefs_mount_at(const char *directory) {
  if (unshare(CLONE_NEWNS) < 0) return -errno;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return -errno;
  if (mount("tracefs", directory, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
    return -errno;
  return 0;
}
