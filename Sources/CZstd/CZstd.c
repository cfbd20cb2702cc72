#define _GNU_SOURCE
#include "CZstd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

/* Loaded when the first compressed record is read: most traces have none. */
static lull_zstd_functions functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libzstd.so.1", RTLD_NOW);
  if (!library) return;
  is_loaded = true;
#define LULL_ZSTD_FIND(name)                                                                      \
  functions.name = (__typeof__(functions.name))dlsym(library, #name);                             \
  is_loaded = is_loaded && functions.name;
  LULL_ZSTD_FUNCTIONS(LULL_ZSTD_FIND)
}

const lull_zstd_functions *lull_zstd(void) {
  pthread_once(&once, load);
  return is_loaded ? &functions : NULL;
}
