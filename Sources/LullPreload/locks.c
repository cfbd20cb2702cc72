#include "interpose.h"

#include "wakes.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/sem.h>
#include <threads.h>
#include <unistd.h>

// Where threads wait for each other. What is had at once costs no look at the clock.

// Robust mutexes and those with priorities have one more bit: of one that cannot be recovered glibc's trylock keeps
// the lock that it fails to give (nptl/pthread_mutex_trylock.c, 2.36).
enum { kinds = 127, plain_kinds = 3 };

DECLARE(pthread_mutex_trylock)
DECLARE(pthread_mutex_lock)
EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
  // Had; all else is for the function itself to say.
  if (likely((mutex->__data.__kind & kinds) <= plain_kinds && REAL(pthread_mutex_trylock)(mutex) == 0)) return 0;
  struct call call;
  bool is_told = lull_begin(&call, SYS_futex, -1);
  int result = REAL(pthread_mutex_lock)(mutex);
  if (is_told || lull_is_late(&call, SYS_futex, -1)) {
    lull_finish(&call, (struct outcome){.first = (uint64_t)mutex, .descriptor = -1, .manner = manner_wait});
  }
  return result;
}

// The wait tells on what it waited, and whether its time was over: an error's number.
#define LOCKS(name, parameters, arguments, on, error) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_futex, -1); \
    int result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, SYS_futex, -1)) { \
      lull_finish(&call, (struct outcome){.first = (uint64_t)(on), .second = (uint64_t)(error), .descriptor = -1, \
                                          .manner = manner_wait | manner_woken}); \
    } \
    return result; \
  }
// Semaphores tell their errors by errno.
#define FAILURE (result < 0 ? errno : 0)

DECLARE(pthread_mutex_timedlock)
LOCKS(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until), (mutex, until), mutex, result)
DECLARE(pthread_cond_wait)
LOCKS(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex), condition, result)
DECLARE(pthread_cond_timedwait)
LOCKS(pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
      (condition, mutex, until), condition, result)
#if __GLIBC_PREREQ(2, 30)
DECLARE(pthread_cond_clockwait)
LOCKS(pthread_cond_clockwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
    const struct timespec *until), (condition, mutex, clock, until), condition, result)
DECLARE(pthread_mutex_clocklock)
LOCKS(pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until), (mutex,
    clock, until), mutex, result)
DECLARE(sem_clockwait)
LOCKS(sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until), (semaphore, clock, until),
      semaphore, FAILURE)
#endif
DECLARE(pthread_join)
LOCKS(pthread_join, (pthread_t thread, void **result_place), (thread, result_place), thread, result)
DECLARE(pthread_barrier_wait)
EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_futex, -1);
  int result = REAL(pthread_barrier_wait)(barrier);
  if (is_told || lull_is_late(&call, SYS_futex, -1)) {
    lull_finish(&call, (struct outcome){.first = (uint64_t)barrier, .descriptor = -1, .manner = manner_wait});
  }
  // Whoever came last has ended the others' waits.
  lull_hand_on();
  return result;
}
DECLARE(sem_wait)
LOCKS(sem_wait, (sem_t * semaphore), (semaphore), semaphore, FAILURE)
DECLARE(sem_timedwait)
LOCKS(sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until), semaphore, FAILURE)

// Semaphores of System V.
static bool adds(const struct sembuf *operations, size_t count) {
  for (size_t index = 0; index < count; index++) {
    if (operations[index].sem_op > 0) return true;
  }
  return false;
}

DECLARE(semop)
EXPORT int semop(int set, struct sembuf *operations, size_t count) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_semtimedop, -1);
  int result = REAL(semop)(set, operations, count);
  if (result == 0 && adds(operations, count)) lull_hand_on();
  if (is_told || lull_is_late(&call, SYS_semtimedop, -1)) {
    lull_finish(&call, (struct outcome){.descriptor = -1, .manner = manner_wait});
  }
  return result;
}

DECLARE(semtimedop)
EXPORT int semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *timeout) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_semtimedop, -1);
  int result = REAL(semtimedop)(set, operations, count, timeout);
  if (result == 0 && adds(operations, count)) lull_hand_on();
  if (is_told || lull_is_late(&call, SYS_semtimedop, -1)) {
    // The same error as of one that is not to wait, which is none that did.
    bool is_over = result < 0 && errno == EAGAIN;
    lull_finish(&call, (struct outcome){.second = is_over ? ETIMEDOUT : 0, .descriptor = -1, .manner = manner_wait});
  }
  return result;
}

DECLARE(pthread_rwlock_tryrdlock)
DECLARE(pthread_rwlock_trywrlock)
#define TRIES(name, attempt) \
  EXPORT int name(pthread_rwlock_t *lock) { \
    int tried = REAL(attempt)(lock); \
    if (likely(tried == 0)) return tried; \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_futex, -1); \
    int result = REAL(name)(lock); \
    if (is_told || lull_is_late(&call, SYS_futex, -1)) { \
      lull_finish(&call, (struct outcome){.first = (uint64_t)lock, .descriptor = -1, .manner = manner_wait}); \
    } \
    return result; \
  }
DECLARE(pthread_rwlock_rdlock) TRIES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
DECLARE(pthread_rwlock_wrlock) TRIES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)

