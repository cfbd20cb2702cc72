#include "segments.h"

// The time of calls by the processor's counter: a look at the clock costs a quarter of a one-byte write, and each call
// has two.

uint64_t lull_tick_span, lull_tick_scale;

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

uint64_t lull_time_ticks(struct agent *agent) {
  uint64_t before = lull_ticks(), now = lull_now(), took = lull_ticks() - before;
  if (took >= MOST_TICKS) return now;
  agent->tick_offset = now - lull_scaled(before + took / 2);
  // A signal's handler finds the one with the other, or its own.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->ticks_from = before;
  return now;
}
