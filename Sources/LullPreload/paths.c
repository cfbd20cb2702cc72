#include "interpose.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// What is done by path: open, rename, unlink.

// glibc reads the mode only where a file may be made (its open.c).
#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

#define OPENS(name, arguments, opening_flags) \
  struct call call; \
  bool is_told = lull_begin(&call, SYS_openat, -1); \
  int result = REAL(name) arguments; \
  lull_forget_descriptor(result); \
  if (is_told || lull_is_late(&call, SYS_openat, -1)) { \
    lull_finish(&call, (struct outcome){.result = result, \
                                        .first = (uint64_t)folder, \
                                        .second = (uint64_t)(opening_flags), \
                                        .descriptor = result, \
                                        .path = result >= 0 ? path : NULL}); \
  } \
  return result;

#define OPENS_PATH(name) \
  EXPORT int name(const char *path, int flags, ...) { \
    MODE(flags) \
    const int folder = AT_FDCWD; \
    OPENS(name, (path, flags, mode), flags) \
  }
#define OPENS_AT(name) \
  EXPORT int name(int folder, const char *path, int flags, ...) { \
    MODE(flags) \
    OPENS(name, (folder, path, flags, mode), flags) \
  }

DECLARE(open) OPENS_PATH(open)
DECLARE(open64) OPENS_PATH(open64)
DECLARE(openat) OPENS_AT(openat)
DECLARE(openat64) OPENS_AT(openat64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
#define OPENS_CHECKED(name) \
  EXPORT int name(const char *path, int flags) { \
    const int folder = AT_FDCWD; \
    OPENS(name, (path, flags), flags) \
  }
DECLARE(__open_2) OPENS_CHECKED(__open_2)
DECLARE(__open64_2) OPENS_CHECKED(__open64_2)
DECLARE(__openat_2)
EXPORT int __openat_2(int folder, const char *path, int flags) { OPENS(__openat_2, (folder, path, flags), flags) }
DECLARE(__openat64_2)
EXPORT int __openat64_2(int folder, const char *path, int flags) { OPENS(__openat64_2, (folder, path, flags), flags) }

#define CREATES(name) \
  EXPORT int name(const char *path, mode_t mode) { \
    const int folder = AT_FDCWD; \
    OPENS(name, (path, mode), O_CREAT | O_WRONLY | O_TRUNC) \
  }
DECLARE(creat) CREATES(creat)
DECLARE(creat64) CREATES(creat64)

// The path is made by the call.
#define MAKES(name, parameters, arguments, own_flags) \
  EXPORT int name parameters { \
    const int folder = AT_FDCWD; \
    OPENS(name, arguments, O_RDWR | O_CREAT | O_EXCL | (own_flags)) \
  }
DECLARE(mkstemp) MAKES(mkstemp, (char *path), (path), 0)
DECLARE(mkstemp64) MAKES(mkstemp64, (char *path), (path), 0)
DECLARE(mkostemp) MAKES(mkostemp, (char *path, int flags), (path, flags), flags)
DECLARE(mkostemp64) MAKES(mkostemp64, (char *path, int flags), (path, flags), flags)
DECLARE(mkstemps) MAKES(mkstemps, (char *path, int end), (path, end), 0)
DECLARE(mkstemps64) MAKES(mkstemps64, (char *path, int end), (path, end), 0)
DECLARE(mkostemps) MAKES(mkostemps, (char *path, int end, int flags), (path, end, flags), flags)
DECLARE(mkostemps64) MAKES(mkostemps64, (char *path, int end, int flags), (path, end, flags), flags)

// Of these the paths are told, where they were done.
#define NAMES(name, parameters, arguments, call_number, first_path, second_path, first_folder, second_folder) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    int result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, call_number, -1)) { \
      lull_finish(&call, (struct outcome){.result = result, \
                                          .first = (uint64_t)(first_folder), \
                                          .second = (uint64_t)(second_folder), \
                                          .descriptor = -1, \
                                          .path = result >= 0 ? first_path : NULL, \
                                          .other_path = second_path}); \
    } \
    return result; \
  }

DECLARE(rename)
NAMES(rename, (const char *from, const char *to), (from, to), SYS_renameat2, from, to, AT_FDCWD, AT_FDCWD)
DECLARE(renameat)
NAMES(renameat, (int first, const char *from, int second, const char *to), (first, from, second, to),
    SYS_renameat2, from, to, first, second)
DECLARE(renameat2)
NAMES(renameat2, (int first, const char *from, int second, const char *to, unsigned flags), (first, from, second,
    to, flags),
      SYS_renameat2, from, to, first, second)
DECLARE(unlink) NAMES(unlink, (const char *path), (path), SYS_unlinkat, path, NULL, AT_FDCWD, 0)
DECLARE(unlinkat)
NAMES(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), SYS_unlinkat, path, NULL, folder,
    flags)
DECLARE(remove) NAMES(remove, (const char *path), (path), SYS_unlinkat, path, NULL, AT_FDCWD, 0)
// Where names without a folder begin; nothing where the kernel says that it is "(unreachable)".
const char *lull_working_folder(char *place, size_t size) {
  return lull_kernel(SYS_getcwd, (long)place, (long)size, 0, 0, 0, 0) > 0 && *place == '/' ? place : NULL;
}

// From then on they begin elsewhere: told with where that is, and so at once.
#define MOVES(name, parameters, arguments, call_number) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, call_number, -1); \
    int result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, call_number, -1)) { \
      char place[1024]; \
      lull_finish(&call, (struct outcome){.result = result, \
                                          .descriptor = -1, \
                                          .path = result == 0 ? lull_working_folder(place, sizeof place) : NULL}); \
    } \
    return result; \
  }

DECLARE(chdir) MOVES(chdir, (const char *path), (path), SYS_chdir)
DECLARE(fchdir) MOVES(fchdir, (int folder), (folder), SYS_fchdir)
DECLARE(truncate) NAMES(truncate, (const char *path, off_t size), (path, size), SYS_truncate, path, NULL, AT_FDCWD, 0)
DECLARE(truncate64)
NAMES(truncate64, (const char *path, off64_t size), (path, size), SYS_truncate, path, NULL, AT_FDCWD, 0)

void lull_resolve_paths(void) {
  FIND(open) FIND(open64) FIND(openat) FIND(openat64) FIND(__open_2) FIND(__open64_2) FIND(__openat_2)
  FIND(__openat64_2)
  FIND(creat) FIND(creat64) FIND(rename) FIND(renameat) FIND(renameat2) FIND(unlink) FIND(unlinkat) FIND(remove)
  FIND(chdir) FIND(fchdir) FIND(truncate) FIND(truncate64)
  FIND(mkstemp) FIND(mkstemp64) FIND(mkostemp) FIND(mkostemp64) FIND(mkstemps) FIND(mkstemps64) FIND(mkostemps)
  FIND(mkostemps64)
}
