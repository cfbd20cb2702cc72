#ifndef LULL_AGENT_H
#define LULL_AGENT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
// The C library's headers give some functions bodies, which are not what is stood in front of.
#include <features.h>
#undef __USE_EXTERN_INLINES

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "preload_ring.h"

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

// A wait as long has its stack and the thread's CPU time, whatever else there was.
#define LONG_WAIT 1000000
// Of a wait as long more of the stack is taken: who called in the end tells whose work it was.
#define DEEP_WAIT 50000000
// What took less is no wait, and is told only where it did something. What took longer has the number of its stack.
#define NO_WAIT 20000
// Of short waits a stack that has none is written as long as no more are in a second than there are pauses: so many
// may come at once, also of one that the recorder has not seen yet.
#define STACK_PAUSE 1000000
#define STACK_BURST 64
// The stack of a thread's write, send or read is taken so often, as the recorder with perf events does: 49 times a
// second. Of a process's writes and reads as many more may come at once: a short program makes them of many files.
#define SITE_PAUSE 20408163
#define SITE_BURST 1000000000
// How often the thread's CPU time is read at least, while it makes calls.
#define CPU_PAUSE 10000000
// So long at most one record stands for more calls.
#define REPEATS 1000000
// To copy as much takes so long that the CPU time before it must be known.
#define LARGE (64 << 10)

// Among the registers.
#if defined(__aarch64__)
#define LULL_STACK_POINTER 31
#else
#define LULL_STACK_POINTER 7
#endif

// What is told with where it came from, each kind now and then.
enum lull_site { lull_site_send, lull_site_write, lull_site_load, lull_sites };

// What this thread knows of its ring; in the thread's own memory, which is there from its start.
struct agent {
  struct lull_slot *slot;
  uint8_t *ring;
  uint64_t head;
  // Where there is room until: by the slot's tail, when it was last looked at, and by the memory that the ring has.
  uint64_t limit;
  // Where the ring may be half full.
  uint64_t wake_at;
  // What is at the head and not handed over yet, since the next call may be just like it.
  struct lull_record *open;
  // Where the innermost open call is on the stack.
  uintptr_t place;
  // From when on the stack of a short wait is written.
  uint64_t next_stack;
  // Where the stack that it was last seen on has memory for certain.
  uint64_t stack_from, stack_to;
  // When it was last told where it sends, writes, and reads of files.
  uint64_t last_sites[lull_sites];
  uint64_t last_cpu;
  // What is added to the processor's ticks, in nanoseconds, for the time; from which tick on it is used, for a while.
  uint64_t tick_offset, ticks_from;
  // The end of the call that ended last: none begins before.
  uint64_t last_end;
  // A record is being written.
  uint32_t busy;
  // Which handler of a signal came in the midst of that; nothing where none did.
  const struct lull_intruder *intruder;
  // Nothing is recorded of it any longer.
  uint32_t off;
  // It came out of a wait for descriptors: what it reads first says which of them there was something to read from.
  uint32_t woken;
  // It handed something on to another thread since a call of it was told that took long.
  uint32_t hands_on;
  // How often it was told that it ends.
  uint32_t ends;
  // A vfork began: until it is over, the child runs with this memory.
  uint32_t forking;
  // It is just being given a ring.
  uint32_t beginning;
  // The kernel ends it at whatever it does but read and write (SECCOMP_MODE_STRICT): nothing is done for it.
  uint32_t silent;
#ifdef LULL_AGENT
  // The recording that it takes part in, and that one's place among those that its rings may still be of.
  uint32_t recording;
  uint32_t generation;
#endif
};

struct call {
  struct agent *agent;
  uint64_t start;
  // The thread's CPU time and how often it had waited as the call began; all ones where nobody asked.
  uint64_t cpu, waits;
  struct lull_open_call outer;
  uintptr_t outer_place;
  uint32_t number;
#ifdef LULL_AGENT
  // Which recording it began in; 0 where there was none.
  uint32_t recording;
#endif
};