// Those of readers and writers that wait until a time, and of ends of threads.
DECLARE(pthread_rwlock_timedrdlock)
LOCKS(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *until), (lock, until), lock, result)
DECLARE(pthread_rwlock_timedwrlock)
LOCKS(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *until), (lock, until), lock, result)
DECLARE(pthread_timedjoin_np)
LOCKS(pthread_timedjoin_np, (pthread_t thread, void **result_place, const struct timespec *until),
      (thread, result_place, until), thread, result)
#if __GLIBC_PREREQ(2, 30)
DECLARE(pthread_rwlock_clockrdlock)
LOCKS(pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
      (lock, clock, until), lock, result)
DECLARE(pthread_rwlock_clockwrlock)
LOCKS(pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
      (lock, clock, until), lock, result)
#endif
#if __GLIBC_PREREQ(2, 31)
DECLARE(pthread_clockjoin_np)
LOCKS(pthread_clockjoin_np, (pthread_t thread, void **result_place, clockid_t clock, const struct timespec *until),
      (thread, result_place, clock, until), thread, result)
#endif

// C11's, by the library's own functions for the rest.
#define OVER (result == thrd_timedout ? ETIMEDOUT : 0)
DECLARE(mtx_lock) LOCKS(mtx_lock, (mtx_t * mutex), (mutex), mutex, 0)
DECLARE(mtx_timedlock)
LOCKS(mtx_timedlock, (mtx_t * mutex, const struct timespec *until), (mutex, until), mutex, OVER)
DECLARE(cnd_wait) LOCKS(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex), condition, 0)
DECLARE(cnd_timedwait)
LOCKS(cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *until), (condition, mutex, until),
      condition, OVER)
DECLARE(thrd_join) LOCKS(thrd_join, (thrd_t thread, int *result_place), (thread, result_place), thread, 0)

// Who ends another's wait, of which that one's own record does not tell: what is given back while others wait for it.
// With priorities, or robust, the word is the holder's number, and its highest bit says that (linux/futex.h).
static inline bool is_awaited(const pthread_mutex_t *mutex) {
  unsigned word = (unsigned)mutex->__data.__lock;
  return (mutex->__data.__kind & kinds) <= plain_kinds ? word > 1 : word >> 31;
}
#define GIVES_BACK(name, type, awaited) \
  DECLARE(name) \
  EXPORT int name(type *on) { \
    if (unlikely(awaited)) lull_hand_on(); \
    return REAL(name)(on); \
  }
GIVES_BACK(pthread_mutex_unlock, pthread_mutex_t, is_awaited(on))
GIVES_BACK(mtx_unlock, mtx_t, is_awaited((const pthread_mutex_t *)on))
// The second bit of each of its words that are waited on (nptl/pthread_rwlock_common.c).
GIVES_BACK(pthread_rwlock_unlock, pthread_rwlock_t, (on->__data.__wrphase_futex | on->__data.__writers_futex) & 2)

// Who ends another's wait, where there is one.
#define WAKES(name, type, waiters) \
  DECLARE(name) \
  EXPORT int name(type *on) { \
    if (lull_is_joined() && (waiters)) lull_tell_wake(lull_now(), (uint64_t)on); \
    return REAL(name)(on); \
  }
WAKES(pthread_cond_signal, pthread_cond_t, on->__data.__wrefs >> 3)
WAKES(pthread_cond_broadcast, pthread_cond_t, on->__data.__wrefs >> 3)
WAKES(sem_post, sem_t, true)
WAKES(cnd_signal, cnd_t, true)
WAKES(cnd_broadcast, cnd_t, true)

void lull_resolve_locks(void) {
  FIND(pthread_mutex_trylock) FIND(pthread_mutex_lock) FIND(pthread_mutex_timedlock)
  FIND(pthread_cond_wait) FIND(pthread_cond_timedwait)
#if __GLIBC_PREREQ(2, 30)
  FIND(pthread_cond_clockwait) FIND(pthread_mutex_clocklock) FIND(sem_clockwait)
  FIND(pthread_rwlock_clockrdlock) FIND(pthread_rwlock_clockwrlock)
#endif
#if __GLIBC_PREREQ(2, 31)
  FIND(pthread_clockjoin_np)
#endif
  FIND(pthread_rwlock_timedrdlock) FIND(pthread_rwlock_timedwrlock) FIND(pthread_timedjoin_np)
  FIND(pthread_join) FIND(pthread_barrier_wait) FIND(sem_wait) FIND(sem_timedwait)
  FIND(pthread_rwlock_tryrdlock) FIND(pthread_rwlock_trywrlock) FIND(pthread_rwlock_rdlock) FIND(pthread_rwlock_wrlock)
  FIND(semop) FIND(semtimedop) FIND(pthread_cond_signal) FIND(pthread_cond_broadcast) FIND(sem_post)
  FIND(pthread_mutex_unlock) FIND(mtx_unlock) FIND(pthread_rwlock_unlock)
  FIND(mtx_lock) FIND(mtx_timedlock) FIND(cnd_wait) FIND(cnd_timedwait) FIND(thrd_join)
  FIND(cnd_signal) FIND(cnd_broadcast)
}
