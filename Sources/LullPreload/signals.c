#include "interpose.h"

#include "samples.h"
#include "segments.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

// When the program is asked to end, by whichever way it takes signals; and what keeps the samples' signal from meeting
// the program's own.

// What the program's handlers of the signals that ask it to end are; the kernel has the library's in their place.
static void *handlers[SIGTERM + 1];

static bool is_asking(int number) { return number == SIGTERM || number == SIGINT; }

static void handle(int number, siginfo_t *information, void *context) {
  lull_note_asked(number);
  void *handler = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
  // As the kernel would call it, whether it takes one argument or all.
  ((void (*)(int, siginfo_t *, void *))handler)(number, information, context);
}

static bool is_function(const void *handler) {
  return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN && handler != (void *)SIG_ERR;
}

// Puts the library's handler before one of the program's, and gives what the kernel is to be told. A child of vfork may
// take handlers away, which it has for itself, but has this memory with its parent: only functions are noted.
static void *handler_for(int number, void *wanted) {
  if (!lull_takes_part() || !is_asking(number) || !is_function(wanted) || wanted == (void *)handle) return wanted;
  __atomic_store_n(&handlers[number], wanted, __ATOMIC_RELEASE);
  return (void *)handle;
}

static void *program_handler(int number) {
  return is_asking(number) ? __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE) : NULL;
}

// The signals but the samples', for masks and waits that are for all. Who names it has use for it: among those for
// programs alone, and not with the kernel's.
static const sigset_t *without_samples(const sigset_t *given, sigset_t *copy) {
  if (!given || !lull_hides_samples()) return given;
  bool names = sigismember(given, lull_sample_signal()) == 1;
  if (names && !(sigismember(given, SIGHUP) == 1 && sigismember(given, SIGCHLD) == 1)) {
    if (lull_is_own_process()) lull_give_up_samples(lull_sampling_signal_taken);
    return given;
  }
  *copy = *given;
  sigdelset(copy, lull_sample_signal());
  return copy;
}

// Whether the samples' signal is left as it is: who resets all signals has no use for this one. A handler has, from
// which the samples part.
static bool is_kept(int number, const void *wanted) {
  if (number != lull_sample_signal() || lull_sampling != lull_sampling_on) return false;
  if (!is_function(wanted)) return true;
  if (lull_is_own_process()) lull_give_up_samples(lull_sampling_signal_taken);
  return false;
}

DECLARE(sigaction)
EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  struct sigaction wanted;
  void *before = program_handler(number);
  if (action && is_kept(number, (void *)action->sa_sigaction)) action = NULL;
  if (action) {
    wanted = *action;
    without_samples(&action->sa_mask, &wanted.sa_mask);
    wanted.sa_sigaction = (__typeof__(wanted.sa_sigaction))handler_for(number, (void *)action->sa_sigaction);
  }
  int result = REAL(sigaction)(number, action ? &wanted : NULL, old);
  if (result == 0 && old) {
    if (old->sa_sigaction == handle) old->sa_sigaction = (__typeof__(old->sa_sigaction))before;
    if (lull_is_sample_handler(old)) *old = (struct sigaction){.sa_handler = SIG_DFL};
  }
  return result;
}

int lull_set_action(int number, const struct sigaction *action, struct sigaction *old) {
  return REAL(sigaction)(number, action, old);
}

typedef void (*handler_function)(int);
handler_function __sysv_signal(int, handler_function);

#define SETS(name) \
  DECLARE(name) \
  EXPORT handler_function name(int number, handler_function wanted) { \
    if (is_kept(number, (void *)wanted)) return SIG_DFL; \
    void *before = program_handler(number); \
    handler_function old = REAL(name)(number, (handler_function)handler_for(number, (void *)wanted)); \
    return (void *)old == (void *)handle ? (handler_function)before : old; \
  }
SETS(signal)
SETS(ssignal)
SETS(__sysv_signal)

#define MASKS(name) \
  DECLARE(name) \
  EXPORT int name(int how, const sigset_t *set, sigset_t *old) { \
    sigset_t copy; \
    return REAL(name)(how, how == SIG_UNBLOCK ? set : without_samples(set, &copy), old); \
  }
MASKS(sigprocmask)
MASKS(pthread_sigmask)

// Waits for signals: what is waited for asks to end as a handler does.
#define TAKES(type, name, parameters, arguments, taken) \
  DECLARE(name) \
  EXPORT type name parameters { \
    sigset_t copy; \
    mask = without_samples(mask, &copy); \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_rt_sigtimedwait, -1); \
    type result = REAL(name) arguments; \
    if (is_asking(taken)) lull_note_asked(taken); \
    is_told = is_told || lull_is_late(&call, SYS_rt_sigtimedwait, -1); \
    if (is_told) lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1, .manner = manner_wait}); \
    return result; \
  }
TAKES(int, sigwait, (const sigset_t *mask, int *number), (mask, number), result == 0 ? *number : 0)
TAKES(int, sigwaitinfo, (const sigset_t *mask, siginfo_t *information), (mask, information), result)
TAKES(int, sigtimedwait, (const sigset_t *mask, siginfo_t *information, const struct timespec *timeout), (mask,
    information, timeout), result)

DECLARE(signalfd)
EXPORT int signalfd(int fd, const sigset_t *mask, int flags) {
  sigset_t copy;
  int result = REAL(signalfd)(fd, without_samples(mask, &copy), flags);
  lull_know_descriptor(result, lull_descriptor_signals);
  return result;
}

void lull_note_signals(const void *read, long count) {
  struct signalfd_siginfo one;
  for (long at = 0; at + (long)sizeof one <= count; at += (long)sizeof one) {
    memcpy(&one, (const uint8_t *)read + at, sizeof one);
    if (is_asking((int)one.ssi_signo)) lull_note_asked((int)one.ssi_signo);
  }
}

void lull_resolve_signals(void) {
  FIND(sigaction) FIND(signal) FIND(ssignal) FIND(__sysv_signal) FIND(sigprocmask) FIND(pthread_sigmask)
  FIND(sigwait) FIND(sigwaitinfo) FIND(sigtimedwait) FIND(signalfd)
}
