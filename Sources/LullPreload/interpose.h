#ifndef LULL_INTERPOSE_H
#define LULL_INTERPOSE_H

#include "kernel.h"

HIDDEN void *lull_real(const char *name);

static inline void *lull_found(void **function, const char *name) {
  if (unlikely(!*function)) *function = lull_real(name);
  return *function;
}

// The C library's function that one of the library's own stands in front of.
//
// All are looked up as the program begins; what calls one before has it looked up then.
#define REAL(name) ((__typeof__(real_##name))lull_found((void **)&real_##name, #name))
#define DECLARE(name) static __typeof__(&name) real_##name;
#define FIND(name) (void)REAL(name);

// A function that is timed, and told with its descriptor.
#define TIMED(type, name, parameters, arguments, call_number, call_descriptor, is_large, ...) \
  EXPORT type name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, call_descriptor); \
    if (is_told && (is_large)) lull_runs_long(&call); \
    type result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, call_number, call_descriptor)) { \
      lull_finish(&call, (struct outcome){.result = (long)result, \
                                          .first = (uint64_t)(call_descriptor), \
                                          .descriptor = call_descriptor, \
                                          __VA_ARGS__}); \
    } \
    return result; \
  }

// A function that waits, of which nothing but its time is told.
#define WAITS(type, name, parameters, arguments, call_number) \
  WAITS_UNLESS(type, name, parameters, arguments, call_number, false)

// The same of one that may be asked not to wait.
#define WAITS_UNLESS(type, name, parameters, arguments, call_number, is_look) \
  EXPORT type name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    type result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, call_number, -1)) { \
      lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1, .manner = manner_wait | ((is_look) ? manner_look : 0)}); \
    } \
    return result; \
  }

// The environment of a program that is started: where this one has an agent that records, the library's is added to it.
#ifdef LULL_AGENT
#define LULL_MOST_LIBRARIES 1024
// How many entries that takes; 0 where nothing is to be added.
HIDDEN size_t lull_room_for_library(char *const *environment);
HIDDEN char *const *lull_with_library(char *const *environment, char **entries, char *text);
#define GIVE_LIBRARY(environment) \
  size_t room = lull_room_for_library(environment); \
  char *entries[room + 1], text[room ? LULL_MOST_LIBRARIES + 640 : 1]; \
  if (room) environment = lull_with_library(environment, entries, text);
#else
#define GIVE_LIBRARY(environment)
#endif

HIDDEN void lull_resolve_files(void);
HIDDEN void lull_resolve_paths(void);
HIDDEN void lull_resolve_sockets(void);
HIDDEN void lull_resolve_waits(void);
HIDDEN void lull_resolve_locks(void);
HIDDEN void lull_resolve_streams(void);
HIDDEN void lull_resolve_signals(void);
HIDDEN void lull_resolve_threads(void);
HIDDEN void lull_resolve_events(void);
HIDDEN void lull_resolve_raw(void);

// Of reads, those of files count, those from the network, those that bring much, and the first after a wait for
// descriptors.
HIDDEN unsigned lull_manner_of_read(int descriptor, long result);

// Says what a call by its number did at a socket, with its result there already.
HIDDEN void lull_tell_socket_call(struct outcome *outcome, long number, const long *words);

HIDDEN const char *lull_working_folder(char *place, size_t size);

// What was read of a signalfd.
HIDDEN void lull_note_signals(const void *read, long count);

#endif
