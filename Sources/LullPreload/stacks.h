#ifndef LULL_STACKS_H
#define LULL_STACKS_H

#include "kernel.h"

// Where calls come from: a stack is written once and has a number, by which it is told as long as it is the same.

// A stack among those of a thread.
struct stack_place {
  uint64_t key;
  // From 1 on.
  uint8_t number;
};

// Learns where the program's code is.
HIDDEN void lull_know_code(void);
// A thread begins, of which no stack is written yet.
HIDDEN void lull_begin_stacks(struct agent *agent, struct lull_slot *slot);
// The place of the stack that a call came from, with which it was called; a deep one is of a long wait.
HIDDEN struct stack_place lull_place_of(const struct agent *agent, const struct lull_record *record,
                                        const struct registers *registers, bool is_deep);
// Whether a stack was written: the recorder knows by its number what it is, if it may stand for more calls.
HIDDEN bool lull_is_written(const struct agent *agent, const struct stack_place *place);
// Whether it need not be written again, since it may: the recorder has seen it and said so.
HIDDEN bool lull_is_shared(const struct agent *agent, const struct stack_place *place);
HIDDEN void lull_note_written(struct agent *agent, const struct stack_place *place);
// Whether the stack of a wait that is not long may be written, which then counts as one of those.
HIDDEN bool lull_may_write_stack(struct agent *agent, uint64_t now);
// What registers and stack take in a record at most.
HIDDEN size_t lull_stack_room(bool is_deep);
// Writes the registers, the length and the bytes of what there is of the stack.
HIDDEN void lull_write_stack(
    struct agent *agent, uint64_t *at, const struct registers *registers, bool is_deep);
// Tells from where the other threads wait, who come to their end there: who reads that from outside comes too late.
HIDDEN void lull_tell_waiting(void);

#endif
