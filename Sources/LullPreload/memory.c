#include "segments.h"

#include <sys/mman.h>

// The memory that slots take from the recorder's folder: before it is written to, since a full file system would be a
// SIGBUS.

void *lull_map(long descriptor, size_t size, int protection) {
  long mapped = lull_kernel(SYS_mmap, 0, (long)size, protection, MAP_SHARED, descriptor, 0);
  return mapped > 0 || mapped < -4095 ? (void *)mapped : NULL;
}

bool lull_take_memory(const void *at, size_t size) {
  long result = lull_kernel(SYS_madvise, (long)at, (long)size, POPULATE_WRITE, 0, 0, 0);
  return result == 0 || result == -EINVAL;
}

static bool grow(struct lull_slot *slot) {
  if (!lull_take_memory((uint8_t *)slot + lull_ring_offset + slot->reserved, lull_ring_step)) return false;
  slot->reserved += lull_ring_step;
  return true;
}

bool lull_make_room(struct agent *agent, uint32_t size, enum importance importance) {
  struct lull_slot *slot = agent->slot;
  uint64_t tail = __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE);
  uint64_t end = agent->head + size;
  // What is in the ring for the first time has no memory yet.
  while (end > slot->reserved && slot->reserved < lull_ring_bytes && grow(slot)) {}
  bool is_grown = slot->reserved == lull_ring_bytes;
  uint64_t room = importance == important ? lull_ring_bytes : lull_ring_bytes / 8 * 7;
  if (end - tail > room || (!is_grown && end > slot->reserved)) {
    __atomic_store_n(&slot->lost, slot->lost + 1, __ATOMIC_RELAXED);
    return false;
  }
  agent->limit = tail + lull_ring_bytes / 8 * 7;
  if (!is_grown && agent->limit > slot->reserved) agent->limit = slot->reserved;
  return true;
}

bool lull_begin_sums(struct lull_slot *slot) {
  bool has_memory = lull_take_memory(lull_sums_of(slot), lull_sums * sizeof(struct lull_sum));
  slot->has_sums = has_memory ? 1 : UINT32_MAX;
  return has_memory;
}

void lull_take_all_memory(struct lull_slot *slot) {
  if (!slot->has_sums) lull_begin_sums(slot);
  while (slot->reserved < lull_ring_bytes && grow(slot)) {}
}
