#include "interpose.h"

#include "filters.h"
#include "wakes.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

// System calls by their numbers (syscall): told as the functions are.

// Which older headers lack.
enum { number_openat2 = 437, number_io_uring_setup = 425 };

// How a call is told: the number by which it is known, what it is given, and what it does to descriptors.
struct telling {
  uint32_t number;
  bool opens, closes, copies, reads, is_large, is_of_socket;
  struct outcome outcome;
};

static bool tells_descriptor(struct telling *telling, long fd) {
  telling->outcome.first = (uint64_t)(int)fd;
  telling->outcome.descriptor = (int)fd;
  return true;
}

static bool tells_opening(struct telling *telling, long folder, long path, long flags) {
  telling->number = SYS_openat;
  telling->opens = true;
  telling->outcome.first = (uint64_t)(int)folder;
  telling->outcome.second = (uint64_t)flags;
  telling->outcome.path = (const char *)path;
  return true;
}

static bool tells_copy(struct telling *telling, uint32_t number, long fd, long other) {
  telling->number = number;
  telling->copies = true;
  telling->outcome.first = (uint64_t)(int)fd;
  telling->outcome.second = (uint64_t)(int)other;
  return true;
}

static bool tells_name(struct telling *telling, uint32_t number, long folder, long path, long second, long other) {
  telling->number = number;
  telling->outcome.first = (uint64_t)(int)folder;
  telling->outcome.second = (uint64_t)(int)second;
  telling->outcome.path = (const char *)path;
  telling->outcome.other_path = (const char *)other;
  return true;
}

// Whether a call is told, and how.
static bool describe(struct telling *telling, long number, const long *words) {
  *telling = (struct telling){.number = (uint32_t)number, .outcome = {.descriptor = -1}};
  switch (number) {
#ifdef SYS_open
    case SYS_open: return tells_opening(telling, AT_FDCWD, words[0], words[1]);
    case SYS_creat: return tells_opening(telling, AT_FDCWD, words[0], O_CREAT | O_WRONLY | O_TRUNC);
    case SYS_dup2: return tells_copy(telling, SYS_dup3, words[0], words[1]);
    case SYS_rename: return tells_name(telling, SYS_renameat2, AT_FDCWD, words[0], AT_FDCWD, words[1]);
    case SYS_unlink: return tells_name(telling, SYS_unlinkat, AT_FDCWD, words[0], 0, 0);
#endif
    case SYS_openat: return tells_opening(telling, words[0], words[1], words[2]);
    // Its flags are in memory, which is there if the call says so.
    case number_openat2: return tells_opening(telling, words[0], words[1], 0);
    case SYS_dup: return tells_copy(telling, SYS_dup, words[0], 0);
    case SYS_dup3: return tells_copy(telling, SYS_dup3, words[0], words[1]);
    case SYS_fcntl:
      return (words[1] == F_DUPFD || words[1] == F_DUPFD_CLOEXEC) &&
             tells_copy(telling, SYS_fcntl, words[0], words[1]);
    case SYS_close:
      telling->closes = true;
      telling->outcome.first = (uint64_t)(int)words[0];
      return true;
    case SYS_close_range:
      telling->outcome.first = (unsigned)words[0];
      telling->outcome.second = (unsigned)words[1];
      telling->outcome.third = (unsigned)words[2];
      return true;
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2: return tells_name(telling, SYS_renameat2, words[0], words[1], words[2], words[3]);
    case SYS_unlinkat: return tells_name(telling, SYS_unlinkat, words[0], words[1], words[2], 0);
    case SYS_chdir: case SYS_fchdir: return true;
    case SYS_truncate: return tells_name(telling, SYS_truncate, AT_FDCWD, words[0], 0, 0);
    case SYS_read: case SYS_pread64: case SYS_readv: case SYS_preadv: case SYS_preadv2:
      telling->reads = true;
      telling->is_large = words[2] >= LARGE;
      return tells_descriptor(telling, words[0]);
    case SYS_pwrite64: case SYS_pwritev: case SYS_pwritev2: telling->outcome.third = (uint64_t)words[3]; break;
    case SYS_copy_file_range: case SYS_splice: telling->outcome.second = (uint64_t)(int)words[2]; break;
    case SYS_write: case SYS_writev: case SYS_sendfile: break;
#ifdef SYS_accept
    case SYS_accept:
#endif
    case SYS_accept4:
      telling->number = SYS_accept4;
      telling->is_of_socket = true;
      return tells_descriptor(telling, words[0]);
    // What comes of it is not seen, but that there was something.
    case SYS_io_submit: case number_io_uring_setup: return true;
    case SYS_connect: case SYS_listen: case SYS_sendto: case SYS_recvfrom: case SYS_sendmsg: case SYS_recvmsg:
    case SYS_sendmmsg: case SYS_recvmmsg:
      telling->is_of_socket = true;
      return tells_descriptor(telling, words[0]);
    case SYS_fsync: case SYS_fdatasync: case SYS_ftruncate: case SYS_fallocate:
      telling->is_large = number != SYS_ftruncate;
      return tells_descriptor(telling, words[0]);
    default: return false;
  }
  telling->is_large = true;
  telling->outcome.manner = manner_site;
  return tells_descriptor(telling, words[0]);
}