struct registers {
  uint64_t values[lull_registers];
};

// What a call is for who reads of it.
enum manner {
  // It counts though it took no time.
  manner_told = 0,
  // It counts where it waited.
  manner_wait = 1,
  // Where it came from is wanted now and then.
  manner_site = 2,
  // Its addresses are looked up.
  manner_looked_up = 4,
  // Who ended the wait is looked up, by what it waited on.
  manner_woken = 8,
  // It is told who the other end is.
  manner_named = 16,
  // What was waited for is told by what is read next.
  manner_polled = 32,
  // It reads from a file.
  manner_load = 64,
  // It was asked not to wait: where it took long it worked, or had no CPU.
  manner_look = 128,
  // It goes on, or does not, once a signal's handler is done.
  manner_interrupted = 256,
  // It is the first at a socket that no call made here: its addresses are looked up too.
  manner_found = 512,
};

// The last eighth of a ring is for what turns and hangs are told by.
enum importance { ordinary, important };

struct outcome {
  long result;
  uint64_t first, second, third;
  unsigned manner;
  int descriptor;
  const char *path, *other_path;
  // A socket's address, of 32 bytes at most.
  const void *other_end;
};

// A handler of a signal that came while a record was being written, as it stands on the stack: where it jumped out
// (siglongjmp, an exception) it is there no more, and the record is never finished.
struct lull_intruder {
  // Its own address, until something else is there.
  uintptr_t own;
};

// One page, which a child without a program of its own finds empty: the kernel wipes it at a fork.
struct owner {
  int pid;
};

HIDDEN extern struct owner *lull_owner;
// Makes the page, and what a thread's end is seen by.
HIDDEN bool lull_make_owner(void);
HIDDEN extern __thread struct agent lull_agent __attribute__((tls_model("initial-exec")));

void lull_take_mark(int kind, const char *name, uint64_t identifier);
HIDDEN bool lull_begin_slowly(struct agent *agent);
HIDDEN void lull_finish_slowly(struct call *call, uint64_t end, const struct outcome *outcome,
    const struct registers *registers);
// Whether this process is to be recorded.
HIDDEN bool lull_is_recorded(void);
// The calling thread begins.
HIDDEN void lull_begin_thread(void);
HIDDEN void lull_thread_named(const char *name);
HIDDEN void lull_know_descriptor(int descriptor, enum lull_descriptor_kind kind);
HIDDEN void lull_forget_descriptor(int descriptor);
HIDDEN void lull_forget_descriptors(unsigned first, unsigned last);
// What a descriptor carries from now on is another's.
HIDDEN void lull_renew_sums(int descriptor);
HIDDEN void lull_process_ends(void);
// The program has put a filter of its own over its system calls (seccomp), by which a call that it does not make itself
// may be its end; whether one refuses a call.
HIDDEN extern bool lull_is_filtered;
HIDDEN bool lull_is_refused(long number);
// Where the clock may not be read without the kernel (PR_SET_TSC, and with a strict filter), it is by this.
HIDDEN extern bool lull_clock_traps;
HIDDEN uint64_t lull_kernel_now(void);
// How far the clock is ahead of the recorder's, in nanoseconds: the process may be in another time namespace.
HIDDEN extern uint64_t lull_clock_ahead;
// Finds that.
HIDDEN void lull_compare_clocks(void);
// Another program is about to take this one's place.
HIDDEN void lull_program_ends(void);
HIDDEN unsigned lull_descriptor(int descriptor);
// The kinds of those with small numbers, as far as they are known.
enum { known_descriptors = 1 << 16 };
HIDDEN extern uint8_t lull_descriptors[known_descriptors];
// Adds a call that sent or received something to what its socket carried, or one that read to what was read of its
// file, where it need not be told singly.
HIDDEN bool lull_add_up(struct agent *agent, uint32_t number, uint64_t end, const struct outcome *outcome);
// All ones where it is not to be known.
HIDDEN uint64_t lull_thread_time(void);
#ifdef LULL_AGENT
// Has this process's own segments, beside which there are none of earlier recordings.
HIDDEN bool lull_begin_own_process(void);
#endif
// How often the thread went to sleep (its voluntary switches); all ones where it is not to be known.
HIDDEN uint64_t lull_thread_waits(void);
HIDDEN void lull_wake(struct agent *agent);
// Who ended a wait on a place, where that is known without the rings: see LULL_WAKER_SHIFT.
HIDDEN uint64_t lull_waker(uint64_t place, uint64_t start, uint64_t end);
HIDDEN bool lull_make_room(struct agent *agent, uint32_t size, enum importance importance);
// Has what streams read and write seen, where that can be.
HIDDEN void lull_begin_streams(void);
HIDDEN bool lull_sees_streams(void);
// Before another program takes this one's place, and where it did not: nothing that is under way may reach it.
HIDDEN void lull_pause_samples(void);
HIDDEN void lull_resume_samples(void);

