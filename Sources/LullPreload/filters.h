#ifndef LULL_FILTERS_H
#define LULL_FILTERS_H

#include "kernel.h"

// What was before a filter, to which all goes back where the kernel does not take it.
struct lull_filtering {
  struct lull_slot *slot;
  uint64_t refused[8];
  uint32_t busy, sampling;
  bool is_filtered, clock_traps, is_strict;
};

// The program is about to put a filter over its system calls: the strict one, by which a thread may read, write and
// end and nothing else, or one of its own (struct sock_fprog).
HIDDEN void lull_before_filter(struct lull_filtering *filtering, bool is_strict, const void *program);
HIDDEN void lull_after_filter(const struct lull_filtering *filtering, bool is_on);
// Before a prctl, by which the clock may trap from then on.
HIDDEN void lull_before_prctl(int option, unsigned long first);

#endif
