// Marks and intervals for a recording by Lull. Nothing happens unless one is being made: each function costs two calls
// of next to nothing. A recorder puts a probe on it, or a library into the program that takes the marks.
#ifndef LULL_MARKS_H
#define LULL_MARKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Names this moment: "ready", "background", "foreground", "inactive", "terminating", or a name of your own.
void lull_mark(const char *name);
/// Begins an interval. The identifier tells intervals of one name apart that overlap; 0 will do otherwise.
void lull_interval_begin(const char *name, uint64_t identifier);
/// Ends it.
void lull_interval_end(const char *name, uint64_t identifier);

#ifdef __cplusplus
}
#endif
#endif
