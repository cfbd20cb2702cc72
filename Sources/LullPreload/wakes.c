#include "interpose.h"

#include "wakes.h"

struct wakes lull_wakes[most_wakes];

// A wake by itself, in the thread's ring.
static void write_wake(struct agent *agent, uint64_t time, uint64_t place) {
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  lull_settle(agent);
  struct lull_record *record = lull_reserve(agent, sizeof *record, ordinary);
  if (record) {
    *record = (struct lull_record){.size = sizeof *record, .kind = lull_record_call, .number = lull_number_wake,
                                   .start = time, .end = time, .arguments = {place, 0, 0}};
    lull_publish(agent, sizeof *record);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
}

void lull_tell_wake_slowly(struct agent *agent, struct wakes *wakes, uint64_t time, uint64_t place) {
  uint32_t before = __atomic_load_n(&wakes->tid, __ATOMIC_ACQUIRE);
  uint64_t last = __atomic_load_n(&wakes->last, __ATOMIC_RELAXED);
  bool is_free = before == 0 || (before != UINT32_MAX && time > last && time - last >= WAKE_MEMORY);
  // Whom another's wakes woke may not have looked yet.
  if (!is_free ||
      !__atomic_compare_exchange_n(&wakes->tid, &before, UINT32_MAX, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    return write_wake(agent, time, place);
  }
  __atomic_thread_fence(__ATOMIC_RELEASE);
  wakes->place = place;
  wakes->first = time;
  __atomic_store_n(&wakes->last, time, __ATOMIC_RELAXED);
  __atomic_store_n(&wakes->tid, (uint32_t)agent->slot->tid, __ATOMIC_RELEASE);
}

void lull_tell_signal(uint64_t place) {
  struct agent *agent = &lull_agent;
  if (!lull_is_joined() || !agent->slot || agent->forking || agent->busy || !lull_owner->pid) return;
  agent->hands_on = 1;
  if (place) write_wake(agent, lull_now(), place);
}

uint64_t lull_waker(uint64_t place, uint64_t start, uint64_t end) {
  struct wakes *wakes = lull_wakes_of(place);
  uint32_t tid = __atomic_load_n(&wakes->tid, __ATOMIC_ACQUIRE);
  if (tid == 0 || tid == UINT32_MAX || wakes->place != place) return 0;
  uint64_t first = wakes->first, last = __atomic_load_n(&wakes->last, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (__atomic_load_n(&wakes->tid, __ATOMIC_RELAXED) != tid || first > end || last < start) return 0;
  uint64_t before = last < end ? end - last : 0;
  return (uint64_t)tid << LULL_WAKER_SHIFT | (before < LULL_WAKER_MOST ? before : LULL_WAKER_MOST);
}
