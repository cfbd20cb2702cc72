#ifndef LULL_CPROCESSOR_H
#define LULL_CPROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Asks the processor to fetch what is at an address, which need not be mapped: a record that is read soon. Most lie
/// in two lines of its caches.
static inline void lull_prefetch(const void *_Nullable address) {
  __builtin_prefetch(address);
  __builtin_prefetch((const char *)address + 64);
}

/// The CPU on which the calling thread is; -1 where the kernel does not say.
int lull_this_cpu(void);

/// Reads on which CPUs a thread may run, a bit each, into so many bytes; false on an error.
bool lull_allowed_cpus(pid_t thread, void *_Nonnull mask, size_t bytes);

/// Says on which CPUs a thread may run; false on an error.
bool lull_allow_cpus(pid_t thread, const void *_Nonnull mask, size_t bytes);

/// Begins a thread, detached, that may be on those CPUs, if the kernel allows that; false where there is none to be
/// had.
bool lull_begin_thread(void *_Nullable (*_Nonnull body)(void *_Nullable), void *_Nullable context,
                       const void *_Nullable mask, size_t bytes);

#endif
