// What Swift cannot do by itself: raw system calls, ring barriers, fork and exec, signal handlers.
//
// Every function that can fail returns a negative errno.
#ifndef LULL_CPERFEVENT_H
#define LULL_CPERFEVENT_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "contents.h"
#include "leftovers.h"
#include "marks.h"
#include "sockets.h"
#include "tracefs.h"

/// The fields of `struct perf_event_attr` that Lull sets; `flags` is its whole bit field.
struct lull_event {
  uint32_t type;
  uint64_t config;
  uint64_t sample_period;
  uint64_t sample_type;
  uint64_t read_format;
  uint64_t flags;
  uint32_t wakeup;
  uint64_t config1;
  uint64_t config2;
  uint64_t sample_regs_user;
  uint32_t sample_stack_user;
  int32_t clockid;
};

/// `perf_event_open` with PERF_FLAG_FD_CLOEXEC.
int lull_perf_event_open(const struct lull_event *event, pid_t pid, int cpu, int group_fd);
int lull_perf_enable(int fd);
int lull_perf_disable(int fd);
/* PERF_EVENT_IOC_PERIOD: a frequency where the event has one; the next event is recorded in any case. */
int lull_perf_set_period(int fd, uint64_t period);
int lull_perf_set_filter(int fd, const char *filter);
int lull_perf_set_output(int fd, int ring_fd);
int lull_perf_id(int fd, uint64_t *id);
/// Reads the count, and the lost samples if the event was opened with PERF_FORMAT_LOST.
int lull_perf_read(int fd, uint64_t *count, uint64_t *lost, int has_lost);

/// A mapped ring buffer; `data_size` is a power of two.
struct lull_ring {
  void *base;
  uint8_t *data;
  uint64_t data_size;
};
int lull_ring_map(int fd, size_t data_bytes, struct lull_ring *ring);
void lull_ring_unmap(struct lull_ring *ring);
uint64_t lull_ring_head(const struct lull_ring *ring);
uint64_t lull_ring_tail(const struct lull_ring *ring);
void lull_ring_set_tail(const struct lull_ring *ring, uint64_t tail);

/// `ppoll`, which Swift cannot see without _GNU_SOURCE, with nanoseconds.
int lull_poll(struct pollfd *entries, size_t count, uint64_t nanoseconds);
int lull_pidfd_open(pid_t pid);
int lull_pidfd_send_signal(int pidfd, int signal);
uint64_t lull_monotonic_ns(void);
uint64_t lull_wall_ns(void);
pid_t lull_gettid(void);
/// Gives what the heap holds in reserve back to the system (malloc_trim, which Swift cannot see either).
void lull_release_memory(void);
/// From now on all threads share one heap, and blocks of more than 256 KiB go back to the system when they are freed:
/// for what runs for days and works hard now and then. To be called before there are many threads.
void lull_hold_little_memory(void);
/// The bytes that a process may lock in memory (RLIMIT_MEMLOCK, which Swift cannot see either); -1 without a limit.
int64_t lull_lockable_bytes(void);

/// A tracefs mounted for this process alone: a descriptor whose /proc/self/fd path can be walked.
/// Linux 5.2 (fsopen); nothing is attached to any mount namespace.
int lull_tracefs_mount(void);
/// A private mount namespace for the calling thread, for kernels without fsopen.
int lull_tracefs_mount_at(const char *directory);

/// How a wrapped command is started.
struct lull_command {
  char *const *argv;
  char *const *envp;
  int drops_privilege;
  uid_t uid;
  gid_t gid;
  const char *user;
};
/// A started command: it waits until the gate is opened, then becomes the command.
struct lull_child {
  pid_t pid;
  int gate_fd;
  int error_fd;
};
int lull_spawn(const struct lull_command *command, struct lull_child *child);
/// Lets the child go on; returns 0, or the negative errno of its failed exec.
int lull_release(struct lull_child *child);
void lull_abandon(struct lull_child *child);
/// Has this process sent a signal when the thread that started it ends, however that comes (prctl, PR_SET_PDEATHSIG).
int lull_end_with_parent(int signal);
/// 1 if the child was reaped, 0 if it still runs; never blocks when `wait` is 0.
int lull_reap(pid_t pid, int wait, int *status, struct rusage *usage);

/// A file in memory alone, closed on exec (memfd_create): its descriptor, or -errno.
int lull_memory_file(const char *name);

/// Counts SIGINT, SIGTERM and SIGHUP, ignores SIGPIPE, and writes a byte to `wake_fd` at each.
int lull_signals_install(int wake_fd);
void lull_signals_restore(void);
int lull_signals_count(int signal);
int lull_wake_pipe(int fds[2]);

#endif
