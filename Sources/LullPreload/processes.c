#include "interpose.h"

#include "filters.h"
#include "segments.h"

#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <stdarg.h>
#include <unistd.h>

// Names of threads, ends of processes, children that share the memory, and where the C library's functions are.

static void *find(const char *name) {
#if defined(__x86_64__)
  // dlsym gives the oldest of several versions; these are what programs are linked with.
  if (strncmp(name, "pthread_cond_", 13) == 0) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (found) return found;
  }
  if (strcmp(name, "sem_wait") == 0 || strcmp(name, "sem_timedwait") == 0) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.34");
    if (found) return found;
  }
#endif
  return dlsym(RTLD_NEXT, name);
}

void *lull_real(const char *name) {
  void *found = find(name);
#ifdef LULL_AGENT
  // In a program that is linked with the C library's archive there is none behind this one.
  if (!found && !find("write")) {
    static const char text[] =
        "LullAgent: for a program that is linked statically with glibc (-static-executable) it must be empty: build it"
        " with the trait EmptyAgent of the package lull\n";
    lull_kernel(SYS_write, 2, (long)text, sizeof text - 1, 0, 0, 0);
    lull_kernel(SYS_exit_group, 127, 0, 0, 0, 0, 0);
  }
#endif
  return found;
}

DECLARE(pthread_setname_np)
EXPORT int pthread_setname_np(pthread_t thread, const char *name) {
  int result = REAL(pthread_setname_np)(thread, name);
  if (result == 0 && pthread_equal(thread, pthread_self())) lull_thread_named(name);
  return result;
}

DECLARE(prctl)
EXPORT int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long);
  unsigned long c = va_arg(list, unsigned long), d = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_SECCOMP && (a == SECCOMP_MODE_STRICT || a == SECCOMP_MODE_FILTER)) {
    struct lull_filtering filtering;
    lull_before_filter(&filtering, a == SECCOMP_MODE_STRICT, (const void *)b);
    int result = REAL(prctl)(option, a, b, c, d);
    lull_after_filter(&filtering, result == 0);
    return result;
  }
  lull_before_prctl(option, a);
  int result = REAL(prctl)(option, a, b, c, d);
  if (result == 0 && option == PR_SET_NAME) {
    char name[16] = "";
    lull_kernel(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
    lull_thread_named(name);
  }
  return result;
}

DECLARE(_exit)
EXPORT void _exit(int status) {
  lull_process_ends();
  REAL(_exit)(status);
  __builtin_unreachable();
}

DECLARE(_Exit)
EXPORT void _Exit(int status) {
  lull_process_ends();
  REAL(_Exit)(status);
  __builtin_unreachable();
}

// What the program may have of memory is its own.
static void leave_addresses(bool locks) {
  int saved = errno;
  struct agent *agent = &lull_agent;
  // A child is to be known for one before: its parent's are none of its.
  bool is_recorded = lull_is_recorded() && (agent->slot || agent->off || lull_begin_slowly(agent));
  if (is_recorded && !agent->busy && !agent->forking) {
    agent->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    lull_leave_addresses(locks);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    agent->busy = 0;
  }
  errno = saved;
}

static void note_limit(int resource) {
  if (resource == RLIMIT_AS && lull_has_limit()) leave_addresses(false);
}

#define LIMITS(name, type) \
  DECLARE(name) \
  EXPORT int name(__rlimit_resource_t resource, const struct type *limit) { \
    int result = REAL(name)(resource, limit); \
    if (result == 0) note_limit((int)resource); \
    return result; \
  }
LIMITS(setrlimit, rlimit)
LIMITS(setrlimit64, rlimit64)

#define LIMITS_OF(name, type) \
  DECLARE(name) \
  EXPORT int name(pid_t pid, enum __rlimit_resource resource, const struct type *limit, struct type *old) { \
    int result = REAL(name)(pid, resource, limit, old); \
    if (result == 0 && limit) note_limit((int)resource); \
    return result; \
  }
