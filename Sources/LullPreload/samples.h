#ifndef LULL_SAMPLES_H
#define LULL_SAMPLES_H

#include "kernel.h"

#include <signal.h>

// Whether the process's threads are sampled, of enum lull_sampling.
HIDDEN extern uint32_t lull_sampling;

static inline int lull_sample_signal(void) { return LULL_SAMPLE_SIGNAL; }

HIDDEN void lull_begin_samples(uint32_t interval);
// Has the signal taken, from which samples come once there is an interval.
HIDDEN void lull_take_sample_signal(void);
HIDDEN void lull_set_sample_interval(uint32_t interval);
// Has the calling thread take the signal.
HIDDEN void lull_let_samples_through(void);
// Of the calling thread, into whose slot the timer's number goes; of another.
HIDDEN void lull_sample_thread(struct lull_slot *slot);
HIDDEN void lull_sample_other(struct lull_slot *slot);
// Whether the signal is to be kept from the program.
HIDDEN bool lull_hides_samples(void);
HIDDEN void lull_end_samples(struct lull_slot *slot);
// The program has use for the signal, or what else is the reason.
HIDDEN void lull_give_up_samples(enum lull_sampling reason);
// The reason is none any longer.
HIDDEN void lull_take_up_samples(void);
// sigaction of the C library.
HIDDEN int lull_set_action(int number, const struct sigaction *action, struct sigaction *old);
// Whether a handler is the library's own.
HIDDEN bool lull_is_sample_handler(const struct sigaction *action);

#endif
