#ifndef LULL_RECORDS_H
#define LULL_RECORDS_H

/* Where records are written, and of whom. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "../CBPF/include/kernel_records.h"

/* Stacks, and what finds no room in the rings of the CPUs: room for 2,000 stacks; what finds none is counted as lost.
   The recorder has it mapped twice, one behind the other. */
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 8 << 20);
} ring SEC(".maps");

/* A ring of each CPU for what comes most often: nobody else writes to it, so that no lock is taken. The recorder says
   how many they are. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct lull_kernel_ring);
} rings SEC(".maps");

/* The processes that are recorded: a bit for each id that there may be, since each event asks. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, LULL_KERNEL_MOST_IDS / 64);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, __u64);
} targets SEC(".maps");

/* What processes carry at sockets, at a place that follows from both: to find it takes a tenth of what a map takes that
   finds anything anywhere. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, LULL_KERNEL_SUMS);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct lull_kernel_sum);
} sums SEC(".maps");

/* A bit for each place that somebody has. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, LULL_KERNEL_SUMS / 64);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, __u64);
} used_sums SEC(".maps");

/* Records that found no room in the ring. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} losses SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct lull_kernel_settings);
} settings SEC(".maps");

/* Calls that come again and again, of which the recorder reads how many there were: a place of each sort for a
   thread. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, lull_kernel_sorts * LULL_KERNEL_REPEATS);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct lull_kernel_repeat);
} repeats SEC(".maps");

static __always_inline bool is_target(struct task_struct *task) {
  __u32 process = task->tgid, place = process / 64;
  __u64 *bits = bpf_map_lookup_elem(&targets, &place);
  return bits && *bits >> process % 64 & 1;
}

static __always_inline void lose(void) {
  __u32 zero = 0;
  __u64 *lost = bpf_map_lookup_elem(&losses, &zero);
  if (lost) __sync_fetch_and_add(lost, 1);
}

static __always_inline void begin(struct lull_kernel_head *head, __u16 kind, __u64 time) {
  head->kind = kind;
  head->cpu = bpf_get_smp_processor_id();
  head->flags = 0;
  head->time = time;
}

/* Tells a record; false where there was no room. */
static __always_inline bool tell(void *record, const __u32 size) {
  __u32 cpu = bpf_get_smp_processor_id();
  struct lull_kernel_ring *own = bpf_map_lookup_elem(&rings, &cpu);
  /* An interrupt within the making of another record takes the ring that all share. One that comes before it is said to
     be busy is over by then: only what is read after that is so. */
  if (own && !*(volatile __u64 *)&own->is_busy) {
    *(volatile __u64 *)&own->is_busy = 1;
    __u64 head = *(volatile __u64 *)&own->head;
    if (head - *(volatile __u64 *)&own->tail <= LULL_KERNEL_RING_BYTES - LULL_KERNEL_MOST_BYTES) {
      __u64 *to = (__u64 *)(own->records + (head & (LULL_KERNEL_RING_BYTES - 1)));
#pragma unroll
      for (__u32 word = 0; word < size / 8; word++) to[word] = ((__u64 *)record)[word];
      /* With a barrier: the record is there when it is said to be. */
      __sync_lock_test_and_set(&own->head, head + size);
      *(volatile __u64 *)&own->is_busy = 0;
      return true;
    }
    *(volatile __u64 *)&own->is_busy = 0;
  }
  if (bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP) == 0) return true;
  lose();
  return false;
}

#endif
