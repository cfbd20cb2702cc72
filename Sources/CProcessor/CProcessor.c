#define _GNU_SOURCE
#include "CProcessor.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int lull_this_cpu(void) { return sched_getcpu(); }

bool lull_allowed_cpus(pid_t thread, void *mask, size_t bytes) {
  // The C library's function would fill up what the kernel does not know of.
  return syscall(SYS_sched_getaffinity, thread, bytes, mask) > 0;
}

bool lull_allow_cpus(pid_t thread, const void *mask, size_t bytes) {
  return sched_setaffinity(thread, bytes, mask) == 0;
}

bool lull_begin_thread(void *(*body)(void *), void *context, const void *mask, size_t bytes) {
  // Signals are for the threads that wait for them; only what a thread does wrong itself comes to it.
  sigset_t none, before;
  sigfillset(&none);
  static const int own[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGABRT};
  for (size_t at = 0; at < sizeof own / sizeof *own; at++) sigdelset(&none, own[at]);
  pthread_sigmask(SIG_SETMASK, &none, &before);
  pthread_t thread;
  pthread_attr_t given;
  bool begins = false;
  // The kernel may put it behind its maker, where it would wait while another CPU has nothing to do. It is said where
  // before it runs: said later, it would undo for good what the thread itself had said by then.
  if (mask && pthread_attr_init(&given) == 0) {
    begins = pthread_attr_setaffinity_np(&given, bytes, mask) == 0 &&
      pthread_create(&thread, &given, body, context) == 0;
    pthread_attr_destroy(&given);
  }
  if (!begins) begins = pthread_create(&thread, NULL, body, context) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!begins) return false;
  pthread_detach(thread);
  return true;
}
