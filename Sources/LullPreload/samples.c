#include "samples.h"

#include "interpose.h"
#include "segments.h"
#include "stacks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <ucontext.h>

// Samples of running code: a timer on each thread's CPU time sends that thread a signal, whose handler copies the
// registers and the stack. The signal comes as the thread goes back to its program, so no call is ended by it.

#if defined(__aarch64__)
enum { least_major = 5, least_minor = 16 };
#else
enum { least_major = 5, least_minor = 9 };
#endif

uint32_t lull_sampling = lull_sampling_unwanted;
static uint32_t interval;
// By which the timers' signals are known from others of the number.
static const char mark;

static void set(enum lull_sampling state) {
  __atomic_store_n(&lull_sampling, state, __ATOMIC_RELAXED);
  lull_note_sampling(state);
#ifdef LULL_AGENT
  lull_door->takes_signal = state == lull_sampling_on;
#endif
}

static bool is_sampling(void) { return __atomic_load_n(&lull_sampling, __ATOMIC_RELAXED) == lull_sampling_on; }

bool lull_hides_samples(void) {
#ifdef LULL_AGENT
  if (!lull_recording()) return false;
#endif
  return is_sampling();
}

static bool is_old_kernel(void) {
  struct utsname system;
  if (lull_kernel(SYS_uname, (long)&system, 0, 0, 0, 0, 0) < 0) return true;
  char *rest;
  long major = strtol(system.release, &rest, 10);
  long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
  return major < least_major || (major == least_major && minor < least_minor);
}

static void read_registers(const ucontext_t *context, struct registers *registers) {
  uint64_t *values = registers->values;
#if defined(__aarch64__)
  for (int index = 0; index < 31; index++) values[index] = context->uc_mcontext.regs[index];
  values[31] = context->uc_mcontext.sp;
  values[32] = context->uc_mcontext.pc;
#else
  const greg_t *all = context->uc_mcontext.gregs;
  static const uint8_t order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                  REG_RBP, REG_RSP, REG_RIP, REG_EFL};
  for (unsigned index = 0; index < sizeof order; index++) values[index] = (uint64_t)all[order[index]];
  values[10] = (uint64_t)all[REG_CSGSFS] & 0xffff;
  values[11] = (uint64_t)all[REG_CSGSFS] >> 48;
  for (unsigned index = 0; index < 8; index++) values[12 + index] = (uint64_t)all[REG_R8 + index];
#endif
}

static void write_sample(struct agent *agent, const struct registers *registers) {
  uint64_t cpu[4] = {0, UINT64_MAX, 0, UINT64_MAX};
  size_t size = sizeof(struct lull_record) + sizeof cpu + lull_stack_room(false);
  lull_settle(agent);
  struct lull_record *record = lull_reserve(agent, (uint32_t)((size + 63) & ~63ul), ordinary);
  if (!record) return;
  uint64_t now = lull_now();
  *record = (struct lull_record){.kind = lull_record_sample, .parts = lull_part_stack, .start = now, .end = now};
  uint64_t at = agent->head + sizeof *record;
  // Within a call the time before it ends is not all run.
  if (agent->slot->call.start == 0 && lull_sees_use()) {
    record->parts |= lull_part_cpu;
    cpu[0] = lull_thread_time();
    cpu[2] = lull_thread_waits();
    agent->last_cpu = now;
    lull_write_part(agent, &at, cpu, sizeof cpu);
  }
  lull_write_stack(agent, &at, registers, false);
  record->size = (uint32_t)((at - agent->head + 63) & ~63ul);
  lull_publish(agent, record->size);
}

static void take_sample(int number, siginfo_t *information, void *context) {
  if (unlikely(lull_agent.silent)) return;
  bool is_own = information->si_code == SI_TIMER && information->si_value.sival_ptr == &mark;
#ifdef LULL_AGENT
  if (is_own || (information->si_code == SI_QUEUE && information->si_value.sival_int == LULL_NUDGE)) {
    // A thread that makes no calls comes in here.
    lull_look_for_recorder(lull_now());
    if (lull_joins(&lull_agent) && !lull_agent.slot && !lull_agent.busy) lull_begin_slowly(&lull_agent);
    if (!is_own || !lull_is_joined()) return;
  }
#endif
  if (!is_own) {
    // Somebody else's: without the library it would have ended the program, as it does once it is let through.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    lull_set_action(number, &standard, NULL);
    lull_kernel(SYS_tgkill, lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0), lull_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0),
                number, 0, 0, 0);
    return;
  }
  struct agent *agent = &lull_agent;
  // What the library does itself is none of the program's. A child has no timers, nor has one of vfork.
  if (!agent->slot || agent->busy || !lull_owner->pid || !is_sampling()) return;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  struct registers registers;
  read_registers(context, &registers);
  write_sample(agent, &registers);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
}

