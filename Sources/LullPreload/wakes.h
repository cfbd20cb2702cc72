#ifndef LULL_WAKES_H
#define LULL_WAKES_H

#include "agent.h"

#include <pthread.h>

// Who ends whose waits: a place in memory for each that is waited on, which who has waited looks at. Threads that hand
// work to and fro do so a hundred thousand times a second, and hardly one of their waits is long enough to be told.

// A thread's wakes of a place, one after another without another thread's between them.
struct wakes {
  uint64_t place;
  uint64_t first, last;
  // 0 before the first, all ones while it changes hands.
  uint32_t tid;
};

enum { most_wakes = 2048 };
// Longer ago a wake ended no wait whose end is told now.
#define WAKE_MEMORY 500000000

HIDDEN extern struct wakes lull_wakes[most_wakes];
// The thread's wakes have no place of their own yet, or cannot have it.
HIDDEN void lull_tell_wake_slowly(struct agent *agent, struct wakes *wakes, uint64_t time, uint64_t place);

static inline struct wakes *lull_wakes_of(uint64_t place) {
  return &lull_wakes[(place >> 2) * 0x9e3779b97f4a7c15 >> 53];
}

// Tells that the thread ends another's wait on a place: what it costs is added to each such call.
static inline void lull_tell_wake(uint64_t time, uint64_t place) {
  struct agent *agent = &lull_agent;
  // A thread that is not known yet is found at its next call.
  if (unlikely(!lull_is_joined() || !agent->slot || agent->forking || agent->busy || !lull_owner->pid)) return;
  struct wakes *wakes = lull_wakes_of(place);
  if (likely(wakes->tid == (uint32_t)agent->slot->tid && wakes->place == place && time - wakes->last < WAKE_MEMORY)) {
    __atomic_store_n(&wakes->last, time, __ATOMIC_RELAXED);
    return;
  }
  lull_tell_wake_slowly(agent, wakes, time, place);
}

// Says that the thread hands something on to another, or to another process: that it does so, and no more.
static inline void lull_hand_on(void) {
  if (lull_is_joined()) lull_agent.hands_on = 1;
}

// The places at which signals of a thread, and of the process, are waited for: no locks lie at odd addresses.
static inline uint64_t lull_signals_of(pthread_t thread) { return (uint64_t)thread | 1; }
static inline uint64_t lull_signals_of_process(pid_t process) {
  return lull_owner && process == lull_owner->pid ? LULL_PROCESS_SIGNALS : 0;
}
// Tells that the thread sends a signal, to a place of this process or elsewhere (0).
HIDDEN void lull_tell_signal(uint64_t place);

#endif