#ifdef LULL_AGENT
// The library in the program itself, which is recorded when a recorder asks for it: until then a call costs a look at
// the door.
HIDDEN extern struct lull_door *lull_door;
// Of the library that is preloaded, where it is.
HIDDEN extern void (*lull_next_taker)(int kind, const char *name, uint64_t identifier);
// Takes the calling thread into the recording that goes on, which the first one to come begins. Where another is just
// doing so it is false, and the time is noted.
HIDDEN bool lull_join(struct agent *agent, uint64_t *since);
HIDDEN bool lull_begin_late(struct call *call, uint32_t number, int descriptor);
// The program ends: nobody is to ask any longer.
HIDDEN void lull_close_door(void);
// Ends the recording where its recorder is gone.
HIDDEN void lull_look_for_recorder(uint64_t now);

static inline uint32_t lull_recording(void) { return __atomic_load_n(&lull_door->recording, __ATOMIC_RELAXED); }

static inline bool lull_is_joined(void) { return lull_recording() && lull_agent.recording == lull_recording(); }

static inline bool lull_joins(struct agent *agent) {
  uint64_t since;
  return lull_recording() && (agent->recording == lull_recording() || lull_join(agent, &since));
}

// Whether a call that was not to be told as it began is over in a recording: what is told of it begins with that.
static inline __attribute__((always_inline)) bool lull_is_late(struct call *call, uint32_t number, int descriptor) {
  return unlikely(lull_recording()) && lull_begin_late(call, number, descriptor);
}
#else
static inline void lull_look_for_recorder(uint64_t now) { (void)now; }
static inline bool lull_is_joined(void) { return true; }
static inline bool lull_joins(struct agent *agent) { (void)agent; return true; }
static inline bool lull_is_late(struct call *call, uint32_t number, int descriptor) {
  (void)call, (void)number, (void)descriptor;
  return false;
}
#endif

static inline bool lull_may_call(long number) { return likely(!lull_is_filtered) || !lull_is_refused(number); }

// Whether what a thread has used may be read.
static inline bool lull_sees_use(void) { return lull_may_call(SYS_clock_gettime) && lull_may_call(SYS_getrusage); }

static inline uint64_t lull_now(void) {
  if (unlikely(lull_clock_traps)) return lull_kernel_now();
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec - lull_clock_ahead;
}

// How many ticks of the processor's counter the time may be told by after a look at the clock; 0 where it goes by
// something else.
HIDDEN extern uint64_t lull_tick_span;
HIDDEN extern uint64_t lull_tick_scale;
// Has calls timed by the processor's counter, where the recorder found what its ticks take.
HIDDEN void lull_begin_ticks(void);
// The time by the clock, by which the thread's ticks are told from here on.
HIDDEN uint64_t lull_time_ticks(struct agent *agent);