LIMITS_OF(prlimit, rlimit)
LIMITS_OF(prlimit64, rlimit64)

DECLARE(mlockall)
EXPORT int mlockall(int flags) {
  leave_addresses(flags & MCL_FUTURE);
  int result = REAL(mlockall)(flags);
  if (result == 0 && lull_is_recorded()) lull_unlock_slots();
  return result;
}

// Another program takes this one's place, or does not.
#define BECOMES(name, parameters, arguments) \
  DECLARE(name) \
  EXPORT int name parameters { \
    GIVE_LIBRARY(environment) \
    lull_pause_samples(); \
    lull_program_ends(); \
    int result = REAL(name) arguments; \
    lull_resume_samples(); \
    return result; \
  }
BECOMES(execve, (const char *path, char *const words[], char *const environment[]), (path, words, environment))
BECOMES(execvpe, (const char *file, char *const words[], char *const environment[]), (file, words, environment))
BECOMES(fexecve, (int fd, char *const words[], char *const environment[]), (fd, words, environment))
#if __GLIBC_PREREQ(2, 34)
BECOMES(execveat, (int folder, const char *path, char *const words[], char *const environment[], int flags),
        (folder, path, words, environment, flags))
#endif

EXPORT int execv(const char *path, char *const words[]) { return execve(path, words, environ); }

EXPORT int execvp(const char *file, char *const words[]) { return execvpe(file, words, environ); }

// The words of a call as an array, with what follows them.
#define WORDS(first) \
  va_list list; \
  size_t count = 1; \
  va_start(list, first); \
  while (va_arg(list, const char *)) count++; \
  va_end(list); \
  char *words[count + 1]; \
  words[0] = (char *)first; \
  va_start(list, first); \
  for (size_t index = 1; index <= count; index++) words[index] = va_arg(list, char *);

EXPORT int execl(const char *path, const char *first, ...) {
  WORDS(first)
  va_end(list);
  return execv(path, words);
}

EXPORT int execlp(const char *file, const char *first, ...) {
  WORDS(first)
  va_end(list);
  return execvp(file, words);
}

EXPORT int execle(const char *path, const char *first, ...) {
  WORDS(first)
  char *const *environment = va_arg(list, char *const *);
  va_end(list);
  return execve(path, words, environment);
}

// The child runs on this thread's memory and returns to its caller first: the function itself is jumped to, with the
// caller's stack as it is.
static pid_t (*real_vfork)(void);

HIDDEN void *lull_before_vfork(void) {
  lull_agent.forking = 1;
  return (void *)real_vfork;
}

#if defined(__aarch64__)
__asm__(
    ".text\n.globl vfork\n.type vfork, %function\nvfork:\n"
    "stp x29, x30, [sp, #-16]!\nbl lull_before_vfork\nldp x29, x30, [sp], #16\nbr x0\n.size vfork, .-vfork\n");
#else
__asm__(
    ".text\n.globl vfork\n.type vfork, @function\nvfork:\n"
    "endbr64\nsubq $8, %rsp\ncall lull_before_vfork\naddq $8, %rsp\njmp *%rax\n.size vfork, .-vfork\n");
#endif

void lull_resolve(void) {
  real_vfork = (pid_t(*)(void))lull_real("vfork");
  FIND(pthread_setname_np) FIND(prctl) FIND(_exit) FIND(_Exit)
  FIND(setrlimit) FIND(setrlimit64) FIND(prlimit) FIND(prlimit64) FIND(mlockall)
  lull_resolve_files();
  lull_resolve_paths();
  lull_resolve_sockets();
  lull_resolve_waits();
  lull_resolve_locks();
  lull_resolve_streams();
  lull_resolve_signals();
  lull_resolve_threads();
  lull_resolve_events();
  lull_resolve_raw();
  FIND(execve) FIND(execvpe) FIND(fexecve)
#if __GLIBC_PREREQ(2, 34)
  FIND(execveat)
#endif
}
