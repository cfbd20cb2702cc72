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

#define FUNCTIONS(FUNCTION)                                                                       \
  FUNCTION(bpf_iter_create)                                                                       \
  FUNCTION(bpf_link__destroy)                                                                     \
  FUNCTION(bpf_link__fd)                                                                          \
  FUNCTION(bpf_map_delete_elem)                                                                   \
  FUNCTION(bpf_map_lookup_batch)                                                                  \
  FUNCTION(bpf_map_lookup_elem)                                                                   \
  FUNCTION(bpf_map_update_elem)                                                                   \
  FUNCTION(bpf_object__close)                                                                     \
  FUNCTION(bpf_object__find_map_fd_by_name)                                                       \
  FUNCTION(bpf_object__load)                                                                      \
  FUNCTION(bpf_object__next_program)                                                              \
  FUNCTION(bpf_object__open_mem)                                                                  \
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
  struct ring_buffer *ring;
  lull_bpf_take take;
  void *context;
};

lull_bpf_programs *lull_bpf_programs_load(const void *object, size_t size, int *error, const char **what) {
  *what = "libbpf.so.1 is not installed";
  *error = ENOENT;
  if (!lull_bpf_library()) return NULL;
  lull_bpf_programs *programs = calloc(1, sizeof *programs);
  if (!programs) return NULL;
  *what = "the programs cannot be read";
  programs->object = library.bpf_object__open_mem(object, size, NULL);
  *error = errno;
  int result = -1;
  if (programs->object) {
    *what = "the kernel does not take the programs";
    result = library.bpf_object__load(programs->object);
    *error = -result;
  }
  if (result == 0) return programs;
  lull_bpf_programs_free(programs);
  return NULL;
}

int lull_bpf_programs_attach(lull_bpf_programs *programs) {
  struct bpf_program *program = NULL;
  while ((program = library.bpf_object__next_program(programs->object, program))) {
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
  if (programs->object) library.bpf_object__close(programs->object);
  free(programs);
}

int lull_bpf_map(lull_bpf_programs *programs, const char *name) {
  return library.bpf_object__find_map_fd_by_name(programs->object, name);
}

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

size_t lull_bpf_map_read(int map, bool *more, uint64_t *position, void *keys, void *values, size_t room) {
  uint32_t count = (uint32_t)room;
  uint32_t next = 0, last = (uint32_t)*position;
  int result = library.bpf_map_lookup_batch(map, *more ? &last : NULL, &next, keys, values, &count, NULL);
  *more = result == 0;
  *position = next;
  return result == 0 || result == -ENOENT ? count : 0;
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
  return programs->ring ? 0 : -errno;
}

int lull_bpf_ring_drain(lull_bpf_programs *programs) { return library.ring_buffer__consume(programs->ring); }

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