bool lull_is_sample_handler(const struct sigaction *action) { return action->sa_sigaction == take_sample; }

void lull_set_sample_interval(uint32_t wanted) { interval = wanted; }

void lull_begin_samples(uint32_t wanted) {
  if (wanted == 0) return;
  lull_set_sample_interval(wanted);
  lull_take_sample_signal();
}

void lull_take_sample_signal(void) {
  if (is_old_kernel()) return set(lull_sampling_old_kernel);
  struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, before;
  // Whatever else comes waits for the few microseconds.
  sigfillset(&action.sa_mask);
  if (lull_set_action(lull_sample_signal(), NULL, &before) < 0 || before.sa_handler != SIG_DFL) {
    return set(lull_sampling_signal_taken);
  }
  set(lull_set_action(lull_sample_signal(), &action, NULL) < 0 ? lull_sampling_refused : lull_sampling_on);
}

// Until its first sample a thread runs for any part of an interval, so that short ones are seen as often as long ones.
static uint64_t first_interval(const struct lull_slot *slot) {
  uint64_t state = lull_now() ^ (uint64_t)slot->tid << 32;
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  state = (state ^ state >> 27) * 0x94d049bb133111eb;
  return 1 + (state ^ state >> 31) % interval;
}

void lull_let_samples_through(void) {
  if (!is_sampling()) return;
  uint64_t only = 1ull << (lull_sample_signal() - 1);
  lull_kernel(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&only, 0, sizeof only, 0, 0);
}

static void set_timer(struct lull_slot *slot, int clock) {
  if (!is_sampling() || slot->timer || interval == 0) return;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = lull_sample_signal(),
                           .sigev_value.sival_ptr = (void *)&mark};
  event._sigev_un._tid = slot->tid;
  int timer;
  if (lull_kernel(SYS_timer_create, clock, (long)&event, (long)&timer, 0, 0, 0) < 0) {
    // The others are sampled even so.
    return lull_note_sampling(lull_sampling_refused);
  }
  uint64_t first = first_interval(slot);
  struct itimerspec time = {{interval / 1000000000, interval % 1000000000},
                            {(long)(first / 1000000000), (long)(first % 1000000000)}};
  __atomic_store_n(&slot->timer, (uint32_t)timer + 1, __ATOMIC_RELAXED);
  lull_kernel(SYS_timer_settime, timer, 0, (long)&time, 0, 0, 0);
}

void lull_sample_thread(struct lull_slot *slot) { set_timer(slot, CLOCK_THREAD_CPUTIME_ID); }

void lull_sample_other(struct lull_slot *slot) {
  // The clock of a thread's CPU time (linux/posix-timers.h: CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED).
  set_timer(slot, (int)(~(unsigned)slot->tid << 3 | 6));
}

void lull_end_samples(struct lull_slot *slot) {
  uint32_t timer = __atomic_exchange_n(&slot->timer, 0, __ATOMIC_RELAXED);
  if (timer) lull_kernel(SYS_timer_delete, timer - 1, 0, 0, 0, 0, 0);
}

void lull_give_up_samples(enum lull_sampling reason) {
  if (!is_sampling()) return;
  set(reason);
  lull_each_slot(lull_end_samples);
}

void lull_take_up_samples(void) {
  set(lull_sampling_on);
  lull_each_slot(lull_sample_other);
}

void lull_pause_samples(void) {
  struct agent *agent = &lull_agent;
  if (!lull_is_joined() || !agent->slot || !agent->slot->timer || !lull_is_own_process()) return;
  lull_end_samples(agent->slot);
  // A signal that is on its way would end the program that comes, which has no handler.
  uint64_t only = 1ull << (lull_sample_signal() - 1);
  struct timespec none = {0, 0};
  lull_kernel(SYS_rt_sigtimedwait, (long)&only, 0, (long)&none, sizeof only, 0, 0);
}

void lull_resume_samples(void) {
  struct agent *agent = &lull_agent;
  if (!agent->slot || !lull_is_joined() || !lull_is_own_process()) return;
  lull_let_samples_through();
  lull_sample_thread(agent->slot);
}