// Whether it hands something on, to whoever waits for that.
static bool hands_on(long number) {
  switch (number) {
    case SYS_kill: case SYS_tkill: case SYS_tgkill: case SYS_rt_sigqueueinfo: case SYS_rt_tgsigqueueinfo:
    case SYS_mq_timedsend: case SYS_msgsnd: case SYS_semop: case SYS_semtimedop: return true;
    default: return false;
  }
}

// libdispatch and Swift's own locks make their futex calls by this.
DECLARE(syscall)
EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long words[6];
  for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
  va_end(list);
#define CALL REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5])
  struct call call;
  if (number == SYS_futex) {
    int operation = (int)words[1] & FUTEX_CMD_MASK;
    bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI ||
                 operation == FUTEX_LOCK_PI2 || operation == FUTEX_WAIT_REQUEUE_PI;
    bool wakes = operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET;
    // Who waits there may go on, and look for who woke it, before this call is over.
    if (wakes && lull_is_joined()) lull_tell_wake(lull_now(), (uint64_t)words[0]);
    if (!waits) return CALL;
    bool is_told = lull_begin(&call, SYS_futex, -1);
    long result = CALL;
    if (!is_told && !lull_is_late(&call, SYS_futex, -1)) return result;
    uint64_t error = result < 0 ? (uint64_t)errno : 0;
    lull_finish(&call, (struct outcome){.first = (uint64_t)words[0], .second = error, .descriptor = -1,
        .manner = manner_wait | manner_woken});
    return result;
  }
  bool is_strict = number == SYS_prctl ? words[1] == SECCOMP_MODE_STRICT : words[0] == SECCOMP_SET_MODE_STRICT;
  if ((number == SYS_prctl && words[0] == PR_SET_SECCOMP && (is_strict || words[1] == SECCOMP_MODE_FILTER)) ||
      (number == SYS_seccomp && (is_strict || words[0] == SECCOMP_SET_MODE_FILTER))) {
    struct lull_filtering filtering;
    lull_before_filter(&filtering, is_strict, (const void *)words[2]);
    long result = CALL;
    // A filter whose supervisor is to be told has a descriptor.
    lull_after_filter(&filtering, result == 0 || (result > 0 && words[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER));
    return result;
  }
  if (number == SYS_prctl) lull_before_prctl((int)words[0], (unsigned long)words[1]);
  if (number == SYS_exit_group) lull_process_ends();
  if (number == SYS_execve || number == SYS_execveat) {
    lull_pause_samples();
    lull_program_ends();
    long result = CALL;
    lull_resume_samples();
    return result;
  }
  if (hands_on(number)) {
    long result = CALL;
    if (result >= 0) lull_hand_on();
    return result;
  }
  struct telling telling;
  if (!describe(&telling, number, words)) {
    long result = CALL;
    if (number == SYS_socket) lull_forget_descriptor((int)result);
    return result;
  }
  struct outcome *outcome = &telling.outcome;
  int fd = telling.closes || telling.copies ? (int)words[0] : outcome->descriptor;
  bool is_told = lull_begin(&call, telling.number, fd);
  if (is_told && telling.is_large) lull_runs_long(&call);
  // Another thread may be given the number before this one has returned.
  if (telling.closes) lull_forget_descriptor(fd);
  long result = CALL;
  if (telling.closes) lull_forget_descriptor(fd);
  if (telling.opens || telling.copies) lull_forget_descriptor((int)result);
  if (number == SYS_close_range && result == 0 && !(words[2] & 4)) {
    lull_forget_descriptors((unsigned)words[0], (unsigned)words[1]);
  }
  if (!is_told && !lull_is_late(&call, telling.number, fd)) return result;
  outcome->result = result;
  if (telling.is_of_socket) lull_tell_socket_call(outcome, number, words);
  if (telling.opens) outcome->descriptor = (int)result;
  if (number == number_openat2 && result >= 0) memcpy(&outcome->second, (const void *)words[2], sizeof(uint64_t));
  if (telling.reads) outcome->manner = lull_manner_of_read(fd, result);
  char place[1024];
  if (number == SYS_chdir || number == SYS_fchdir) outcome->path = lull_working_folder(place, sizeof place);
  if (result < 0) outcome->path = NULL;
  lull_finish(&call, *outcome);
  return result;
}

void lull_resolve_raw(void) { FIND(syscall) }
