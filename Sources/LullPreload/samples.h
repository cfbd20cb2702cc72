#ifndef LULL_SAMPLES_H
#define LULL_SAMPLES_H

#include "kernel.h"

#include <signal.h>

// Whether the process's threads are sampled, of enum lull_sampling.
HIDDEN extern uint32_t lull_sampling;

// Among those for programs, and far from the ends, from where they are taken.
static inline int lull_sample_signal(void) { return 47; }

HIDDEN void lull_begin_samples(uint32_t interval);
// Of the calling thread, into whose slot the timer's number goes.
HIDDEN void lull_sample_thread(struct lull_slot *slot);
HIDDEN void lull_end_samples(struct lull_slot *slot);
// The program has use for the signal.
HIDDEN void lull_give_up_samples(void);
// sigaction of the C library.
HIDDEN int lull_set_action(int number, const struct sigaction *action, struct sigaction *old);
// Whether a handler is the library's own.
HIDDEN bool lull_is_sample_handler(const struct sigaction *action);

#endif
