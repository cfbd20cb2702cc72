#include "interpose.h"

#include "segments.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Streams (fwrite, printf, getline) read and write inside the C library, by calls that nothing can stand in front of.
// But they go through a table of functions, which the library exports with the functions that are in it
// (libio/libioP.h, struct _IO_jump_t): where both are as is known, the table's entries for reading and writing are
// replaced. Where they are not, streams are not seen, which the segment says.

ssize_t _IO_file_read(FILE *, void *, ssize_t);
ssize_t _IO_file_write(FILE *, const void *, ssize_t);
int _IO_file_close(FILE *);

enum { read_entry = 14, write_entry = 15, close_entry = 17 };

static __typeof__(&_IO_file_read) read_stream;
static __typeof__(&_IO_file_write) write_stream;
static __typeof__(&_IO_file_close) close_stream;
static bool sees_streams;

bool lull_sees_streams(void) { return sees_streams; }

// The C library opens files inside (getpwnam, getaddrinfo, tmpfile), which nothing tells: what such a stream is of is
// found as it is first used.
static inline void name_stream(int fd) {
  if (likely(fd < 0 || fd >= known_descriptors || lull_descriptors[fd] != lull_descriptor_unknown)) return;
  if (lull_descriptor(fd) == lull_descriptor_file) lull_tell_descriptor(fd);
}

// They are seen in stacks, under the names that the C library's own have there.
static ssize_t _IO_new_file_read(FILE *file, void *to, ssize_t count) {
  int fd = fileno_unlocked(file);
  struct call call;
  bool is_told = lull_begin(&call, SYS_read, fd);
  if (is_told) name_stream(fd);
  if (is_told && count >= LARGE) lull_runs_long(&call);
  ssize_t result = read_stream(file, to, count);
  if (is_told || lull_is_late(&call, SYS_read, fd)) {
    lull_finish(&call, (struct outcome){.result = result,
                                        .first = (uint64_t)fd,
                                        .descriptor = fd,
                                        .manner = lull_manner_of_read(fd, result)});
  }
  return result;
}

static ssize_t _IO_new_file_write(FILE *file, const void *from, ssize_t count) {
  int fd = fileno_unlocked(file);
  struct call call;
  bool is_told = lull_begin(&call, SYS_write, fd);
  if (is_told) name_stream(fd);
  if (is_told && count >= LARGE) lull_runs_long(&call);
  ssize_t result = write_stream(file, from, count);
  if (is_told || lull_is_late(&call, SYS_write, fd)) {
    lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)fd, .descriptor = fd,
        .manner = manner_site});
  }
  return result;
}

// Streams that are closed inside as well; what else closes one tells of that itself.
static __thread bool is_closing __attribute__((tls_model("initial-exec")));

static int close_file(FILE *file) {
  int fd = fileno_unlocked(file);
  if (is_closing || fd < 0) return close_stream(file);
  struct call call;
  bool is_told = lull_begin(&call, SYS_close, fd);
  // Another thread may be given the number before this one has returned.
  lull_forget_descriptor(fd);
  int result = close_stream(file);
  if (is_told || lull_is_late(&call, SYS_close, fd)) {
    lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)fd, .descriptor = -1});
  }
  return result;
}

static void **tables[2];

static bool replace(void **table) {
  if (table && table[read_entry] == (void *)_IO_new_file_read) return true;
  if (!table || table[read_entry] != (void *)read_stream || table[write_entry] != (void *)write_stream ||
      table[close_entry] != (void *)close_stream)
    return false;
  // It is among what is written once, as the library is loaded.
  uintptr_t first = (uintptr_t)&table[read_entry] & ~(uintptr_t)(lull_page_bytes - 1);
  uintptr_t end = (uintptr_t)&table[close_entry + 1];
  if (lull_kernel(SYS_mprotect, (long)first, (long)(end - first), PROT_READ | PROT_WRITE, 0, 0, 0) < 0) return false;
  table[read_entry] = (void *)_IO_new_file_read;
  table[write_entry] = (void *)_IO_new_file_write;
  table[close_entry] = (void *)close_file;
  lull_kernel(SYS_mprotect, (long)first, (long)(end - first), PROT_READ, 0, 0, 0);
  return true;
}

