// Files as they are closed after having been written, by fanotify.
#ifndef LULL_CONTENTS_H
#define LULL_CONTENTS_H

#include <stddef.h>
#include <sys/types.h>

/// A descriptor that tells of files of the marked file systems; needs CAP_SYS_ADMIN. Or a negative errno.
int lull_contents_open(void);
/// Marks the whole file system of a path (Linux 4.20). 0 or a negative errno.
int lull_contents_mark(int fd, const char *path);

struct lull_closed_file {
  /// Open for reading, the caller's to close; negative where there is none.
  int fd;
  pid_t pid;
};
/// The files closed since the last call: how many, or a negative errno (EAGAIN where there are none).
int lull_contents_read(int fd, struct lull_closed_file *files, size_t count);

#endif