static inline uint64_t lull_scaled(uint64_t ticks) {
  return (uint64_t)((unsigned __int128)ticks * lull_tick_scale >> 32);
}

// The time at which a call begins or ends: as the clock tells it, to some tens of nanoseconds, at half its cost.
static inline __attribute__((always_inline)) uint64_t lull_call_time(struct agent *agent) {
  // Where the clock traps the counter does as well.
  if (unlikely(!lull_tick_span || lull_clock_traps)) return lull_now();
  uint64_t ticks = lull_ticks();
  if (unlikely(ticks - agent->ticks_from >= lull_tick_span)) return lull_time_ticks(agent);
  // A signal's handler may come in between; what it puts here holds as well.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return agent->tick_offset + lull_scaled(ticks);
}

// From one look at the clock to the next the counter may have gone some nanoseconds too fast.
static inline uint64_t lull_not_before(uint64_t earlier, uint64_t time) {
  return likely(time >= earlier) || earlier - time > CPU_PAUSE ? time : earlier;
}

// The registers here, as far as an unwinder needs them. What they were before is not touched.
//
// In the program itself those of the caller, as far as the frame has them: its functions are the program's own there,
// and would be taken for who is to blame.
static inline __attribute__((always_inline)) void lull_capture(struct registers *registers) {
#if defined(__aarch64__)
  uint64_t *values = registers->values;
  __asm__ volatile(
      "stp x19, x20, [%0, #152]\n stp x21, x22, [%0, #168]\n stp x23, x24, [%0, #184]\n"
      "stp x25, x26, [%0, #200]\n stp x27, x28, [%0, #216]\n stp x29, x30, [%0, #232]\n"
      "mov x9, sp\n adr x10, .\n stp x9, x10, [%0, #248]\n" ::"r"(values) : "x9", "x10", "memory");
#elif defined(LULL_AGENT)
  uint64_t *values = registers->values, *frame = __builtin_frame_address(0);
  __asm__ volatile("movq %%rbx, 8(%0)\n movq %%r12, 128(%0)\n movq %%r13, 136(%0)\n movq %%r14, 144(%0)\n"
                   "movq %%r15, 152(%0)\n" ::"r"(values) : "memory");
  values[6] = frame[0];
  values[7] = (uint64_t)(frame + 2);
  values[8] = frame[1];
#else
  uint64_t *values = registers->values;
  __asm__ volatile(
      "movq %%rbx, 8(%0)\n movq %%rbp, 48(%0)\n movq %%rsp, 56(%0)\n leaq 0(%%rip), %%r8\n movq %%r8, 64(%0)\n"
      "movq %%r12, 128(%0)\n movq %%r13, 136(%0)\n movq %%r14, 144(%0)\n movq %%r15, 152(%0)\n" ::"r"(values)
      : "r8", "memory");
#endif
}

// Whether the call that begins is to be recorded.
static inline __attribute__((always_inline)) bool lull_begin(struct call *call, uint32_t number, int descriptor) {
  struct agent *agent = &lull_agent;
#ifdef LULL_AGENT
  call->start = 0;
  call->recording = lull_recording();
  if (likely(!call->recording)) return false;
  if (unlikely(agent->recording != call->recording) && !lull_join(agent, &call->start)) return false;
#endif
  if (unlikely(!agent->slot || agent->forking || agent->busy || !lull_owner->pid) && !lull_begin_slowly(agent)) {
    return false;
  }
  struct lull_slot *slot = agent->slot;
  call->agent = agent;
  call->number = number;
  call->cpu = call->waits = UINT64_MAX;
  call->outer = slot->call;
  call->outer_place = agent->place;
  // A call that a signal's handler jumped out of goes on no more: its frame was given up.
  if (unlikely(call->outer.start && (uintptr_t)call > agent->place)) call->outer = (struct lull_open_call){0, 0, 0};
  call->start = lull_not_before(agent->last_end, lull_call_time(agent));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->place = (uintptr_t)call;
  slot->call = (struct lull_open_call){call->start, number, (uint32_t)descriptor};
  lull_capture((struct registers *)slot->registers);
  slot->registers_of = call->start;
  return true;
}

