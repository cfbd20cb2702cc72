#include "interpose.h"

#include <aio.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

// Reads, writes, and what is done to files and descriptors.

unsigned lull_manner_of_read(int descriptor, long result) {
  unsigned kind = lull_descriptor(descriptor);
  if (result > 0 && kind == lull_descriptor_file) return manner_site | manner_load;
  if (result >= LARGE) return manner_told;
  if (kind == lull_descriptor_tcp || kind == lull_descriptor_udp) return manner_told;
  if (unlikely(lull_agent.woken) && result > 0) {
    lull_agent.woken = 0;
    return manner_told;
  }
  return manner_wait;
}

// How much several parts are is not looked at: where they are may not be there, which the kernel finds out.
enum { many_parts = 8 };

ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);

#define READS(name, parameters, arguments, number, large) \
  TIMED(ssize_t, name, parameters, arguments, number, fd, large, .manner = lull_manner_of_read(fd, result))

// Signals may be what is read.
static unsigned of_whole_read(int descriptor, const void *read, long result) {
  unsigned manner = lull_manner_of_read(descriptor, result);
  if (result > 0 && lull_descriptor(descriptor) == lull_descriptor_signals) lull_note_signals(read, result);
  return manner;
}

DECLARE(read)
TIMED(ssize_t, read, (int fd, void *to, size_t count), (fd, to, count), SYS_read, fd, count >= LARGE,
      .manner = of_whole_read(fd, to, result))
DECLARE(__read_chk)
TIMED(ssize_t, __read_chk, (int fd, void *to, size_t count, size_t room), (fd, to, count, room), SYS_read, fd,
      count >= LARGE, .manner = of_whole_read(fd, to, result))
DECLARE(pread)
READS(pread, (int fd, void *to, size_t count, off_t at), (fd, to, count, at), SYS_pread64, count >= LARGE)
DECLARE(pread64)
READS(pread64, (int fd, void *to, size_t count, off64_t at), (fd, to, count, at), SYS_pread64, count >= LARGE)
DECLARE(__pread_chk)
READS(__pread_chk, (int fd, void *to, size_t count, off_t at, size_t room), (fd, to, count, at, room), SYS_pread64,
    count >= LARGE)
DECLARE(__pread64_chk)
READS(__pread64_chk, (int fd, void *to, size_t count, off64_t at, size_t room), (fd, to, count, at, room),
    SYS_pread64, count >= LARGE)
DECLARE(readv)
READS(readv, (int fd, const struct iovec *parts, int count), (fd, parts, count), SYS_readv, count > many_parts)
DECLARE(preadv)
READS(preadv, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), SYS_preadv,
    count > many_parts)
DECLARE(preadv64)
READS(preadv64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), SYS_preadv,
    count > many_parts)
DECLARE(preadv2)
READS(preadv2, (int fd, const struct iovec *parts, int count, off_t at, int flags), (fd, parts, count, at, flags),
    SYS_preadv2, count > many_parts)
DECLARE(preadv64v2)
READS(preadv64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags), (fd, parts, count, at, flags),
    SYS_preadv2, count > many_parts)

#define WRITES(name, parameters, arguments, number, large, ...) \
  TIMED(ssize_t, name, parameters, arguments, number, fd, large, .manner = manner_site, __VA_ARGS__)

DECLARE(write) WRITES(write, (int fd, const void *from, size_t count), (fd, from, count), SYS_write, count >= LARGE, )
DECLARE(pwrite)
WRITES(pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at), SYS_pwrite64, count >= LARGE,
       .third = (uint64_t)at)
DECLARE(pwrite64)
WRITES(pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at), SYS_pwrite64,
    count >= LARGE,
       .third = (uint64_t)at)
DECLARE(writev)
WRITES(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), SYS_writev, count > many_parts, )
DECLARE(pwritev)
WRITES(pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), SYS_pwritev,
    count > many_parts,
       .third = (uint64_t)at)
DECLARE(pwritev64)
WRITES(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), SYS_pwritev,
       count > many_parts, .third = (uint64_t)at)
DECLARE(pwritev2)
WRITES(pwritev2, (int fd, const struct iovec *parts, int count, off_t at, int flags), (fd, parts, count, at,
    flags), SYS_pwritev2,
       count > many_parts, .third = (uint64_t)at)
DECLARE(pwritev64v2)
WRITES(pwritev64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags), (fd, parts, count, at,
    flags), SYS_pwritev2,
       count > many_parts, .third = (uint64_t)at)
