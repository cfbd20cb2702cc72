#define _GNU_SOURCE
#include "CWorkloads.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring {
  int fd;
  unsigned *tail, *mask, *array, *completions_head;
  struct io_uring_sqe *entries;
  struct io_uring_cqe *completions;
  unsigned *completions_mask;
};

static int open_ring(struct ring *ring) {
  struct io_uring_params params;
  memset(&params, 0, sizeof params);
  ring->fd = (int)syscall(SYS_io_uring_setup, 4, &params);
  if (ring->fd < 0) return errno;
  size_t submissions = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  size_t completions =
      params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
  char *sq = mmap(NULL, submissions, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
                  IORING_OFF_SQ_RING);
  char *cq = mmap(NULL, completions, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
                  IORING_OFF_CQ_RING);
  ring->entries = mmap(NULL, params.sq_entries * sizeof(struct io_uring_sqe),
                       PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQES);
  if (sq == MAP_FAILED || cq == MAP_FAILED || ring->entries == MAP_FAILED) return errno;
  ring->tail = (unsigned *)(sq + params.sq_off.tail);
  ring->mask = (unsigned *)(sq + params.sq_off.ring_mask);
  ring->array = (unsigned *)(sq + params.sq_off.array);
  ring->completions_head = (unsigned *)(cq + params.cq_off.head);
  ring->completions_mask = (unsigned *)(cq + params.cq_off.ring_mask);
  ring->completions = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
  return 0;
}

/// Submits one request and waits for its end; gives its result.
static int perform(struct ring *ring, const struct io_uring_sqe *request) {
  unsigned tail = *ring->tail;
  unsigned index = tail & *ring->mask;
  ring->entries[index] = *request;
  ring->array[index] = index;
  __atomic_store_n(ring->tail, tail + 1, __ATOMIC_RELEASE);
  long submitted =
      syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
  if (submitted < 0) return -errno;
  unsigned head = *ring->completions_head;
  int result = ring->completions[head & *ring->completions_mask].res;
  __atomic_store_n(ring->completions_head, head + 1, __ATOMIC_RELEASE);
  return result;
}

int workload_ring_write(int fd, const void *bytes, size_t size, int count) {
  struct ring ring;
  int error = open_ring(&ring);
  if (error) return error;
  for (int i = 0; i < count; i++) {
    struct io_uring_sqe request;
    memset(&request, 0, sizeof request);
    request.opcode = IORING_OP_WRITE;
    request.fd = fd;
    request.addr = (unsigned long)bytes;
    request.len = (unsigned)size;
    request.off = (unsigned long long)i * size;
    int result = perform(&ring, &request);
    if (result < 0) return -result;
    if ((size_t)result != size) return EIO;
  }
  struct io_uring_sqe sync;
  memset(&sync, 0, sizeof sync);
  sync.opcode = IORING_OP_FSYNC;
  sync.fd = fd;
  int result = perform(&ring, &sync);
  close(ring.fd);
  return result < 0 ? -result : 0;
}
