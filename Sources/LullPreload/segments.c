#include "segments.h"

#include "samples.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// The files that this process shares with the recorder: its segments, and the slots in them.

enum { most_segments = 64 };
static struct lull_segment *segments[most_segments];
static unsigned segment_count;
static uint32_t opening_segment;
// How many slots were ever taken, of all segments: those behind them have no memory.
static unsigned slots_used;

// Where a slot is; nothing where its addresses are left to the program.
static struct lull_slot *slots[most_segments][lull_slots];
// Slots are mapped as they are taken: the program's addresses are limited, or it has its memory locked. Else all of a
// segment's are at once.
static bool is_sparse;
// All that is mapped is locked: the slots not to be, whose memory would be among what the program may lock.
static bool is_locked;
enum { slot_bytes = lull_ring_offset + lull_ring_bytes };

static struct lull_slot *slot_at(unsigned segment, unsigned index) {
  return __atomic_load_n(&slots[segment][index], __ATOMIC_ACQUIRE);
}

// Makes a file of the recorder's folder that is as long as a segment, and maps its first bytes.
static void *make_file(const char *path, size_t size) {
  int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  long descriptor = lull_kernel(SYS_openat, AT_FDCWD, (long)path, flags, 0600, 0, 0);
  if (descriptor < 0) return NULL;
  void *memory = NULL;
  if (lull_kernel(SYS_ftruncate, descriptor, lull_segment_bytes, 0, 0, 0, 0) == 0) {
    memory = lull_map(descriptor, size, PROT_READ | PROT_WRITE);
  }
  // Only a slot that is in use takes memory; what cannot have it is not written to, which would be a SIGBUS. Before
  // Linux 5.14 all of it is taken at once.
  if (memory) {
    bool populates = lull_kernel(SYS_madvise, (long)memory, lull_page_bytes, POPULATE_WRITE, 0, 0, 0) != -EINVAL;
    long taken = populates ? lull_page_bytes : lull_segment_bytes;
    if (lull_kernel(SYS_fallocate, descriptor, 0, 0, taken, 0, 0) < 0) {
      lull_kernel(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
      memory = NULL;
    }
  }
  lull_kernel(SYS_close, descriptor, 0, 0, 0, 0, 0);
  return memory;
}

bool lull_has_limit(void) {
  struct rlimit limit;
  return lull_kernel(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static struct lull_segment *open_segment(unsigned number, bool is_program) {
  char path[lull_folder_bytes + 64];
  int pid = (int)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
  uint64_t now = lull_now();
  char *end = lull_append(lull_append(path, lull_folder()), "/");
  end = lull_append_number(lull_append(lull_append_number(end, (uint64_t)pid), "-"), now);
  if (lull_has_limit()) is_sparse = true;
  // It has its name once it is whole.
  char whole[sizeof path];
  lull_append(whole, path);
  lull_append(end, ".new");
  size_t size = is_sparse ? lull_page_bytes : lull_segment_bytes;
  struct lull_segment *segment = make_file(path, size);
  if (!segment) return NULL;
  for (unsigned index = 0; index < lull_slots; index++) {
    slots[number][index] = is_sparse ? NULL : lull_slot_of(segment, index);
  }
  segment->version = lull_preload_version;
  segment->pid = pid;
  segment->parent = (int)lull_kernel(SYS_getppid, 0, 0, 0, 0, 0, 0);
  segment->is_program = is_program;
  segment->began = now;
  segment->processor_before = lull_thread_time();
  segment->sees_streams = lull_sees_streams();
  segment->sampling = lull_sampling;
  lull_kernel(SYS_renameat, AT_FDCWD, (long)path, AT_FDCWD, (long)whole, 0, 0);
  return segment;
}

static void note_used(unsigned count) {
  unsigned before = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
  while (before < count && !__atomic_compare_exchange_n(&slots_used, &before, count, false, __ATOMIC_RELEASE,
                                                        __ATOMIC_RELAXED)) {}
}

// How many threads look at slots that may be nobody's, and whether those are being given back.
static uint32_t lookers, is_giving_back;

// Lets others run, of which one is waited for: what they do takes some 20 µs, but they may be without a CPU for some
// milliseconds. Not for ever, since it may be this thread, below a signal's handler. `since` is 0 at first.
static bool give_way(uint64_t *since) {
  const uint64_t longest = 50000000;
  uint64_t now = lull_now();
  if (!*since) *since = now;
  if (now - *since > longest) return false;
  lull_kernel(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
  return true;
}

static bool begin_looking(void) {
  uint64_t since = 0;
  do {
    __atomic_add_fetch(&lookers, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&is_giving_back, __ATOMIC_SEQ_CST)) return true;
    __atomic_sub_fetch(&lookers, 1, __ATOMIC_RELEASE);
  } while (give_way(&since));
  return false;
}

static void end_looking(void) { __atomic_sub_fetch(&lookers, 1, __ATOMIC_RELEASE); }

void lull_leave_addresses(bool locks) {
  if (locks) is_locked = true;
  is_sparse = true;
  if (__atomic_exchange_n(&is_giving_back, 1, __ATOMIC_SEQ_CST)) return;
  bool is_alone;
  uint64_t since = 0;
  do is_alone = __atomic_load_n(&lookers, __ATOMIC_SEQ_CST) == 0;
  while (!is_alone && give_way(&since));
  unsigned count = is_alone ? __atomic_load_n(&segment_count, __ATOMIC_ACQUIRE) : 0;
  for (unsigned index = 0; index < count * lull_slots; index++) {
    struct lull_slot **place = &slots[index / lull_slots][index % lull_slots];
    if (!*place || (*place)->taken) continue;
    lull_kernel(SYS_munmap, (long)*place, slot_bytes, 0, 0, 0, 0);
    *place = NULL;
  }
  __atomic_store_n(&is_giving_back, 0, __ATOMIC_SEQ_CST);
}

void lull_unlock_slots(void) {
  unsigned count = __atomic_load_n(&segment_count, __ATOMIC_ACQUIRE);
  for (unsigned index = 0; index < count * lull_slots; index++) {
    struct lull_slot *slot = slot_at(index / lull_slots, index % lull_slots);
    if (slot) lull_kernel(SYS_munlock, (long)slot, slot_bytes, 0, 0, 0, 0);
  }
}

// Maps a slot whose addresses were left to the program: by the last page before it that is mapped, since the file may
// be out of reach (mremap(2): of no bytes of a shared mapping it makes another). Two threads may come at once.
static struct lull_slot *map_slot(unsigned segment, unsigned index) {
  unsigned below = index;
  while (below > 0 && !slot_at(segment, below - 1)) below--;
  long from = (long)segments[segment];
  if (below > 0) from = (long)slot_at(segment, below - 1) + slot_bytes - lull_page_bytes;
  long skipped = lull_page_bytes + (long)(index - below) * slot_bytes;
  long mapped = lull_kernel(SYS_mremap, from, 0, skipped + slot_bytes, MREMAP_MAYMOVE, 0, 0);
  if (mapped <= 0 && mapped >= -4095) return NULL;
  lull_kernel(SYS_munmap, mapped, skipped, 0, 0, 0, 0);
  struct lull_slot *slot = (struct lull_slot *)(mapped + skipped), *before = NULL;
  if (is_locked) lull_kernel(SYS_munlock, (long)slot, slot_bytes, 0, 0, 0, 0);
  if (__atomic_compare_exchange_n(&slots[segment][index], &before, slot, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return slot;
  }
  lull_kernel(SYS_munmap, (long)slot, slot_bytes, 0, 0, 0, 0);
  return before;
}

static bool take_slot(struct lull_slot *slot) {
  uint32_t expected = 0;
  return __atomic_compare_exchange_n(&slot->taken, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// A slot that is nobody's, or nothing; then it is told whether one could not be had for want of memory or addresses.
static struct lull_slot *find_free_slot(bool *is_refused) {
  unsigned count = __atomic_load_n(&segment_count, __ATOMIC_ACQUIRE) * lull_slots;
  // Those that have addresses come first.
  unsigned index;
  for (index = 0; index < count * 2; index++) {
    unsigned segment = index % count / lull_slots, number = index % lull_slots;
    struct lull_slot *slot = slot_at(segment, number);
    if (!slot && index >= count && !(slot = map_slot(segment, number))) break;
    if (!slot || !take_slot(slot)) continue;
    // Without memory it stays taken.
    if (slot->head == 0 && !lull_take_memory(slot, lull_page_bytes)) break;
    note_used(segment * lull_slots + number + 1);
    return slot;
  }
  *is_refused = index < count * 2;
  return NULL;
}

static struct lull_slot *free_slot(bool *is_refused) {
  *is_refused = true;
  if (!begin_looking()) return NULL;
  struct lull_slot *slot = find_free_slot(is_refused);
  end_looking();
  return slot;
}

struct lull_slot *lull_take_slot(void) {
  uint64_t since = 0;
  for (;;) {
    bool is_refused;
    struct lull_slot *slot = free_slot(&is_refused);
    unsigned count = __atomic_load_n(&segment_count, __ATOMIC_ACQUIRE);
    if (slot || is_refused || count == most_segments || !lull_control || !lull_control->recording) return slot;
    if (__atomic_exchange_n(&opening_segment, 1, __ATOMIC_ACQUIRE)) {
      if (!give_way(&since)) return NULL;
      continue;
    }
    bool has_more = true;
    if (count == segment_count) {
      struct lull_segment *segment = open_segment(count, false);
      has_more = segment != NULL;
      if (segment) {
        segments[count] = segment;
        __atomic_store_n(&segment_count, count + 1, __ATOMIC_RELEASE);
      }
    }
    __atomic_store_n(&opening_segment, 0, __ATOMIC_RELEASE);
    if (!has_more) return NULL;
  }
}

#ifdef LULL_AGENT
// Segments that are nobody's, but for a thread that was kept from going on while it wrote to one: their addresses stay
// taken until each thread that had a ring there is known to be past that.
enum { most_generations = 64 };
static struct generation {
  uint32_t users;
  // The one that goes on.
  uint32_t is_current;
  unsigned count;
  struct lull_segment *segments[most_segments];
} generations[most_generations];
static struct generation *current;

void lull_arrive(struct agent *agent) {
  if (!current) return;
  agent->generation = 1 + (uint32_t)(current - generations);
  __atomic_add_fetch(&current->users, 1, __ATOMIC_RELAXED);
}

void lull_leave(struct agent *agent) {
  if (agent->generation) __atomic_sub_fetch(&generations[agent->generation - 1].users, 1, __ATOMIC_RELEASE);
  agent->generation = 0;
}

static void give_back(void *at, size_t size) {
  lull_kernel(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

void lull_retire_segments(void) {
  if (current) {
    current->count = 0;
    for (unsigned segment = 0; segment < segment_count; segment++) {
      if (!is_sparse) {
        give_back(segments[segment], lull_segment_bytes);
        current->segments[current->count++] = segments[segment];
        continue;
      }
      // Their addresses, of the threads that there were, stay taken.
      for (unsigned index = 0; index < lull_slots; index++) {
        if (slot_at(segment, index)) give_back(slot_at(segment, index), slot_bytes);
      }
      give_back(segments[segment], lull_page_bytes);
    }
    current->is_current = 0;
    current = NULL;
  }
  slots_used = 0;
  __atomic_store_n(&segment_count, 0, __ATOMIC_RELEASE);
  for (struct generation *past = generations; past < generations + most_generations; past++) {
    if (past->is_current || __atomic_load_n(&past->users, __ATOMIC_ACQUIRE)) continue;
    for (; past->count > 0; past->count--) {
      lull_kernel(SYS_munmap, (long)past->segments[past->count - 1], lull_segment_bytes, 0, 0, 0, 0);
    }
  }
}

static bool begin_generation(void) {
  for (struct generation *free = generations; free < generations + most_generations; free++) {
    if (free->is_current || free->count || free->users) continue;
    free->is_current = 1;
    current = free;
    return true;
  }
  return false;
}

struct lull_slot *lull_claim_slot(int tid) {
  unsigned count = __atomic_load_n(&segment_count, __ATOMIC_ACQUIRE);
  for (unsigned index = 0; index < count * lull_slots; index++) {
    struct lull_slot *slot = slot_at(index / lull_slots, index % lull_slots);
    if (!slot || !slot->taken || slot->tid != tid || !slot->is_unclaimed) continue;
    slot->is_unclaimed = 0;
    return slot;
  }
  return NULL;
}

void lull_give_slots(void) {
  long tasks = lull_kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
  if (tasks < 0) return;
  int own = (int)lull_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
  _Alignas(struct lull_entry) char buffer[2048];
  long size;
  while ((size = lull_kernel(SYS_getdents64, tasks, (long)buffer, sizeof buffer, 0, 0, 0)) > 0) {
    for (long at = 0; at < size; at += ((struct lull_entry *)(buffer + at))->size) {
      int tid = (int)strtol(((struct lull_entry *)(buffer + at))->name, NULL, 10);
      if (tid <= 0 || tid == own) continue;
      struct lull_slot *slot = lull_take_slot();
      if (!slot) break;
      slot->timer = 0;
      slot->call = (struct lull_open_call){0, 0, 0};
      slot->tid = tid;
      slot->is_unclaimed = 1;
      lull_sample_other(slot);
    }
  }
  lull_kernel(SYS_close, tasks, 0, 0, 0, 0, 0);
}
#endif

bool lull_begin_segments(bool is_program) {
#ifdef LULL_AGENT
  // Of an earlier recording, or a parent's.
  lull_retire_segments();
  if (!begin_generation()) return false;
#else
  // A parent's: the child has one thread, which is here.
  for (unsigned segment = 0; segment < segment_count; segment++) {
    for (unsigned index = 0; index < lull_slots && is_sparse; index++) {
      if (slot_at(segment, index)) lull_kernel(SYS_munmap, (long)slot_at(segment, index), slot_bytes, 0, 0, 0, 0);
    }
    lull_kernel(SYS_munmap, (long)segments[segment], is_sparse ? lull_page_bytes : lull_segment_bytes, 0, 0, 0, 0);
  }
#endif
  lookers = is_giving_back = 0;
  // Locks are not inherited.
  is_locked = false;
  segment_count = 0;
  opening_segment = 0;
  slots_used = 0;
  if (!lull_control || !lull_control->recording) return false;
  segments[0] = open_segment(0, is_program);
  if (!segments[0]) return false;
  __atomic_store_n(&segment_count, 1, __ATOMIC_RELEASE);
  return true;
}

bool lull_has_segments(void) { return segment_count > 0; }

void lull_note_thread_without_ring(void) {
  if (segment_count > 0) __atomic_add_fetch(&segments[0]->threads_without_ring, 1, __ATOMIC_RELAXED);
}

void lull_note_filtered(void) {
  if (segment_count > 0) __atomic_store_n(&segments[0]->is_filtered, 1, __ATOMIC_RELAXED);
}

void lull_note_sampling(uint32_t state) {
  if (segment_count > 0) __atomic_store_n(&segments[0]->sampling, state, __ATOMIC_RELAXED);
}

void lull_note_asked(int number) {
  // Not a child's that has no segment of its own, or this memory with its parent.
  if (segment_count == 0 || !lull_is_own_process()) return;
  uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&segments[0]->asked_by, &none, (uint32_t)number, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    return;
  }
  __atomic_store_n(&segments[0]->asked_at, lull_now(), __ATOMIC_RELEASE);
}

void lull_each_slot(void (*body)(struct lull_slot *slot)) {
  if (!begin_looking()) return;
  unsigned count = __atomic_load_n(&slots_used, __ATOMIC_ACQUIRE);
  for (unsigned index = 0; index < count; index++) {
    struct lull_slot *slot = slot_at(index / lull_slots, index % lull_slots);
    if (slot && __atomic_load_n(&slot->taken, __ATOMIC_ACQUIRE) && (slot->reserved || slot->timer)) body(slot);
  }
  end_looking();
}
