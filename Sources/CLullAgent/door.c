#include "form.h"
#include "lull_agent.h"

#ifdef LULL_AGENT
#include "../LullPreload/samples.h"
#include "../LullPreload/interpose.h"
#include "../LullPreload/segments.h"
#include "../LullPreload/stacks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Where recorders ask: a page that the program has mapped from its start, and that is all it has until then. Each of
// the functions that are stood in front of looks at it; the first to find a recording begins it.

static struct lull_door closed;
struct lull_door *lull_door = &closed;
void (*lull_next_taker)(int kind, const char *name, uint64_t identifier);

static char path[320];
// The recording that this process has rings for. By its section it is known, of a stripped program too, that the C
// library's functions in it are none of the author's.
__attribute__((section(".lull_agent"))) static uint32_t process_recording = 0;
// The last one that it could have no rings for.
static uint32_t refused;
// Who begins or ends a recording just now: a process's id, since a child may be made meanwhile.
static int changing;
static uint64_t looked;

bool lull_agent_is_ready(void) { return lull_door != &closed; }

bool lull_agent_is_recording(void) {
  return process_recording && process_recording == lull_recording();
}

// MARK: Opening it

// A folder that nobody but the user can write to.
static bool is_own_folder(const char *folder) {
  lull_kernel(SYS_mkdirat, AT_FDCWD, (long)folder, 0700, 0, 0, 0);
  struct stat status;
  return lull_kernel(SYS_newfstatat, AT_FDCWD, (long)folder, (long)&status, AT_SYMLINK_NOFOLLOW, 0, 0) == 0 &&
         S_ISDIR(status.st_mode) && status.st_uid == (uid_t)lull_kernel(SYS_geteuid, 0, 0, 0, 0, 0, 0) &&
         (status.st_mode & 0077) == 0;
}

