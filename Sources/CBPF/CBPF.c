#define _GNU_SOURCE
#include "CBPF.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUNCTIONS(FUNCTION)                                                                       \
  FUNCTION(bpf_iter_create)                                                                       \
  FUNCTION(bpf_link__destroy)                                                                     \
  FUNCTION(bpf_link__fd)                                                                          \
  FUNCTION(bpf_map_delete_elem)                                                                   \
  FUNCTION(bpf_map_create)                                                                        \
  FUNCTION(bpf_map_get_next_key)                                                                  \
  FUNCTION(bpf_map_lookup_elem)                                                                   \
  FUNCTION(bpf_map_update_elem)                                                                   \
  FUNCTION(bpf_object__close)                                                                     \
  FUNCTION(bpf_object__find_map_fd_by_name)                                                       \
  FUNCTION(bpf_map__set_max_entries)                                                              \
  FUNCTION(bpf_object__find_map_by_name)                                                          \
  FUNCTION(libbpf_num_possible_cpus)                                                              \
  FUNCTION(bpf_object__load)                                                                      \
  FUNCTION(bpf_object__next_program)                                                              \
  FUNCTION(bpf_object__open_mem)                                                                  \
  FUNCTION(bpf_object__find_program_by_name)                                                      \
  FUNCTION(bpf_program__fd)                                                                       \
  FUNCTION(bpf_program__set_autoload)                                                             \
  FUNCTION(bpf_program__set_expected_attach_type)                                                 \
  FUNCTION(bpf_program__type)                                                                     \
  FUNCTION(bpf_program__attach)                                                                   \
  FUNCTION(btf__find_by_name_kind)                                                                \
  FUNCTION(btf__free)                                                                             \
  FUNCTION(btf__load_vmlinux_btf)                                                                 \
  FUNCTION(btf__name_by_offset)                                                                   \
  FUNCTION(btf__type_by_id)                                                                       \
  FUNCTION(libbpf_set_print)                                                                      \
  FUNCTION(ring_buffer__consume)                                                                  \
  FUNCTION(ring_buffer__free)                                                                     \
  FUNCTION(ring_buffer__new)

static struct {
#define MEMBER(name) __typeof__(name) *name;
  FUNCTIONS(MEMBER)
} library;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *found = dlopen("libbpf.so.1", RTLD_NOW);
  if (!found) return;
  is_loaded = true;
#define FIND(name)                                                                                \
  library.name = (__typeof__(library.name))dlsym(found, #name);                                   \
  is_loaded = is_loaded && library.name;
  FUNCTIONS(FIND)
  /* What fails is told by who asked for it. */
  if (is_loaded) library.libbpf_set_print(NULL);
}

bool lull_bpf_library(void) {
  pthread_once(&once, load);
  return is_loaded;
}

enum { most_programs = 16 };

struct lull_bpf_programs {
  struct bpf_object *object;
  struct bpf_link *links[most_programs];
  int count;
  bool has_probes;
  struct ring_buffer *ring;
  struct lull_kernel_ring *rings;
  uint32_t ring_count;
  lull_bpf_take take;
  void *context;
};

/* BPF_TRACE_UPROBE_MULTI of linux/bpf.h (Linux 6.6): one program at functions of one process, without an event of each
   of its threads. */
#define UPROBE_MULTI 48

static bool is_probe(struct bpf_program *program) {
  return library.bpf_program__type(program) == BPF_PROG_TYPE_KPROBE;
}

/* Reads the programs and loads them; gives 0 or an error's number. */
static int load_programs(lull_bpf_programs *programs, const void *object, size_t size, bool probes, const char **what) {
  *what = "the programs cannot be read";
  programs->object = library.bpf_object__open_mem(object, size, NULL);
  if (!programs->object) return errno;
  struct bpf_program *program = NULL;
  while ((program = library.bpf_object__next_program(programs->object, program))) {
    if (!is_probe(program)) continue;
    library.bpf_program__set_autoload(program, probes);
    library.bpf_program__set_expected_attach_type(program, UPROBE_MULTI);
  }
  struct bpf_map *rings = library.bpf_object__find_map_by_name(programs->object, "rings");
  int cpus = library.libbpf_num_possible_cpus();
  if (rings && cpus > 0) {
    programs->ring_count = (uint32_t)cpus;
    library.bpf_map__set_max_entries(rings, programs->ring_count);
  }
  *what = "the kernel does not take the programs";
  int result = -library.bpf_object__load(programs->object);
  if (result) {
    library.bpf_object__close(programs->object);
    programs->object = NULL;
  }
  programs->has_probes = probes;
  return result;
}

lull_bpf_programs *lull_bpf_programs_load(const void *object, size_t size, int *error, const char **what) {
  *what = "libbpf.so.1 is not installed";
  *error = ENOENT;
  if (!lull_bpf_library()) return NULL;
  lull_bpf_programs *programs = calloc(1, sizeof *programs);
  if (!programs) return NULL;
  *error = load_programs(programs, object, size, true, what);
  if (*error) *error = load_programs(programs, object, size, false, what);
  if (*error == 0) return programs;
  lull_bpf_programs_free(programs);
  return NULL;
}

