#include "interpose.h"

#include <pthread.h>
#include <threads.h>

// Threads from their first moment on: one that only computes makes no call by which it would be found.

struct birth {
  uint32_t taken;
  // The latter of C11's threads.
  void *(*start)(void *);
  thrd_start_t standard_start;
  void *argument;
};

// Of threads that are made but do not run yet. One for which there is no room is found at its first call.
enum { most_births = 256 };
static struct birth births[most_births];

static struct birth bear(void *value) {
  struct birth birth = *(struct birth *)value;
  __atomic_store_n(&((struct birth *)value)->taken, 0, __ATOMIC_RELEASE);
  lull_begin_thread();
  return birth;
}

static void *begin(void *value) {
  struct birth birth = bear(value);
  return birth.start(birth.argument);
}

static int begin_standard(void *value) {
  struct birth birth = bear(value);
  return birth.standard_start(birth.argument);
}

static struct birth *take(void) {
  for (unsigned index = 0; index < most_births; index++) {
    uint32_t expected = 0;
    if (__atomic_compare_exchange_n(&births[index].taken, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return &births[index];
    }
  }
  return NULL;
}

DECLARE(pthread_create)
EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
    void *argument) {
  struct birth *birth = lull_is_recorded() ? take() : NULL;
  if (!birth) return REAL(pthread_create)(thread, attributes, start, argument);
  birth->start = start;
  birth->argument = argument;
  int result = REAL(pthread_create)(thread, attributes, begin, birth);
  if (result != 0) __atomic_store_n(&birth->taken, 0, __ATOMIC_RELEASE);
  return result;
}

DECLARE(thrd_create)
EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  struct birth *birth = lull_is_recorded() ? take() : NULL;
  if (!birth) return REAL(thrd_create)(thread, start, argument);
  birth->standard_start = start;
  birth->argument = argument;
  int result = REAL(thrd_create)(thread, begin_standard, birth);
  if (result != thrd_success) __atomic_store_n(&birth->taken, 0, __ATOMIC_RELEASE);
  return result;
}

void lull_resolve_threads(void) { FIND(pthread_create) FIND(thrd_create) }
