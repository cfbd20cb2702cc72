#define _GNU_SOURCE
#include "bpf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The attributes of every command used here are within these bytes, which all kernels that have the commands know.
static int command(int number, union bpf_attr *attr, size_t bytes) {
  long result = syscall(__NR_bpf, number, attr, bytes);
  return result < 0 ? -errno : (int)result;
}

static int create(uint32_t type, uint32_t value_bytes, uint32_t entries, uint32_t flags) {
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.map_type = type;
  attr.key_size = 4;
  attr.value_size = value_bytes;
  attr.max_entries = entries;
  attr.map_flags = flags;
  return command(BPF_MAP_CREATE, &attr, offsetof(union bpf_attr, map_flags) + sizeof attr.map_flags);
}

int lull_bpf_counts(uint32_t value_bytes, uint32_t entries) {
  return create(BPF_MAP_TYPE_PERCPU_HASH, value_bytes, entries, BPF_F_NO_PREALLOC);
}

int lull_bpf_array(uint32_t value_bytes, uint32_t entries) {
  return create(BPF_MAP_TYPE_ARRAY, value_bytes, entries, 0);
}

static int element(int number, int map, const void *key, const void *value, uint64_t flags) {
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.map_fd = (uint32_t)map;
  attr.key = (uintptr_t)key;
  attr.value = (uintptr_t)value;
  attr.flags = flags;
  return command(number, &attr, offsetof(union bpf_attr, flags) + sizeof attr.flags);
}

int lull_bpf_update(int map, const void *key, const void *value, int only_new) {
  return element(BPF_MAP_UPDATE_ELEM, map, key, value, only_new ? BPF_NOEXIST : BPF_ANY);
}

int lull_bpf_lookup(int map, const void *key, void *value) {
  return element(BPF_MAP_LOOKUP_ELEM, map, key, value, 0);
}

int lull_bpf_delete(int map, const void *key) {
  return element(BPF_MAP_DELETE_ELEM, map, key, NULL, 0);
}

int lull_bpf_next_key(int map, const void *key, void *next) {
  return element(BPF_MAP_GET_NEXT_KEY, map, key, next, 0);
}

int lull_bpf_load(const uint64_t *instructions, size_t count) {
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
  attr.insns = (uintptr_t)instructions;
  attr.insn_cnt = (uint32_t)count;
  attr.license = (uintptr_t) "Apache-2.0";
  return command(BPF_PROG_LOAD, &attr, offsetof(union bpf_attr, kern_version) + sizeof attr.kern_version);
}

int lull_perf_set_bpf(int fd, int program) {
  return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0 ? -errno : 0;
}