int lull_bpf_probe(
    lull_bpf_programs *programs, const char *name, const char *path, uint64_t offset, int32_t pid, bool returns) {
  struct bpf_program *program = library.bpf_object__find_program_by_name(programs->object, name);
  if (!program || !programs->has_probes) return -ENOENT;
  /* As union bpf_attr has it for BPF_LINK_CREATE since Linux 6.6; the headers may be older. */
  struct {
    uint32_t program, target, type, flags;
    uint64_t path, offsets, counters, cookies;
    uint32_t count, multi_flags, pid, unused;
  } wanted = {
      .program = (uint32_t)library.bpf_program__fd(program),
      .type = UPROBE_MULTI,
      .path = (uint64_t)(uintptr_t)path,
      .offsets = (uint64_t)(uintptr_t)&offset,
      .count = 1,
      /* BPF_F_UPROBE_MULTI_RETURN */
      .multi_flags = returns ? 1 : 0,
      .pid = (uint32_t)pid,
  };
  long link = syscall(__NR_bpf, BPF_LINK_CREATE, &wanted, sizeof wanted);
  return link < 0 ? -errno : (int)link;
}

int lull_bpf_programs_attach(lull_bpf_programs *programs) {
  struct bpf_program *program = NULL;
  while ((program = library.bpf_object__next_program(programs->object, program))) {
    if (is_probe(program)) continue;
    if (programs->count == most_programs) return -E2BIG;
    struct bpf_link *link = library.bpf_program__attach(program);
    if (!link) {
      int error = errno;
      lull_bpf_programs_detach(programs);
      return -error;
    }
    programs->links[programs->count++] = link;
  }
  return 0;
}

void lull_bpf_programs_detach(lull_bpf_programs *programs) {
  while (programs->count > 0) library.bpf_link__destroy(programs->links[--programs->count]);
}

int lull_bpf_iteration(lull_bpf_programs *programs) {
  return programs->count == 1 ? library.bpf_iter_create(library.bpf_link__fd(programs->links[0])) : -EINVAL;
}

void lull_bpf_programs_free(lull_bpf_programs *programs) {
  lull_bpf_programs_detach(programs);
  if (programs->ring) library.ring_buffer__free(programs->ring);
  if (programs->rings) munmap(programs->rings, programs->ring_count * sizeof *programs->rings);
  if (programs->object) library.bpf_object__close(programs->object);
  free(programs);
}

int lull_bpf_map(lull_bpf_programs *programs, const char *name) {
  return library.bpf_object__find_map_fd_by_name(programs->object, name);
}

bool lull_bpf_is_allowed(void) {
  if (!lull_bpf_library() || access("/sys/kernel/btf/vmlinux", R_OK)) return false;
  int map = library.bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "lull", 4, 8, 1, NULL);
  if (map >= 0) close(map);
  return map >= 0;
}

int lull_bpf_map_add(int map, const void *key, const void *value) {
  return library.bpf_map_update_elem(map, key, value, BPF_NOEXIST);
}

int lull_bpf_map_next(int map, const void *key, void *next) { return library.bpf_map_get_next_key(map, key, next); }

int lull_bpf_map_set(int map, const void *key, const void *value) {
  return library.bpf_map_update_elem(map, key, value, BPF_ANY);
}

int lull_bpf_map_get(int map, const void *key, void *value) {
  return library.bpf_map_lookup_elem(map, key, value);
}

int lull_bpf_map_remove(int map, const void *key) { return library.bpf_map_delete_elem(map, key); }

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

void lull_bpf_row(const void *place, uint32_t *generation, uint64_t *count) {
  const struct lull_kernel_repeat *repeat = place;
  /* The count is set back before the generation. */
  do {
    *generation = __atomic_load_n(&repeat->call.generation, __ATOMIC_ACQUIRE);
    *count = __atomic_load_n(&repeat->count, __ATOMIC_ACQUIRE);
  } while (*generation != __atomic_load_n(&repeat->call.generation, __ATOMIC_ACQUIRE));
}

uint32_t lull_bpf_next_sum(const void *memory, uint32_t place) {
  const struct lull_kernel_sum *sums = memory;
  while (place < LULL_KERNEL_SUMS && !__atomic_load_n(&sums[place].key, __ATOMIC_ACQUIRE)) place++;
  return place;
}

void lull_bpf_forget_sum(void *memory, uint32_t place) {
  struct lull_kernel_sum *sum = (struct lull_kernel_sum *)memory + place;
  uint64_t key = sum->key;
  memset(sum, 0, sizeof *sum);
  sum->key = key;
  /* Then somebody else may have it. */
  __atomic_store_n(&sum->key, 0, __ATOMIC_RELEASE);
}

