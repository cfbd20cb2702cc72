#include "programs.h"

#include <string.h>
#include <sys/mman.h>

int lull_bpf_map(lull_bpf_programs *programs, const char *name) {
  return lull_libbpf.bpf_object__find_map_fd_by_name(programs->object, name);
}

int lull_bpf_map_add(int map, const void *key, const void *value) {
  return lull_libbpf.bpf_map_update_elem(map, key, value, BPF_NOEXIST);
}

int lull_bpf_map_next(int map, const void *key, void *next) { return lull_libbpf.bpf_map_get_next_key(map, key, next); }

int lull_bpf_map_set(int map, const void *key, const void *value) {
  return lull_libbpf.bpf_map_update_elem(map, key, value, BPF_ANY);
}

int lull_bpf_map_get(int map, const void *key, void *value) {
  return lull_libbpf.bpf_map_lookup_elem(map, key, value);
}

int lull_bpf_map_remove(int map, const void *key) { return lull_libbpf.bpf_map_delete_elem(map, key); }

uint64_t *lull_bpf_map_memory(int map, size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void lull_bpf_map_unshare(uint64_t *memory, size_t size) { munmap(memory, size); }

void lull_bpf_mark(uint64_t *memory, uint32_t place, bool is_set) {
  uint64_t bit = 1ull << place % 64;
  if (is_set) {
    __atomic_fetch_or(&memory[place / 64], bit, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_and(&memory[place / 64], ~bit, __ATOMIC_RELAXED);
  }
}

void lull_bpf_row(const void *place, uint32_t *generation, uint64_t *count, uint64_t *bytes) {
  const struct lull_kernel_repeat *repeat = place;
  /* The count is set back before the generation. */
  do {
    *generation = __atomic_load_n(&repeat->call.generation, __ATOMIC_ACQUIRE);
    *count = __atomic_load_n(&repeat->count, __ATOMIC_ACQUIRE);
    *bytes = __atomic_load_n(&repeat->bytes, __ATOMIC_ACQUIRE);
  } while (*generation != __atomic_load_n(&repeat->call.generation, __ATOMIC_ACQUIRE));
}

uint32_t lull_bpf_next_sum(const uint64_t *used, uint32_t place) {
  while (place < LULL_KERNEL_SUMS) {
    uint64_t rest = __atomic_load_n(&used[place / 64], __ATOMIC_ACQUIRE) >> place % 64;
    if (rest) return place + __builtin_ctzll(rest);
    place = (place | 63) + 1;
  }
  return place;
}

void lull_bpf_forget_sum(void *memory, uint64_t *used, uint32_t place) {
  struct lull_kernel_sum *sum = (struct lull_kernel_sum *)memory + place;
  uint64_t key = sum->key;
  memset(sum, 0, sizeof *sum);
  sum->key = key;
  __atomic_fetch_and(&used[place / 64], ~(UINT64_C(1) << place % 64), __ATOMIC_RELAXED);
  /* Then somebody else may have it. */
  __atomic_store_n(&sum->key, 0, __ATOMIC_RELEASE);
}
