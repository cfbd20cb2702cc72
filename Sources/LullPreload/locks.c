#include "interpose.h"

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <unistd.h>

// Where threads wait for each other. What is had at once costs no look at the clock.

DECLARE(pthread_mutex_trylock)
DECLARE(pthread_mutex_lock)
EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
  int tried = REAL(pthread_mutex_trylock)(mutex);
  // Had, or had from an owner that died; all else is for the function itself to say.
  if (likely(tried == 0 || tried == EOWNERDEAD)) return tried;
  struct call call;
  if (!lull_begin(&call, SYS_futex, -1)) return REAL(pthread_mutex_lock)(mutex);
  int result = REAL(pthread_mutex_lock)(mutex);
  lull_finish(&call, (struct outcome){.descriptor = -1, .manner = manner_wait});
  return result;
}

#define LOCKS(name, parameters, arguments) WAITS(int, name, parameters, arguments, SYS_futex)

DECLARE(pthread_mutex_timedlock)
LOCKS(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until), (mutex, until))
DECLARE(pthread_cond_wait)
LOCKS(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
DECLARE(pthread_cond_timedwait)
LOCKS(pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
      (condition, mutex, until))
#if __GLIBC_PREREQ(2, 30)
DECLARE(pthread_cond_clockwait)
LOCKS(pthread_cond_clockwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
    const struct timespec *until),
      (condition, mutex, clock, until))
DECLARE(pthread_mutex_clocklock)
LOCKS(pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until), (mutex,
    clock, until))
DECLARE(sem_clockwait)
LOCKS(sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until), (semaphore, clock, until))
#endif
DECLARE(pthread_join) LOCKS(pthread_join, (pthread_t thread, void **result_place), (thread, result_place))
DECLARE(pthread_barrier_wait) LOCKS(pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
DECLARE(sem_wait) LOCKS(sem_wait, (sem_t * semaphore), (semaphore))
DECLARE(sem_timedwait) LOCKS(sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))

DECLARE(pthread_rwlock_tryrdlock)
DECLARE(pthread_rwlock_trywrlock)
#define TRIES(name, attempt) \
  EXPORT int name(pthread_rwlock_t *lock) { \
    int tried = REAL(attempt)(lock); \
    if (likely(tried == 0)) return tried; \
    struct call call; \
    if (!lull_begin(&call, SYS_futex, -1)) return REAL(name)(lock); \
    int result = REAL(name)(lock); \
    lull_finish(&call, (struct outcome){.descriptor = -1, .manner = manner_wait}); \
    return result; \
  }
DECLARE(pthread_rwlock_rdlock) TRIES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
DECLARE(pthread_rwlock_wrlock) TRIES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)

// libdispatch and Swift's own locks make their futex calls by this.
DECLARE(syscall)
EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number != SYS_futex) return REAL(syscall)(number, a, b, c, d, e, f);
  int operation = (int)b & FUTEX_CMD_MASK;
  bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI ||
               operation == FUTEX_LOCK_PI2 || operation == FUTEX_WAIT_REQUEUE_PI;
  struct call call;
  if (!waits || !lull_begin(&call, SYS_futex, -1)) return REAL(syscall)(number, a, b, c, d, e, f);
  long result = REAL(syscall)(number, a, b, c, d, e, f);
  lull_finish(&call, (struct outcome){.result = result, .descriptor = -1, .manner = manner_wait});
  return result;
}

void lull_resolve_locks(void) {
  FIND(pthread_mutex_trylock) FIND(pthread_mutex_lock) FIND(pthread_mutex_timedlock)
  FIND(pthread_cond_wait) FIND(pthread_cond_timedwait)
#if __GLIBC_PREREQ(2, 30)
  FIND(pthread_cond_clockwait) FIND(pthread_mutex_clocklock) FIND(sem_clockwait)
#endif
  FIND(pthread_join) FIND(pthread_barrier_wait) FIND(sem_wait) FIND(sem_timedwait)
  FIND(pthread_rwlock_tryrdlock) FIND(pthread_rwlock_trywrlock) FIND(pthread_rwlock_rdlock) FIND(pthread_rwlock_wrlock)
  FIND(syscall)
}
