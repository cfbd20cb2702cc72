#include "lull_marks.h"

// A probe on a nop is emulated and costs a microsecond; on most other instructions it costs ten. So each
// function begins with five bytes of nop. The empty assembly keeps the call and its arguments.
#define LULL_PROBED \
  __attribute__((noinline, used, visibility("default"), patchable_function_entry(5)))

LULL_PROBED void lull_mark(const char *name) { __asm__ volatile("" : : "r"(name) : "memory"); }

LULL_PROBED void lull_interval_begin(const char *name, uint64_t identifier) {
  __asm__ volatile("" : : "r"(name), "r"(identifier) : "memory");
}

LULL_PROBED void lull_interval_end(const char *name, uint64_t identifier) {
  // Told apart from the other two, so that no linker folds the three into one.
  __asm__ volatile("" : : "r"(name), "r"(identifier), "r"(1) : "memory");
}
