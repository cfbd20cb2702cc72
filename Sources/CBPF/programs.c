#define _GNU_SOURCE
#include "programs.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* BPF_TRACE_UPROBE_MULTI of linux/bpf.h (Linux 6.6): one program at functions of one process, without an event of each
   of its threads. */
#define UPROBE_MULTI 48

static bool is_probe(struct bpf_program *program) {
  return lull_libbpf.bpf_program__type(program) == BPF_PROG_TYPE_KPROBE;
}

/* Reads the programs and loads them; gives 0 or an error's number. */
static int load_programs(lull_bpf_programs *programs, const void *object, size_t size, bool probes, const char **what) {
  *what = "the programs cannot be read";
  programs->object = lull_libbpf.bpf_object__open_mem(object, size, NULL);
  if (!programs->object) return errno;
  struct bpf_program *program = NULL;
  while ((program = lull_libbpf.bpf_object__next_program(programs->object, program))) {
    if (!is_probe(program)) continue;
    lull_libbpf.bpf_program__set_autoload(program, probes);
    lull_libbpf.bpf_program__set_expected_attach_type(program, UPROBE_MULTI);
  }
  lull_bpf_rings_size(programs);
  *what = "the kernel does not take the programs";
  int result = -lull_libbpf.bpf_object__load(programs->object);
  if (result) {
    lull_libbpf.bpf_object__close(programs->object);
    programs->object = NULL;
  }
  programs->has_probes = probes;
  return result;
}

lull_bpf_programs *lull_bpf_programs_load(
    const void *object, size_t size, uint32_t rings, int *error, const char **what) {
  *what = "libbpf.so.1 is not installed";
  *error = ENOENT;
  if (!lull_bpf_library()) return NULL;
  lull_bpf_programs *programs = calloc(1, sizeof *programs);
  if (!programs) return NULL;
  programs->ring_count = rings;
  *error = load_programs(programs, object, size, true, what);
  if (*error) *error = load_programs(programs, object, size, false, what);
  if (*error == 0) return programs;
  lull_bpf_programs_free(programs);
  return NULL;
}

int lull_bpf_probe(
    lull_bpf_programs *programs, const char *name, const char *path, uint64_t offset, int32_t pid, bool returns) {
  struct bpf_program *program = lull_libbpf.bpf_object__find_program_by_name(programs->object, name);
  if (!program || !programs->has_probes) return -ENOENT;
  /* As union bpf_attr has it for BPF_LINK_CREATE since Linux 6.6; the headers may be older. */
  struct {
    uint32_t program, target, type, flags;
    uint64_t path, offsets, counters, cookies;
    uint32_t count, multi_flags, pid, unused;
  } wanted = {
      .program = (uint32_t)lull_libbpf.bpf_program__fd(program),
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
  while ((program = lull_libbpf.bpf_object__next_program(programs->object, program))) {
    if (is_probe(program)) continue;
    if (programs->count == most_programs) return -E2BIG;
    struct bpf_link *link = lull_libbpf.bpf_program__attach(program);
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
  while (programs->count > 0) lull_libbpf.bpf_link__destroy(programs->links[--programs->count]);
}

int lull_bpf_iteration(lull_bpf_programs *programs) {
  return programs->count == 1 ? lull_libbpf.bpf_iter_create(lull_libbpf.bpf_link__fd(programs->links[0])) : -EINVAL;
}

void lull_bpf_programs_free(lull_bpf_programs *programs) {
  lull_bpf_programs_detach(programs);
  lull_bpf_rings_close(programs);
  if (programs->object) lull_libbpf.bpf_object__close(programs->object);
  free(programs);
}
