#include "handlers.h"

#include "segments.h"
#include "wakes.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

// What stands before the program's handlers of signals. A handler may come in the midst of a call that waits: what it
// does is none of that wait, and it may never go back to it (siglongjmp, an exception).

// What the program's handlers are; the kernel has the library's in their place.
static void *handlers[_NSIG];
// Whether the kernel says who sent the signal, and whether it does so for the library alone.
static bool tells_sender[_NSIG], adds_sender[_NSIG];

bool lull_asks_to_end(int number) { return number == SIGTERM || number == SIGINT; }

// What a thread's own instruction raises comes in no call that waits.
static bool is_fault(int number) {
  switch (number) {
    case SIGSEGV: case SIGBUS: case SIGILL: case SIGFPE: case SIGTRAP: case SIGSYS: case SIGABRT: return true;
    default: return false;
  }
}

// The call in whose midst a handler came.
struct interrupted {
  struct lull_slot *slot;
  struct lull_open_call call;
  uintptr_t place;
  struct registers registers;
};

enum lull_sender lull_sender_of(int number, const siginfo_t *information) {
  switch (information->si_code) {
    case SI_TIMER: return lull_sender_timer;
    // Of an interval timer (setitimer, alarm).
    case SI_KERNEL: return number == SIGALRM ? lull_sender_timer : lull_sender_unknown;
    case SI_USER: case SI_TKILL: case SI_QUEUE:
      return information->si_pid == lull_owner->pid ? lull_sender_own_process : lull_sender_other_process;
    default: return number == SIGCHLD ? lull_sender_other_process : lull_sender_unknown;
  }
}

// Tells what the call waited until now, and takes it from the thread.
static bool begin_handler(struct interrupted *interrupted, int number, const siginfo_t *information) {
  struct agent *agent = &lull_agent;
  struct lull_slot *slot = agent->slot;
  if (!slot || agent->busy || agent->forking || !lull_owner->pid) return false;
  if (!slot->call.start || !lull_is_joined()) return false;
  interrupted->slot = slot;
  interrupted->call = slot->call;
  interrupted->place = agent->place;
  struct call *call = (struct call *)agent->place;
  // One that just begins or ends is none that waits.
  if (call->start != slot->call.start || call->number != slot->call.number) return false;
  bool has_registers = slot->registers_of == slot->call.start;
  memset(&interrupted->registers, 0, sizeof interrupted->registers);
  if (has_registers) memcpy(&interrupted->registers, slot->registers, sizeof interrupted->registers);
  uint64_t now = lull_not_before(agent->last_end, lull_not_before(call->start, lull_call_time(agent)));
  agent->last_end = now;
  slot->call = (struct lull_open_call){0, 0, 0};
  agent->place = UINTPTR_MAX;
  if (now - call->start < NO_WAIT) return true;
  int descriptor = (int)interrupted->call.descriptor;
  struct outcome outcome = {.first = (uint64_t)descriptor,
                            .second = lull_signals_of(pthread_self()),
                            .third = tells_sender[number] ? lull_sender_of(number, information) : lull_sender_unknown,
                            .descriptor = descriptor,
                            .manner = manner_wait | manner_interrupted};
  lull_finish_slowly(call, now, &outcome, has_registers ? &interrupted->registers : NULL);
  return true;
}

// The call goes on.
static void end_handler(const struct interrupted *interrupted) {
  struct agent *agent = &lull_agent;
  struct lull_slot *slot = agent->slot;
  if (slot != interrupted->slot || agent->busy || !lull_owner->pid || slot->call.start) return;
  struct call *call = (struct call *)interrupted->place;
  call->start = lull_not_before(agent->last_end, lull_call_time(agent));
  if (call->cpu != UINT64_MAX) lull_runs_long(call);
  agent->place = interrupted->place;
  slot->call = interrupted->call;
  slot->call.start = call->start;
  memcpy(slot->registers, &interrupted->registers, sizeof interrupted->registers);
  slot->registers_of = call->start;
}

// Named as the rest, since it is on the stacks of what the handler does.
static void lull_handle(int number, siginfo_t *information, void *context) {
  if (lull_asks_to_end(number)) lull_note_asked(number);
  void *handler = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
  int saved = errno;
  struct interrupted interrupted;
  struct agent *agent = &lull_agent;
  struct lull_intruder intruder;
  __atomic_store_n(&intruder.own, (uintptr_t)&intruder, __ATOMIC_RELAXED);
  // Of several, the one that came first is in the record's midst.
  bool intrudes = agent->busy && !agent->intruder;
  if (intrudes) agent->intruder = &intruder;
  bool is_within = begin_handler(&interrupted, number, information);
  errno = saved;
  // As the kernel would call it, whether it takes one argument or all.
  ((void (*)(int, siginfo_t *, void *))handler)(number, information, context);
  if (intrudes) agent->intruder = NULL;
  // What stands there for a handler that went home stands for none that jumped.
  __atomic_store_n(&intruder.own, 0, __ATOMIC_RELAXED);
  if (!is_within) return;
  saved = errno;
  end_handler(&interrupted);
  errno = saved;
}

bool lull_is_function(const void *handler) {
  return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN && handler != (void *)SIG_ERR;
}

bool lull_is_own_handler(const void *handler) { return handler == (void *)lull_handle; }

// A child of vfork may take handlers away, which it has for itself, but has this memory with its parent: only functions
// are noted.
void *lull_handler_for(int number, void *wanted) {
  if (!lull_takes_part() || number <= 0 || number >= _NSIG || is_fault(number)) return wanted;
  if (!lull_is_function(wanted) || lull_is_own_handler(wanted)) return wanted;
  __atomic_store_n(&handlers[number], wanted, __ATOMIC_RELEASE);
  tells_sender[number] = adds_sender[number] = false;
  return (void *)lull_handle;
}

void lull_want_sender(int number, struct sigaction *action) {
  if (!lull_is_own_handler((void *)action->sa_sigaction)) return;
  adds_sender[number] = !(action->sa_flags & SA_SIGINFO);
  tells_sender[number] = true;
  action->sa_flags |= SA_SIGINFO;
}

struct handler_before lull_handler_before(int number) {
  if (number <= 0 || number >= _NSIG) return (struct handler_before){NULL, false};
  return (struct handler_before){__atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE), adds_sender[number]};
}

void lull_show_handler(const struct handler_before *before, struct sigaction *action) {
  bool is_own = lull_is_own_handler((void *)action->sa_sigaction);
  // The kernel takes one away that is for one signal, and leaves its flags.
  bool is_over = action->sa_handler == SIG_DFL && action->sa_flags & (int)SA_RESETHAND;
  if (is_own) action->sa_sigaction = (__typeof__(action->sa_sigaction))before->handler;
  if ((is_own || is_over) && before->has_added_sender) action->sa_flags &= ~SA_SIGINFO;
}
