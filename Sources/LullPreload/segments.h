#ifndef LULL_SEGMENTS_H
#define LULL_SEGMENTS_H

#include "kernel.h"

HIDDEN extern const struct lull_control *lull_control;
// Whether the program is recorded, or may be.
HIDDEN bool lull_takes_part(void);

// How long the recorder's folder may be, with its end.
enum { lull_folder_bytes = 256 };
// The recorder's folder.
HIDDEN const char *lull_folder(void);
// Whether there is a recorder that has this folder.
HIDDEN bool lull_find_recorder(const char *folder);
// Makes the first segment of a process.
HIDDEN bool lull_begin_segments(bool is_program);
HIDDEN bool lull_has_segments(void);
// Whether the addresses are limited that a process may have.
HIDDEN bool lull_has_limit(void);
// Leaves the addresses of slots that no thread has to the program, for now and for later, which it limits or locks.
HIDDEN void lull_leave_addresses(bool locks);
// The memory of the slots is none of what the program may lock.
HIDDEN void lull_unlock_slots(void);
// A slot for the calling thread, or nothing.
HIDDEN struct lull_slot *lull_take_slot(void);
#ifdef LULL_AGENT
// The slot that the thread was given as the recording began, or nothing.
HIDDEN struct lull_slot *lull_claim_slot(int tid);
// Gives each other thread that there is a slot, which it finds at its next call, and a timer.
HIDDEN void lull_give_slots(void);
// Gives back the memory of the segments; threads that just write to them write to nobody's.
HIDDEN void lull_retire_segments(void);
// The thread takes part in the recording; in no recording any longer.
HIDDEN void lull_arrive(struct agent *agent);
HIDDEN void lull_leave(struct agent *agent);
#else
static inline struct lull_slot *lull_claim_slot(int tid) { (void)tid; return NULL; }
static inline void lull_arrive(struct agent *agent) { (void)agent; }
static inline void lull_leave(struct agent *agent) { (void)agent; }
#endif
// What getdents64 gives.
struct lull_entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

// Tells what a descriptor stands for.
HIDDEN void lull_tell_descriptor(int descriptor);
// Tells what the program that begins was given by whoever started it.
HIDDEN void lull_tell_inherited(void);
// MADV_POPULATE_WRITE, which older headers lack (linux/mman.h).
enum { POPULATE_WRITE = 23 };
// Maps the first bytes of a file that is shared with the recorder; nothing where that cannot be.
HIDDEN void *lull_map(long descriptor, size_t size, int protection);
// Takes pages from the file system, so that writing to them cannot fail.
HIDDEN bool lull_take_memory(const void *at, size_t size);
// Takes memory for the slot's sums.
HIDDEN bool lull_begin_sums(struct lull_slot *slot);
HIDDEN void lull_note_thread_without_ring(void);
// A filter of the program's keeps a thread's calls, or what threads use, from being recorded.
HIDDEN void lull_note_filtered(void);
// Takes all that a ring may need, and the sums.
HIDDEN void lull_take_all_memory(struct lull_slot *slot);
// Whether threads are sampled, of enum lull_sampling.
HIDDEN void lull_note_sampling(uint32_t state);
// The program takes a signal that asks it to end.
HIDDEN void lull_note_asked(int number);
HIDDEN void lull_each_slot(void (*body)(struct lull_slot *slot));

#endif