// Makes the file in a folder, in the place of one that a process of the same number left.
static struct lull_door *make(const char *place) {
  if (!place || !*place || strlen(place) > sizeof path - 96) return NULL;
  char *end = lull_append(lull_append(lull_append(path, place), "/"), LULL_DOOR_FOLDER);
  end = lull_append_number(end, (uint64_t)lull_kernel(SYS_geteuid, 0, 0, 0, 0, 0, 0));
  if (!is_own_folder(path)) return NULL;
  struct stat namespace = {0};
  lull_kernel(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)&namespace, 0, 0, 0);
  end = lull_append_number(lull_append(end, "/"), (uint64_t)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0));
  lull_append_number(lull_append(end, "-"), namespace.st_ino);
  lull_kernel(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
  long file = lull_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600, 0,
                          0);
  if (file < 0) return NULL;
  long mapped = -1;
  // Taken at once: where there is no room later, a look would end the program.
  if (lull_kernel(SYS_fallocate, file, 0, 0, lull_page_bytes, 0, 0) == 0) {
    mapped = lull_kernel(SYS_mmap, 0, lull_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  lull_kernel(SYS_close, file, 0, 0, 0, 0, 0);
  if (mapped > 0 || mapped < -4095) return (struct lull_door *)mapped;
  lull_kernel(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
  return NULL;
}

__attribute__((constructor)) static void open_door(void) {
  int saved = errno;
  lull_resolve();
  // What is recorded by the library that is preloaded is not asked for here.
  lull_next_taker = (__typeof__(lull_next_taker))dlsym(RTLD_NEXT, "lull_take_mark");
  if (!lull_next_taker && !getauxval(AT_SECURE) && lull_make_owner()) {
    struct lull_door *door = make("/dev/shm");
    if (!door) door = make(getenv("XDG_RUNTIME_DIR"));
    if (!door) door = make("/tmp");
    if (door) {
      door->pid = (int)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
      lull_door = door;
      lull_take_sample_signal();
      lull_know_code();
      __atomic_store_n(&door->version, lull_preload_version, __ATOMIC_RELEASE);
    }
  }
  errno = saved;
}

void lull_close_door(void) {
  if (lull_door == &closed || lull_door->pid != (int)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0)) return;
  lull_kernel(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

// MARK: A recording's beginning and end

static bool begin_change(void) {
  int own = (int)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
  int other = __atomic_load_n(&changing, __ATOMIC_RELAXED);
  return other != own &&
         __atomic_compare_exchange_n(&changing, &other, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void end_change(void) { __atomic_store_n(&changing, 0, __ATOMIC_RELEASE); }

static void leave_recording(void) {
  if (!process_recording) return;
  lull_each_slot(lull_end_samples);
  lull_retire_segments();
  __atomic_store_n(&process_recording, 0, __ATOMIC_RELEASE);
}

static bool begin_recording(uint32_t recording) {
  leave_recording();
  if (!lull_find_recorder(lull_door->folder)) return false;
  lull_begin_streams();
  lull_set_sample_interval(lull_control->sample_interval);
  if (!lull_begin_own_process()) return false;
  lull_give_slots();
  __atomic_store_n(&process_recording, recording, __ATOMIC_RELEASE);
  __atomic_store_n(&lull_door->answered, recording, __ATOMIC_RELEASE);
  return true;
}

// A recording is over: rings and timers are given back.
static void take_back(struct agent *agent, uint32_t recording) {
  if (!begin_change()) return;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  leave_recording();
  if (recording & LULL_DOOR_OVER) {
    __atomic_compare_exchange_n(&lull_door->recording, &recording, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
  end_change();
}

bool lull_join(struct agent *agent, uint64_t *since) {
  uint32_t recording = __atomic_load_n(&lull_door->recording, __ATOMIC_ACQUIRE);
  if (agent->busy || agent->beginning || recording == refused) return false;
  if (!recording || recording & LULL_DOOR_OVER) {
    if (recording) take_back(agent, recording);
    return false;
  }
  if (__atomic_load_n(&process_recording, __ATOMIC_ACQUIRE) != recording) {
    if (!begin_change()) {
      *since = lull_now();
      return false;
    }
    // A signal's handler that comes in between is not recorded.
    agent->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    bool is_begun = process_recording == recording || begin_recording(recording);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    agent->busy = 0;
    end_change();
    if (!is_begun) {
      refused = recording;
      return false;
    }
  }
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  lull_leave(agent);
  agent->slot = NULL;
  agent->open = NULL;
  agent->off = 0;
  agent->recording = recording;
  lull_arrive(agent);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
  return true;
}

bool lull_begin_late(struct call *call, uint32_t number, int descriptor) {
  uint64_t start = call->start ? call->start : lull_door->asked;
  if (!lull_begin(call, number, descriptor)) return false;
  call->start = start;
  return true;
}

// MARK: Recorders that were killed

enum { look_interval = 1000000000 };

// Whether nobody has the door's file locked, as far as that can be known.
static bool is_recorder_gone(void) {
  long file = lull_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return lull_kernel(SYS_kill, lull_door->recorder, 0, 0, 0, 0, 0) == -ESRCH;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  bool is_free = lull_kernel(SYS_fcntl, file, F_OFD_GETLK, (long)&lock, 0, 0, 0) == 0 && lock.l_type == F_UNLCK;
  lull_kernel(SYS_close, file, 0, 0, 0, 0, 0);
  return is_free;
}

void lull_look_for_recorder(uint64_t now) {
  uint32_t recording = lull_recording();
  if (!recording || recording & LULL_DOOR_OVER) {
    // What another process ended that has the same door, such as a child.
    if (__atomic_load_n(&process_recording, __ATOMIC_RELAXED)) take_back(&lull_agent, recording);
    return;
  }
  uint64_t last = __atomic_load_n(&looked, __ATOMIC_RELAXED);
  if (now < last + look_interval ||
      !__atomic_compare_exchange_n(&looked, &last, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    return;
  }
  if (!is_recorder_gone()) return;
  uint32_t over = recording | LULL_DOOR_OVER;
  if (__atomic_compare_exchange_n(&lull_door->recording, &recording, over, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    take_back(&lull_agent, over);
  }
}
#else
bool lull_agent_is_ready(void) { return false; }
bool lull_agent_is_recording(void) { return false; }
#endif