static int take(void *context, void *record, size_t size) {
  lull_bpf_programs *programs = context;
  programs->take(programs->context, record, size);
  return 0;
}

int lull_bpf_ring_open(lull_bpf_programs *programs, const char *name, lull_bpf_take taking, void *context) {
  int map = lull_bpf_map(programs, name);
  if (map < 0) return map;
  programs->take = taking;
  programs->context = context;
  programs->ring = library.ring_buffer__new(map, take, programs, NULL);
  if (!programs->ring) return -errno;
  int rings = lull_bpf_map(programs, "rings");
  if (rings < 0) return rings;
  size_t size = programs->ring_count * sizeof *programs->rings;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, rings, 0);
  if (memory == MAP_FAILED) return -errno;
  programs->rings = memory;
  return 0;
}

static size_t size_of(uint16_t kind) {
  switch (kind) {
    case lull_kernel_switch: return sizeof(struct lull_kernel_switch_record);
    case lull_kernel_job: return sizeof(struct lull_kernel_job_record);
    case lull_kernel_job_end:
    case lull_kernel_job_handed:
    case lull_kernel_task: return sizeof(struct lull_kernel_job_mark);
    case lull_kernel_waking: return sizeof(struct lull_kernel_waking_record);
    case lull_kernel_call:
    case lull_kernel_calls:
    case lull_kernel_spin:
    case lull_kernel_spins: return sizeof(struct lull_kernel_call_record);
    default: return sizeof(struct lull_kernel_transfer_record);
  }
}

static uint64_t head_of(struct lull_kernel_ring *ring) { return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE); }

uint64_t lull_bpf_ring_drain(lull_bpf_programs *programs) {
  uint64_t heads[programs->ring_count], most = 0;
  for (uint32_t cpu = 0; cpu < programs->ring_count; cpu++) heads[cpu] = head_of(&programs->rings[cpu]);
  /* Stacks come before what goes by them. */
  library.ring_buffer__consume(programs->ring);
  for (uint32_t cpu = 0; cpu < programs->ring_count; cpu++) {
    struct lull_kernel_ring *ring = &programs->rings[cpu];
    uint64_t place = ring->tail;
    if (heads[cpu] - place > most) most = heads[cpu] - place;
    while (place < heads[cpu]) {
      const void *record = ring->records + (place & (LULL_KERNEL_RING_BYTES - 1));
      size_t size = size_of(((const struct lull_kernel_head *)record)->kind);
      programs->take(programs->context, record, size);
      place += size;
    }
    __atomic_store_n(&ring->tail, place, __ATOMIC_RELEASE);
  }
  return most;
}

/* Where a variable of each CPU lies in their section. */
static bool place_of(const struct btf *types, const char *name, int64_t *place) {
  int section = library.btf__find_by_name_kind(types, ".data..percpu", BTF_KIND_DATASEC);
  if (section < 0) return false;
  const struct btf_type *variables = library.btf__type_by_id(types, (uint32_t)section);
  const struct btf_var_secinfo *variable = btf_var_secinfos(variables);
  for (int index = 0; index < btf_vlen(variables); index++, variable++) {
    const struct btf_type *type = library.btf__type_by_id(types, variable->type);
    const char *found = type ? library.btf__name_by_offset(types, type->name_off) : NULL;
    if (!found || strcmp(found, name)) continue;
    *place = variable->offset;
    return true;
  }
  return false;
}

/* Where a structure has a member, in bits; those of structures without a name are its own. */
static bool member_of(const struct btf *types, int structure, const char *name, int64_t *place) {
  const struct btf_type *type = structure < 0 ? NULL : library.btf__type_by_id(types, (uint32_t)structure);
  if (!type || !btf_is_composite(type)) return false;
  const struct btf_member *member = btf_members(type);
  for (int index = 0; index < btf_vlen(type); index++, member++) {
    const char *found = library.btf__name_by_offset(types, member->name_off);
    int64_t within = 0;
    if (!found || (*found ? strcmp(found, name) : !member_of(types, (int)member->type, name, &within))) continue;
    *place = btf_member_bit_offset(type, (uint32_t)index) + within;
    return true;
  }
  return false;
}

bool lull_bpf_interrupt_count(int64_t *distance) {
  if (!lull_bpf_library()) return false;
  struct btf *types = library.btf__load_vmlinux_btf();
  if (!types) return false;
  int64_t queue = 0, count = 0, within = 0;
  bool is_known = place_of(types, "runqueues", &queue);
  /* From Linux 6.2 to 6.14 it is one of the variables that are used together. */
  if (is_known && !place_of(types, "__preempt_count", &count)) {
    int hot = library.btf__find_by_name_kind(types, "pcpu_hot", BTF_KIND_STRUCT);
    is_known = place_of(types, "pcpu_hot", &count) && member_of(types, hot, "preempt_count", &within);
  }
  library.btf__free(types);
  *distance = count + within / 8 - queue;
  return is_known;
}
