/* A tracefs that nobody else sees: a mount that is attached to no directory. */
#ifndef LULL_TRACEFS_H
#define LULL_TRACEFS_H

#include <stdint.h>

/* Returns a directory descriptor of a detached tracefs mount, or -errno.
   Nothing is mounted anywhere in the caller's mount namespace. */
int lull_tracefs_detached_mount(void);

/* Returns the magic number of the file system that holds a path, or -errno. */
int64_t lull_filesystem_type(const char *path);

#endif
