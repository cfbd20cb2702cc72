#ifndef LULL_PROGRAMS_H
#define LULL_PROGRAMS_H

#include "CBPF.h"
#include "library.h"

enum { most_programs = 16 };

struct lull_bpf_programs {
  struct bpf_object *object;
  struct bpf_link *links[most_programs];
  int count;
  bool has_probes;
  struct ring_buffer *ring;
  /* Of that ring how much was ever taken, and how much room given to records: the first pages of its memory. */
  const uint64_t *ring_taken, *ring_given;
  struct lull_kernel_ring *rings;
  uint32_t ring_count;
  lull_bpf_take take;
  void *context;
  /* Bytes of records in this draining. */
  uint64_t taken;
  /* Nothing later is handed out in it, in nanoseconds of the monotonic clock. */
  uint64_t horizon;
  /* What was later, and was taken out of the ring that all share. */
  union {
    struct lull_kernel_head head;
    struct lull_kernel_path_record path;
    struct lull_kernel_stack_record stack;
  } held;
  size_t held_size;
};

/* Before the programs are loaded: as many of the CPUs' rings as there are CPUs. */
void lull_bpf_rings_size(lull_bpf_programs *programs);
void lull_bpf_rings_close(lull_bpf_programs *programs);

#endif
