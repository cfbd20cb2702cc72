#ifndef LULL_KERNEL_H
#define LULL_KERNEL_H

#include "agent.h"

#include <string.h>

// A system call of the library's own: not by the C library's functions, which it stands in front of, and not where a
// filter of the program's refuses it. Errors are negative.
static inline long lull_kernel(long number, long a, long b, long c, long d, long e, long f) {
  if (!lull_may_call(number)) return -EPERM;
#if defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#endif
}

// Whether this is the process that the memory is of, and no child of a fork or vfork.
static inline bool lull_is_own_process(void) {
  return lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0) == lull_owner->pid;
}

// Puts a text, or a number, where another ends, and gives where that ends then.
static inline char *lull_append(char *to, const char *text) {
  size_t length = strlen(text);
  memcpy(to, text, length + 1);
  return to + length;
}

static inline char *lull_append_number(char *to, uint64_t number) {
  char digits[24];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  while (count > 0) *to++ = digits[--count];
  *to = 0;
  return to;
}

struct stat;
// What a descriptor is; false where nobody says.
HIDDEN bool lull_stat(int descriptor, struct stat *status);
HIDDEN void lull_resolve(void);
// Tells something of the calling thread, with a text where there is one.
HIDDEN void lull_tell(unsigned kind, const char *text, uint64_t first, uint64_t second, uint64_t third);
HIDDEN void lull_write_part(struct agent *agent, uint64_t *at, const void *bytes, size_t count);

#endif
