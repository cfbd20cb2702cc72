#include "segments.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The time of calls by the processor's counter: a look at the clock costs a quarter of a one-byte write, and each call
// has two.

uint64_t lull_tick_span, lull_tick_scale, lull_clock_ahead;

// In nanoseconds: as the clock's pace is corrected by 0.05 % at most, the times are half a microsecond off at worst.
#define CLOCK_LOOKS 1000000
// A look at the clock that took more ticks was interrupted.
#define MOST_TICKS 2000

void lull_begin_ticks(void) {
  // Once: what threads have would be told by another scale.
  if (lull_tick_scale || !lull_control || !lull_control->tick_scale) return;
  lull_tick_scale = lull_control->tick_scale;
  __atomic_store_n(&lull_tick_span, ((uint64_t)CLOCK_LOOKS << 32) / lull_tick_scale, __ATOMIC_RELEASE);
}

// "monotonic SECONDS NANOSECONDS" as the first line (time_namespaces(7)); 0 where it cannot be read.
static uint64_t own_offset(void) {
  char text[128] = "";
  long file = lull_kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return 0;
  lull_kernel(SYS_read, file, (long)text, sizeof text - 1, 0, 0, 0);
  lull_kernel(SYS_close, file, 0, 0, 0, 0, 0);
  if (strncmp(text, "monotonic", 9) != 0) return 0;
  char *rest;
  int64_t seconds = strtoll(text + 9, &rest, 10);
  return (uint64_t)(seconds * 1000000000 + strtoll(rest, NULL, 10));
}

void lull_compare_clocks(void) {
  struct stat space;
  lull_clock_ahead = 0;
  if (!lull_control || !lull_control->time_namespace) return;
  long result = lull_kernel(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/time", (long)&space, 0, 0, 0);
  if (result < 0 || space.st_ino == lull_control->time_namespace) return;
  lull_clock_ahead = own_offset() - (uint64_t)lull_control->clock_offset;
}

uint64_t lull_time_ticks(struct agent *agent) {
  uint64_t before = lull_ticks(), now = lull_now(), took = lull_ticks() - before;
  if (took >= MOST_TICKS) return now;
  agent->tick_offset = now - lull_scaled(before + took / 2);
  // A signal's handler finds the one with the other, or its own.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->ticks_from = before;
  return now;
}