DECLARE(sendfile)
WRITES(sendfile, (int fd, int from, off_t *at, size_t count), (fd, from, at, count), SYS_sendfile, count >= LARGE, )
DECLARE(sendfile64)
WRITES(sendfile64, (int fd, int from, off64_t *at, size_t count), (fd, from, at, count), SYS_sendfile, count >= LARGE, )
DECLARE(copy_file_range)
WRITES(copy_file_range, (int fd, off64_t *from, int other, off64_t *to, size_t count, unsigned flags),
       (fd, from, other, to, count, flags), SYS_copy_file_range, count >= LARGE, .second = (uint64_t)other)
DECLARE(splice)
WRITES(splice, (int fd, off64_t *from, int other, off64_t *to, size_t count, unsigned flags), (fd, from, other, to,
    count, flags),
       SYS_splice, count >= LARGE, .second = (uint64_t)other)

#define CHANGES(name, parameters, arguments, number, large) TIMED(int, name, parameters, arguments, number, fd, large, )

DECLARE(fsync) CHANGES(fsync, (int fd), (fd), SYS_fsync, true)
DECLARE(fdatasync) CHANGES(fdatasync, (int fd), (fd), SYS_fdatasync, true)
DECLARE(syncfs) CHANGES(syncfs, (int fd), (fd), SYS_syncfs, true)
DECLARE(sync_file_range)
CHANGES(sync_file_range, (int fd, off64_t at, off64_t count, unsigned flags), (fd, at, count, flags),
    SYS_sync_file_range, true)
DECLARE(msync)
TIMED(int, msync, (void *at, size_t count, int flags), (at, count, flags), SYS_msync, -1, true,
    .second = (uint64_t)flags)
DECLARE(ftruncate) CHANGES(ftruncate, (int fd, off_t size), (fd, size), SYS_ftruncate, false)
DECLARE(ftruncate64) CHANGES(ftruncate64, (int fd, off64_t size), (fd, size), SYS_ftruncate, false)
DECLARE(fallocate)
CHANGES(fallocate, (int fd, int mode, off_t at, off_t count), (fd, mode, at, count), SYS_fallocate, true)
DECLARE(fallocate64)
CHANGES(fallocate64, (int fd, int mode, off64_t at, off64_t count), (fd, mode, at, count), SYS_fallocate, true)

DECLARE(flock)
TIMED(int, flock, (int fd, int operation), (fd, operation), SYS_flock, fd, false,
      .manner = manner_wait | (operation & LOCK_NB ? manner_look : 0))
DECLARE(lockf)
TIMED(int, lockf, (int fd, int command, off_t count), (fd, command, count), SYS_flock, fd, false,
      .manner = manner_wait | (command == F_TLOCK || command == F_TEST ? manner_look : 0))

DECLARE(sync)
EXPORT void sync(void) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_sync, -1);
  if (is_told) lull_runs_long(&call);
  REAL(sync)();
  if (is_told || lull_is_late(&call, SYS_sync, -1)) {
    lull_finish(&call, (struct outcome){.result = 0, .descriptor = -1});
  }
}

// What was known of a descriptor ends as its number is free again.
#define RENEWS(name, parameters, arguments, number, old, ...) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, number, old); \
    /* Another thread may be given the number before this one has returned. */ \
    if (number == SYS_close) lull_forget_descriptor(old); \
    int result = REAL(name) arguments; \
    if (result >= 0 || number == SYS_close) lull_forget_descriptor(number == SYS_close ? old : result); \
    if (is_told || lull_is_late(&call, number, old)) { \
      lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)old, .descriptor = -1, __VA_ARGS__}); \
    } \
    return result; \
  }

// Who closes all numbers that there may be would fill the ring with those that stand for nothing.
DECLARE(close)
RENEWS(close, (int fd), (fd), SYS_close, fd,
       .manner = result < 0 && errno == EBADF ? manner_wait : manner_told)
DECLARE(dup) RENEWS(dup, (int fd), (fd), SYS_dup, fd, )
DECLARE(dup2) RENEWS(dup2, (int fd, int to), (fd, to), SYS_dup3, fd, .second = (uint64_t)to)
DECLARE(dup3) RENEWS(dup3, (int fd, int to, int flags), (fd, to, flags), SYS_dup3, fd, .second = (uint64_t)to)