// Room for a record of a size, or nothing; the thread is busy until lull_publish.
static inline struct lull_record *lull_reserve(struct agent *agent, uint32_t size, enum importance importance) {
  if (unlikely(agent->head + size > agent->limit) && !lull_make_room(agent, size, importance)) return NULL;
  return (struct lull_record *)(agent->ring + (agent->head & (lull_ring_bytes - 1)));
}

static inline void lull_publish(struct agent *agent, uint32_t size) {
  agent->head += size;
  __atomic_store_n(&agent->slot->head, agent->head, __ATOMIC_RELEASE);
  if (unlikely(agent->head >= agent->wake_at)) lull_wake(agent);
}

// Hands over what might have come to stand for more calls.
static inline void lull_settle(struct agent *agent) {
  if (!agent->open) return;
  agent->open = NULL;
  __atomic_store_n(&agent->slot->has_open_record, 0, __ATOMIC_RELAXED);
  lull_publish(agent, sizeof(struct lull_record));
}

// Whether a call is the last one once more, and was counted with it.
static inline bool lull_repeats(struct lull_record *open, uint32_t number, uint64_t start, uint64_t end,
    const struct outcome *outcome) {
  if (!open || open->number != number || open->result != outcome->result || open->arguments[0] != outcome->first ||
      open->arguments[1] != outcome->second || open->arguments[2] != outcome->third || outcome->third ||
      end - start >= NO_WAIT || end - open->start >= REPEATS || open->repeats == UINT16_MAX)
    return false;
  open->end = end;
  open->repeats++;
  return true;
}

// Whether a descriptor is known to be a socket of the internet.
static inline bool lull_is_socket(int descriptor) {
  if (descriptor < 0 || descriptor >= known_descriptors) return false;
  uint8_t kind = lull_descriptors[descriptor];
  return kind == lull_descriptor_tcp || kind == lull_descriptor_udp;
}

// Whether calls like one may be added up: those at sockets, and small reads of files.
static inline bool lull_may_add_up(const struct outcome *outcome) {
  if (outcome->manner & manner_load) return outcome->result < LARGE && outcome->descriptor < known_descriptors;
  return lull_is_socket(outcome->descriptor);
}

static inline enum lull_site lull_site_of(const struct outcome *outcome) {
  if (outcome->manner & manner_load) return lull_site_load;
  return lull_is_socket(outcome->descriptor) ? lull_site_send : lull_site_write;
}

// Until when the process's stacks of where it writes, and reads of files, are paid for, besides those of each thread's
// pace.
HIDDEN extern uint64_t lull_sites_paid_until[lull_sites];

// Whether a call that ended is to be told with its site; each kind has its own pace.
static inline bool lull_wants_site(const struct agent *agent, const struct outcome *outcome, uint64_t end) {
  if (!(outcome->manner & manner_site)) return false;
  enum lull_site site = lull_site_of(outcome);
  if (end - agent->last_sites[site] >= SITE_PAUSE) return true;
  return site != lull_site_send &&
         __atomic_load_n(&lull_sites_paid_until[site], __ATOMIC_RELAXED) + SITE_PAUSE <= end;
}

// A call that ended at a time was told with its site.
static inline void lull_pay_site(struct agent *agent, const struct outcome *outcome, uint64_t end) {
  enum lull_site site = lull_site_of(outcome);
  if (end - agent->last_sites[site] >= SITE_PAUSE) {
    agent->last_sites[site] = end;
    return;
  }
  uint64_t paid_until = __atomic_load_n(&lull_sites_paid_until[site], __ATOMIC_RELAXED), earliest = end - SITE_BURST;
  __atomic_store_n(&lull_sites_paid_until[site], (paid_until < earliest ? earliest : paid_until) + SITE_PAUSE,
                   __ATOMIC_RELAXED);
}

