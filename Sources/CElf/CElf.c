#define _GNU_SOURCE
#include "CElf.h"

#include <dlfcn.h>
#include <pthread.h>

/* Loaded when the first module is read: with the four libraries that they bring along they take
   a tenth of the time of a report on a small trace, which may have no module to read. */
static lull_elf_functions functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  /* Also finds libelf's, on which it depends. */
  void *library = dlopen("libdw.so.1", RTLD_NOW);
  if (!library) return;
  is_loaded = true;
#define LULL_ELF_FIND(name)                                                                       \
  functions.name = (__typeof__(functions.name))dlsym(library, #name);                             \
  is_loaded = is_loaded && functions.name;
  LULL_ELF_FUNCTIONS(LULL_ELF_FIND)
}

bool lull_elf_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

const lull_elf_functions *lull_elf(void) { return &functions; }
