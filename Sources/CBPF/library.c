#include "library.h"
#include "CBPF.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

struct lull_libbpf lull_libbpf;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *found = dlopen("libbpf.so.1", RTLD_NOW);
  if (!found) return;
  is_loaded = true;
#define FIND(name)                                                                                \
  lull_libbpf.name = (__typeof__(lull_libbpf.name))dlsym(found, #name);                           \
  is_loaded = is_loaded && lull_libbpf.name;
  LULL_LIBBPF_FUNCTIONS(FIND)
  /* What fails is told by who asked for it. */
  if (is_loaded) lull_libbpf.libbpf_set_print(NULL);
}

bool lull_bpf_library(void) {
  pthread_once(&once, load);
  return is_loaded;
}

bool lull_bpf_is_allowed(void) {
  if (!lull_bpf_library() || access("/sys/kernel/btf/vmlinux", R_OK)) return false;
  int map = lull_libbpf.bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "lull", 4, 8, 1, NULL);
  if (map >= 0) close(map);
  return map >= 0;
}