DECLARE(fcntl)
DECLARE(fcntl64)
#define CONTROLS(name) \
  EXPORT int name(int fd, int command, ...) { \
    va_list list; \
    va_start(list, command); \
    void *argument = va_arg(list, void *); \
    va_end(list); \
    bool is_wait = command == F_SETLKW || command == F_OFD_SETLKW; \
    bool is_duplicate = command == F_DUPFD || command == F_DUPFD_CLOEXEC; \
    struct call call; \
    if (!is_wait && !is_duplicate) return REAL(name)(fd, command, argument); \
    uint32_t number = is_wait ? SYS_flock : SYS_fcntl; \
    bool is_told = lull_begin(&call, number, fd); \
    int result = REAL(name)(fd, command, argument); \
    if (is_duplicate) lull_forget_descriptor(result); \
    if (is_told || lull_is_late(&call, number, fd)) { \
      lull_finish(&call, (struct outcome){.result = result, \
                                          .first = (uint64_t)fd, \
                                          .second = (uint64_t)command, \
                                          .descriptor = fd, \
                                          .manner = is_wait ? manner_wait : manner_told}); \
    } \
    return result; \
  }
CONTROLS(fcntl)
CONTROLS(fcntl64)

DECLARE(close_range)
EXPORT int close_range(unsigned first, unsigned last, int flags) {
  struct call call;
  bool is_told = lull_begin(&call, SYS_close_range, -1);
  int result = REAL(close_range)(first, last, flags);
  if (result == 0 && !(flags & 4)) lull_forget_descriptors(first, last);
  if (is_told || lull_is_late(&call, SYS_close_range, -1)) {
    lull_finish(&call, (struct outcome){.result = result, .first = first, .second = last, .third = (uint64_t)flags,
        .descriptor = -1});
  }
  return result;
}

DECLARE(closefrom)
EXPORT void closefrom(int first) {
  REAL(closefrom)(first);
  lull_forget_descriptors((unsigned)first, ~0u);
}

DECLARE(mmap)
DECLARE(mmap64)
#define MAPS(name) \
  EXPORT void *name(void *at, size_t size, int protection, int flags, int fd, off_t offset) { \
    struct call call; \
    bool writes = fd >= 0 && protection & PROT_WRITE && flags & MAP_SHARED; \
    bool is_told = writes && lull_begin(&call, SYS_mmap, fd); \
    void *result = REAL(name)(at, size, protection, flags, fd, offset); \
    if (is_told) { \
      lull_finish(&call, (struct outcome){.result = result == MAP_FAILED ? -1 : 0, .first = (uint64_t)fd, \
          .descriptor = fd}); \
    } \
    return result; \
  }
MAPS(mmap)
MAPS(mmap64)

// Requests of POSIX: threads within the C library do what they ask for. They are told as those of Linux, in calls that
// take so many.
#define REQUESTS(name, parameters, arguments, requests) \
  DECLARE(name) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, SYS_io_submit, -1); \
    int result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, SYS_io_submit, -1)) { \
      lull_finish(&call, (struct outcome){.result = result < 0 ? result : (requests), .descriptor = -1}); \
    } \
    return result; \
  }
REQUESTS(aio_write, (struct aiocb *request), (request), 1)
REQUESTS(aio_write64, (struct aiocb64 *request), (request), 1)
REQUESTS(aio_fsync, (int how, struct aiocb *request), (how, request), 1)
REQUESTS(aio_fsync64, (int how, struct aiocb64 *request), (how, request), 1)
REQUESTS(lio_listio, (int mode, struct aiocb *const list[], int count, struct sigevent *event),
         (mode, list, count, event), count)
REQUESTS(lio_listio64, (int mode, struct aiocb64 *const list[], int count, struct sigevent *event),
         (mode, list, count, event), count)

void lull_resolve_files(void) {
  FIND(read) FIND(__read_chk) FIND(pread) FIND(pread64) FIND(__pread_chk) FIND(__pread64_chk) FIND(readv)
  FIND(preadv) FIND(preadv64) FIND(preadv2) FIND(preadv64v2)
  FIND(write) FIND(pwrite) FIND(pwrite64) FIND(writev) FIND(pwritev) FIND(pwritev64) FIND(pwritev2) FIND(pwritev64v2)
  FIND(sendfile) FIND(sendfile64) FIND(copy_file_range) FIND(splice)
  FIND(fsync) FIND(fdatasync) FIND(syncfs) FIND(sync_file_range) FIND(msync) FIND(ftruncate) FIND(ftruncate64)
  FIND(fallocate) FIND(fallocate64) FIND(flock) FIND(lockf) FIND(sync)
  FIND(close) FIND(dup) FIND(dup2) FIND(dup3) FIND(fcntl) FIND(fcntl64) FIND(close_range) FIND(closefrom)
  FIND(mmap) FIND(mmap64) FIND(aio_write) FIND(aio_write64) FIND(aio_fsync) FIND(aio_fsync64) FIND(lio_listio)
  FIND(lio_listio64)
}
