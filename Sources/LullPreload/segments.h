#ifndef LULL_SEGMENTS_H
#define LULL_SEGMENTS_H

#include "kernel.h"

HIDDEN extern const struct lull_control *lull_control;

// Whether this program is to be recorded, by its environment.
HIDDEN bool lull_find_recorder(void);
// Makes the first segment of a process.
HIDDEN bool lull_begin_segments(bool is_program);
HIDDEN bool lull_has_segments(void);
// A slot for the calling thread, or nothing.
HIDDEN struct lull_slot *lull_take_slot(void);
HIDDEN void lull_note_thread_without_ring(void);
// Whether threads are sampled, of enum lull_sampling.
HIDDEN void lull_note_sampling(uint32_t state);
// The program takes a signal that asks it to end.
HIDDEN void lull_note_asked(int number);
HIDDEN void lull_each_slot(void (*body)(struct lull_slot *slot));

#endif
