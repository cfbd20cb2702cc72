#include "programs.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void lull_bpf_rings_size(lull_bpf_programs *programs) {
  struct bpf_map *rings = lull_libbpf.bpf_object__find_map_by_name(programs->object, "rings");
  if (rings && programs->ring_count > 0) lull_libbpf.bpf_map__set_max_entries(rings, programs->ring_count);
}

void lull_bpf_rings_close(lull_bpf_programs *programs) {
  if (programs->ring_taken) munmap((void *)programs->ring_taken, (size_t)sysconf(_SC_PAGESIZE));
  if (programs->ring_given) munmap((void *)programs->ring_given, (size_t)sysconf(_SC_PAGESIZE));
  if (programs->ring) lull_libbpf.ring_buffer__free(programs->ring);
  if (programs->rings) munmap(programs->rings, programs->ring_count * sizeof *programs->rings);
}

/* A program that fills the ring faster than it is emptied would never let go of it: so much is taken at once. */
#define MOST_TAKEN (16u << 20)

static int take(void *context, void *record, size_t size) {
  lull_bpf_programs *programs = context;
  if (((const struct lull_kernel_head *)record)->time > programs->horizon && size <= sizeof programs->held) {
    memcpy(&programs->held, record, size);
    programs->held_size = size;
    return -EAGAIN;
  }
  programs->take(programs->context, record, size);
  programs->taken += size;
  /* An error leaves the rest for the next time. */
  return programs->taken < MOST_TAKEN ? 0 : -EAGAIN;
}

static const uint64_t *map_page(int map, int page) {
  long size = sysconf(_SC_PAGESIZE);
  void *memory = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, map, page * size);
  return memory == MAP_FAILED ? NULL : memory;
}

int lull_bpf_ring_open(lull_bpf_programs *programs, const char *name, lull_bpf_take taking, void *context) {
  int map = lull_bpf_map(programs, name);
  if (map < 0) return map;
  programs->take = taking;
  programs->context = context;
  programs->ring = lull_libbpf.ring_buffer__new(map, take, programs, NULL);
  if (!programs->ring) return -errno;
  programs->ring_taken = map_page(map, 0);
  programs->ring_given = map_page(map, 1);
  int rings = lull_bpf_map(programs, "rings");
  if (rings < 0) return rings;
  size_t size = programs->ring_count * sizeof *programs->rings;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, rings, 0);
  if (memory == MAP_FAILED) return -errno;
  programs->rings = memory;
  return 0;
}

/* Without a default: the compiler says which kind is missing. */
static size_t size_of(enum lull_kernel_kind kind) {
  switch (kind) {
    case lull_kernel_switch: return sizeof(struct lull_kernel_switch_record);
    case lull_kernel_job: return sizeof(struct lull_kernel_job_record);
    case lull_kernel_job_end:
    case lull_kernel_job_handed:
    case lull_kernel_task: return sizeof(struct lull_kernel_job_mark);
    case lull_kernel_waking: return sizeof(struct lull_kernel_waking_record);
    case lull_kernel_site: return sizeof(struct lull_kernel_site_record);
    case lull_kernel_call:
    case lull_kernel_calls:
    case lull_kernel_spin:
    case lull_kernel_spins:
    case lull_kernel_read:
    case lull_kernel_reads: return sizeof(struct lull_kernel_call_record);
    case lull_kernel_send:
    case lull_kernel_receive: return sizeof(struct lull_kernel_transfer_record);
    /* In the ring that all share. */
    case lull_kernel_ends: return sizeof(struct lull_kernel_ends_record);
    case lull_kernel_path: return sizeof(struct lull_kernel_path_record);
    case lull_kernel_stack:
    case lull_kernel_send_stack:
    case lull_kernel_call_stack: break;
  }
  return sizeof(struct lull_kernel_stack_record);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t head_of(struct lull_kernel_ring *ring) { return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE); }

/* A record that another CPU is just making ends the taking of those after it, which may be of files that what is in the
   CPUs' rings goes by. It is made within microseconds, unless the machine has no time for that CPU. */
enum { most_attempts = 200 };

static void take_shared(lull_bpf_programs *programs) {
  uint64_t given = programs->ring_given ? __atomic_load_n(programs->ring_given, __ATOMIC_ACQUIRE) : 0;
  for (int attempt = 0; attempt < most_attempts; attempt++) {
    if (lull_libbpf.ring_buffer__consume(programs->ring) < 0 || !programs->ring_taken || !given) return;
    if (__atomic_load_n(programs->ring_taken, __ATOMIC_ACQUIRE) >= given) return;
    sched_yield();
  }
}

uint64_t lull_bpf_ring_drain(lull_bpf_programs *programs) {
  uint64_t heads[programs->ring_count], most = 0;
  for (uint32_t cpu = 0; cpu < programs->ring_count; cpu++) heads[cpu] = head_of(&programs->rings[cpu]);
  /* Later calls in the shared ring would come before earlier ones of the same thread, which its CPU's ring has: a file
     opened twice, and closed in between. */
  programs->horizon = now();
  programs->taken = 0;
  if (programs->held_size > 0) programs->take(programs->context, &programs->held, programs->held_size);
  programs->held_size = 0;
  /* Stacks and paths come before what goes by them. */
  take_shared(programs);
  for (uint32_t cpu = 0; cpu < programs->ring_count; cpu++) {
    struct lull_kernel_ring *ring = &programs->rings[cpu];
    uint64_t place = ring->tail;
    if (heads[cpu] - place > most) most = heads[cpu] - place;
    while (place < heads[cpu]) {
      const void *record = ring->records + (place & (LULL_KERNEL_RING_BYTES - 1));
      size_t size = size_of((enum lull_kernel_kind)((const struct lull_kernel_head *)record)->kind);
      programs->take(programs->context, record, size);
      place += size;
    }
    __atomic_store_n(&ring->tail, place, __ATOMIC_RELEASE);
  }
  return most;
}
