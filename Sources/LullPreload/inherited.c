#include "segments.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

// What descriptors are of which no call tells, and what a program has as it begins: whoever started it may have put
// something else in the place of its own descriptors, closed them, and had it work elsewhere, in calls that nobody
// stands in front of (posix_spawn's actions, what a child of vfork does).

// A program that has more of them tells of none that it has no others.
enum { most_inherited = 64 };

void lull_tell_descriptor(int descriptor) {
  struct stat status;
  // A thread may have little room for it.
  char link[64], path[1024];
  lull_append_number(lull_append(link, "/proc/self/fd/"), (uint64_t)descriptor);
  long length = lull_kernel(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof path - 1, 0, 0);
  if (length <= 0 || length == sizeof path - 1) return;
  if (!lull_stat(descriptor, &status)) return;
  path[length] = 0;
  struct statfs system = {0};
  if (S_ISREG(status.st_mode)) lull_kernel(SYS_fstatfs, descriptor, (long)&system, 0, 0, 0, 0);
  uint64_t kind = lull_descriptor(descriptor), device = (uint32_t)status.st_rdev;
  uint64_t links = status.st_nlink > 0;
  lull_tell(lull_record_descriptor, path, (uint32_t)descriptor | (uint64_t)(uint32_t)system.f_type << 32,
            status.st_mode | kind << 16 | device << 32, (uint64_t)status.st_size << 1 | links);
}

// Gives whether it told of all.
static bool tell_descriptors(void) {
  long folder = lull_kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
  if (folder < 0) return false;
  unsigned count = 0;
  _Alignas(struct lull_entry) char buffer[2048];
  long size;
  while ((size = lull_kernel(SYS_getdents64, folder, (long)buffer, sizeof buffer, 0, 0, 0)) > 0) {
    for (long at = 0; at < size; at += ((struct lull_entry *)(buffer + at))->size) {
      const char *name = ((struct lull_entry *)(buffer + at))->name;
      if (*name == '.' || strtol(name, NULL, 10) == folder) continue;
      if (++count <= most_inherited) lull_tell_descriptor((int)strtol(name, NULL, 10));
    }
  }
  lull_kernel(SYS_close, folder, 0, 0, 0, 0, 0);
  return size == 0 && count <= most_inherited;
}

void lull_tell_inherited(void) {
  bool is_all = tell_descriptors();
  char place[1024];
  bool is_known = lull_kernel(SYS_getcwd, (long)place, sizeof place, 0, 0, 0, 0) > 0 && place[0] == '/';
  lull_tell(lull_record_inherited, is_known ? place : NULL, is_all, 0, 0);
}
