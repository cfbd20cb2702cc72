#include "interpose.h"

#include "handlers.h"
#include "samples.h"
#include "segments.h"
#include "wakes.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

// The functions by which a program takes signals, and what keeps the samples' signal from meeting its own.

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
  if (!lull_is_function(wanted)) return true;
  if (lull_is_own_process()) lull_give_up_samples(lull_sampling_signal_taken);
  return false;
}

DECLARE(sigaction)
EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  struct sigaction wanted;
  struct handler_before before = lull_handler_before(number);
  if (action && is_kept(number, (void *)action->sa_sigaction)) action = NULL;
  if (action) {
    wanted = *action;
    without_samples(&action->sa_mask, &wanted.sa_mask);
    wanted.sa_sigaction = (__typeof__(wanted.sa_sigaction))lull_handler_for(number, (void *)action->sa_sigaction);
    lull_want_sender(number, &wanted);
  }
  int result = REAL(sigaction)(number, action ? &wanted : NULL, old);
  if (result == 0 && old) {
    lull_show_handler(&before, old);
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
    struct handler_before before = lull_handler_before(number); \
    handler_function old = REAL(name)(number, (handler_function)lull_handler_for(number, (void *)wanted)); \
    return lull_is_own_handler((void *)old) ? (handler_function)before.handler : old; \
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

DECLARE(sigtimedwait)

// Waits for a signal, and tells who sent it, or that its time was over. What is waited for asks to end as a handler
// does.
static inline __attribute__((always_inline)) int take_signal(const sigset_t *mask, siginfo_t *information,
    const struct timespec *timeout) {
  sigset_t copy;
  siginfo_t own;
  if (!information) information = &own;
  mask = without_samples(mask, &copy);
  struct call call;
  bool is_told = lull_begin(&call, SYS_rt_sigtimedwait, -1);
  int result = REAL(sigtimedwait)(mask, information, timeout);
  if (lull_asks_to_end(result)) lull_note_asked(result);
  if (is_told || lull_is_late(&call, SYS_rt_sigtimedwait, -1)) {
    bool is_over = result < 0 && errno == EAGAIN;
    lull_finish(&call, (struct outcome){.first = lull_signals_of(pthread_self()),
                                        .second = is_over ? ETIMEDOUT : 0,
                                        .third = result > 0 ? lull_sender_of(result, information) : lull_sender_unknown,
                                        .descriptor = -1,
                                        .manner = manner_wait});
  }
  return result;
}

// As glibc does it (signal/sigwait.c).
EXPORT int sigwait(const sigset_t *mask, int *number) {
  int result;
  do result = take_signal(mask, NULL, NULL);
  while (result < 0 && errno == EINTR);
  if (result < 0) return errno;
  *number = result;
  return 0;
}

EXPORT int sigwaitinfo(const sigset_t *mask, siginfo_t *information) { return take_signal(mask, information, NULL); }

EXPORT int sigtimedwait(const sigset_t *mask, siginfo_t *information, const struct timespec *timeout) {
  return take_signal(mask, information, timeout);
}

// Who sends a signal, to a thread or to a process.
#define SIGNALS(name, parameters, arguments, place) \
  DECLARE(name) \
  EXPORT int name parameters { \
    if (number) lull_tell_signal(place); \
    return REAL(name) arguments; \
  }
SIGNALS(pthread_kill, (pthread_t thread, int number), (thread, number), lull_signals_of(thread))
SIGNALS(pthread_sigqueue, (pthread_t thread, int number, const union sigval value), (thread, number, value),
        lull_signals_of(thread))
SIGNALS(kill, (pid_t process, int number), (process, number), lull_signals_of_process(process))
SIGNALS(sigqueue, (pid_t process, int number, const union sigval value), (process, number, value),
        lull_signals_of_process(process))
SIGNALS(killpg, (pid_t group, int number), (group, number), 0)
#if __GLIBC_PREREQ(2, 30)
SIGNALS(tgkill, (pid_t process, pid_t thread, int number), (process, thread, number), lull_signals_of_process(process))
#endif

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
    if (lull_asks_to_end((int)one.ssi_signo)) lull_note_asked((int)one.ssi_signo);
  }
}

void lull_resolve_signals(void) {
  FIND(sigaction) FIND(signal) FIND(ssignal) FIND(__sysv_signal) FIND(sigprocmask) FIND(pthread_sigmask)
  FIND(sigtimedwait) FIND(signalfd)
  FIND(pthread_kill) FIND(pthread_sigqueue) FIND(kill) FIND(sigqueue) FIND(killpg)
#if __GLIBC_PREREQ(2, 30)
  FIND(tgkill)
#endif
}