// Whether a descriptor of which nothing is known yet is a socket of the internet.
HIDDEN bool lull_finds_socket(int descriptor);

static inline bool lull_is_found(const struct outcome *outcome) {
  int descriptor = outcome->descriptor;
  if (descriptor < 0 || descriptor >= known_descriptors) return false;
  if (likely(lull_descriptors[descriptor] != lull_descriptor_unknown)) return false;
  return !(outcome->manner & (manner_looked_up | manner_wait)) && lull_finds_socket(descriptor);
}

// Ends a call; errno stays what the call made it.
static inline __attribute__((always_inline)) void lull_finish(struct call *call, struct outcome outcome) {
#ifdef LULL_AGENT
  // Another recording goes on, or none.
  if (unlikely(call->recording != lull_recording())) {
    call->start = 0;
    if (!lull_is_late(call, call->number, -1)) return;
  }
#endif
  struct agent *agent = call->agent;
  // Within it a signal's handler may have made an end of that.
  if (unlikely(!agent->slot)) return;
  uint64_t end = lull_not_before(agent->last_end, lull_not_before(call->start, lull_call_time(agent)));
  agent->last_end = end;
  agent->slot->call = call->outer;
  agent->place = call->outer_place;
  if (outcome.result < 0) outcome.result = -errno;
  if (unlikely(lull_is_found(&outcome))) outcome.manner |= manner_found;
  bool is_site = lull_wants_site(agent, &outcome, end);
  bool is_slow = end - call->start >= NO_WAIT || end - agent->last_cpu >= CPU_PAUSE || outcome.path ||
                 outcome.manner & (manner_looked_up | manner_named | manner_found) || is_site || call->cpu != UINT64_MAX;
  // One that found at once what an earlier one had waited for leaves it to be read.
  if (outcome.manner & manner_polled && (outcome.result <= 0 || end - call->start >= NO_WAIT)) {
    agent->woken = outcome.result > 0;
  }
  if (outcome.manner & manner_woken && end - call->start >= NO_WAIT) {
    outcome.third = lull_waker(outcome.first, call->start, end);
  }
  if (unlikely(is_slow)) {
    struct registers registers = {{0}};
    lull_capture(&registers);
    lull_finish_slowly(call, end, &outcome, &registers);
    return;
  }
  if (outcome.manner & manner_wait && end - call->start < NO_WAIT) return;
  if (lull_may_add_up(&outcome) && lull_add_up(agent, call->number, end, &outcome)) return;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  struct lull_record *record = NULL;
  if (!lull_repeats(agent->open, call->number, call->start, end, &outcome)) {
    lull_settle(agent);
    record = lull_reserve(agent, sizeof *record, ordinary);
  }
  if (record) {
    *record = (struct lull_record){
        .size = sizeof *record,
        .kind = lull_record_call,
        .number = call->number,
        .descriptor_kind = outcome.descriptor >= 0 ? (uint16_t)lull_descriptor(outcome.descriptor) : 0,
        .start = call->start,
        .end = end,
        .result = outcome.result,
        .arguments = {outcome.first, outcome.second, outcome.third}};
    if (end - call->start < NO_WAIT && call->number != SYS_close) {
      agent->open = record;
      __atomic_store_n(&agent->slot->has_open_record, 1, __ATOMIC_RELEASE);
    } else {
      lull_publish(agent, sizeof *record);
    }
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
}

// Reads the thread's CPU time before a call that may run long in the kernel, and wait there several times.
static inline void lull_runs_long(struct call *call) {
  call->waits = lull_thread_waits();
  call->cpu = lull_thread_time();
}

#endif