// Opens go on inside as well, but their functions are called from outside.
#define OPENS_STREAM(name, parameters, arguments, opening_flags) \
  EXPORT FILE *name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_openat, -1); \
    is_closing = true; \
    FILE *file = REAL(name) arguments; \
    is_closing = false; \
    int fd = file ? fileno_unlocked(file) : -1; \
    lull_forget_descriptor(fd); \
    is_told = is_told || lull_is_late(&call, SYS_openat, -1); \
    if (is_told && fd >= 0) { \
      lull_finish(&call, (struct outcome){.result = fd, \
                                          .first = (uint64_t)AT_FDCWD, \
                                          .second = (uint64_t)(opening_flags), \
                                          .descriptor = fd, \
                                          .path = path}); \
    } else if (is_told) { \
      lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1, .manner = manner_wait}); \
    } \
    return file; \
  }

static int flags_of(const char *mode) { return *mode == 'w' ? O_CREAT | O_TRUNC | O_WRONLY : O_RDONLY; }

DECLARE(fopen) OPENS_STREAM(fopen, (const char *path, const char *mode), (path, mode), flags_of(mode))
DECLARE(fopen64) OPENS_STREAM(fopen64, (const char *path, const char *mode), (path, mode), flags_of(mode))
DECLARE(freopen)
OPENS_STREAM(freopen, (const char *path, const char *mode, FILE *old), (path, mode, old), flags_of(mode))
DECLARE(freopen64)
OPENS_STREAM(freopen64, (const char *path, const char *mode, FILE *old), (path, mode, old), flags_of(mode))

DECLARE(fclose)
EXPORT int fclose(FILE *file) {
  int fd = fileno_unlocked(file);
  struct call call;
  bool is_told = lull_begin(&call, SYS_close, fd);
  is_closing = true;
  int result = REAL(fclose)(file);
  is_closing = false;
  lull_forget_descriptor(fd);
  is_told = is_told || lull_is_late(&call, SYS_close, fd);
  if (is_told && fd >= 0) {
    lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)fd, .descriptor = -1});
  } else if (is_told) {
    lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1, .manner = manner_wait});
  }
  return result;
}

#ifndef LULL_AGENT
// What test runners say by streams: which test begins and which ends. That is told before it is written, by a function
// whose frame is on no stack that is copied.
static __attribute__((noinline)) void tell_line(const char *text, size_t size) {
  // As the recorder's probes choose them (TestHost.filter).
  static const char *const words[] = {"Test Case '", " started.", " after ", "testStarted", "testEnded"};
  for (size_t index = 0; index < sizeof words / sizeof *words; index++) {
    if (!memmem(text, size, words[index], strlen(words[index]))) continue;
    char line[4096];
    size_t length = size < sizeof line ? size : sizeof line - 1;
    memcpy(line, text, length);
    line[length] = 0;
    return lull_take_mark(lull_mark_line, line, 0);
  }
}

static inline bool runs_tests(void) { return unlikely(lull_control && lull_control->runs_tests); }

DECLARE(fputs)
EXPORT int fputs(const char *text, FILE *file) {
  if (runs_tests()) tell_line(text, strlen(text));
  return REAL(fputs)(text, file);
}

DECLARE(fwrite)
EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  size_t bytes;
  if (runs_tests() && !__builtin_mul_overflow(size, count, &bytes)) tell_line(from, bytes);
  return REAL(fwrite)(from, size, count, file);
}
#endif

void lull_resolve_streams(void) {
#ifndef LULL_AGENT
  FIND(fputs) FIND(fwrite)
#endif
  FIND(fopen) FIND(fopen64) FIND(freopen) FIND(freopen64) FIND(fclose)
  close_stream = (__typeof__(close_stream))lull_real("_IO_file_close");
  read_stream = (__typeof__(read_stream))lull_real("_IO_file_read");
  write_stream = (__typeof__(write_stream))lull_real("_IO_file_write");
  tables[0] = dlsym(RTLD_NEXT, "_IO_file_jumps");
  // Of streams of wide characters.
  tables[1] = dlsym(RTLD_NEXT, "_IO_wfile_jumps");
}

void lull_begin_streams(void) {
  sees_streams = read_stream && write_stream && close_stream && replace(tables[0]) && replace(tables[1]);
}
