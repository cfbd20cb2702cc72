#ifndef LULL_HANDLERS_H
#define LULL_HANDLERS_H

#include "agent.h"

#include <signal.h>

// What stands before the program's handlers of signals.

// Whether a handler is a function, and not one of the kernel's own answers.
HIDDEN bool lull_is_function(const void *handler);
// Whether the signal asks the program to end.
HIDDEN bool lull_asks_to_end(int number);
// Who sent one, by what the kernel says of it.
HIDDEN enum lull_sender lull_sender_of(int number, const siginfo_t *information);
// What the kernel is to be told in a handler's place: where that is the library's, it notes the program's.
HIDDEN void *lull_handler_for(int number, void *wanted);
HIDDEN bool lull_is_own_handler(const void *handler);

struct sigaction;
// Has the kernel say who sends the signal, where the library's handler is told.
HIDDEN void lull_want_sender(int number, struct sigaction *action);

// What the program's handler is as it is asked for, or replaced.
struct handler_before {
  void *handler;
  bool has_added_sender;
};
HIDDEN struct handler_before lull_handler_before(int number);
// Puts the program's handler where the kernel tells the library's.
HIDDEN void lull_show_handler(const struct handler_before *before, struct sigaction *action);

#endif
