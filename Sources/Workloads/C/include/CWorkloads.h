#ifndef CWORKLOADS_H
#define CWORKLOADS_H

#include <sys/types.h>

/// Writes `count` times `size` bytes to a file through io_uring, one at a time, then syncs it.
/// Gives 0, or an errno.
int workload_ring_write(int fd, const void *bytes, size_t size, int count);

/// splice and copy_file_range at the present offsets, which Swift does not import.
ssize_t workload_splice(int from, int to, size_t size);
ssize_t workload_copy_range(int from, int to, size_t size);

/// Waits until the kernel tells that memory is short in this process's own memory cgroup, of either version.
/// Gives 0, or a negative errno where it cannot tell.
int workload_wait_for_pressure(void);

#endif
