#ifndef LULL_CDEMANGLING_SHIM_H
#define LULL_CDEMANGLING_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* Entry points of the Swift runtime of this very process. Weak: one is underscored, and a later
   runtime may lack it; and unlike dlsym this works in a statically linked executable too. */
extern char *_swift_backtrace_demangle(const char *name, size_t length, char *buffer,
                                       size_t *size) __attribute__((weak));
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size,
                            uint32_t flags) __attribute__((weak));

/* Simplified form of a Swift or C++ name, or NULL. The caller frees the result. */
static inline char *lull_demangle_simplified(const char *name, size_t length) {
  size_t size = 0;
  return _swift_backtrace_demangle ? _swift_backtrace_demangle(name, length, NULL, &size) : NULL;
}

/* Full form of a Swift name, or NULL. The caller frees the result. */
static inline char *lull_demangle_full(const char *name, size_t length) {
  return swift_demangle ? swift_demangle(name, length, NULL, NULL, 0) : NULL;
}

#endif
