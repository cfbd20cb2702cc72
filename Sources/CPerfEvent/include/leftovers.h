// Closing what takes the kernel long in a process that nobody waits for.
#ifndef LULL_CPERFEVENT_LEFTOVERS_H
#define LULL_CPERFEVENT_LEFTOVERS_H

#include <stddef.h>

/// What is to be taken back, in this order.
struct lull_leftovers {
  const int *descriptors;
  size_t count;
  /// Where the lines go, each in one write, once the descriptors are closed; -1 for nowhere. It is locked (flock)
  /// while one is closed.
  int definitions;
  const char *const *lines;
  size_t line_count;
  /// What it holds open, and with it a lock, until all is taken back; -1 for nothing.
  int presence;
};

/// Leaves all that to a process of its own, which holds nothing else of this one's and has no terminal. It begins when
/// `gate` is closed by its caller, who closes its own copies of the descriptors first: theirs are the last then.
/// Returns 0, or a negative errno with nothing closed.
int lull_leave(const struct lull_leftovers *leftovers, int *gate);

#endif
