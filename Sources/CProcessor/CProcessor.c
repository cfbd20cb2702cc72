#define _GNU_SOURCE
#include "CProcessor.h"

#include <pthread.h>
#include <sched.h>
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
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, context) != 0) return false;
  // At once: the kernel may have put it behind its maker, where it would wait while another CPU has nothing to do.
  if (mask) pthread_setaffinity_np(thread, bytes, mask);
  pthread_detach(thread);
  return true;
}
