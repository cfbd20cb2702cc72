#define _GNU_SOURCE
#include "lull_marks.h"

#include <dlfcn.h>
#include <stddef.h>

// A probe on a nop is emulated and costs a microsecond; on most other instructions it costs ten. So each
// function begins with five bytes of nop. The empty assembly keeps the arguments, and tells the functions apart, so
// that no linker folds them into one.
#define LULL_PROBED \
  __attribute__((noinline, used, visibility("default"), patchable_function_entry(5)))

typedef void (*lull_taker)(int kind, const char *name, uint64_t identifier);

static void ignore(int kind, const char *name, uint64_t identifier) { (void)kind, (void)name, (void)identifier; }

// Of LullAgent, where the program links that.
__attribute__((weak)) void lull_take_mark(int kind, const char *name, uint64_t identifier);

// What takes marks within the process, where no probes are to be had: the program itself, or the library with which
// `lull record` starts programs.
static void take(int kind, const char *name, uint64_t identifier) {
  static lull_taker found;
  lull_taker taker = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (!taker) {
    taker = lull_take_mark ? lull_take_mark : (lull_taker)dlsym(RTLD_DEFAULT, "lull_take_mark");
    if (!taker) taker = ignore;
    __atomic_store_n(&found, taker, __ATOMIC_RELAXED);
  }
  taker(kind, name, identifier);
}

LULL_PROBED void lull_mark(const char *name) {
  __asm__ volatile("" : : "r"(name) : "memory");
  take(0, name, 0);
}

LULL_PROBED void lull_interval_begin(const char *name, uint64_t identifier) {
  __asm__ volatile("" : : "r"(name), "r"(identifier) : "memory");
  take(1, name, identifier);
}

LULL_PROBED void lull_interval_end(const char *name, uint64_t identifier) {
  __asm__ volatile("" : : "r"(name), "r"(identifier) : "memory");
  take(2, name, identifier);
}
