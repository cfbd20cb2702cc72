#include "samples.h"
#include "segments.h"
#include "stacks.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// Where processes begin, and threads: what is not done at each call.

__thread struct agent lull_agent __attribute__((tls_model("initial-exec")));

// Wiped by the kernel at a fork: a child finds no process in it.
static struct owner nobody;
struct owner *lull_owner = &nobody;

static pthread_key_t thread_end;
static bool has_key;

// A child without a program of its own is recorded as a process of its own.
#ifdef LULL_AGENT
bool lull_begin_own_process(void) {
  __atomic_store_n(&lull_owner->pid, (int)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0), __ATOMIC_RELEASE);
  return lull_begin_segments(false);
}
#endif

static bool begin_process(bool is_program) {
  if (!lull_may_call(SYS_getpid)) return false;
  int expected = 0;
  int pid = (int)lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
  if (!__atomic_compare_exchange_n(&lull_owner->pid, &expected, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return false;
  }
  return lull_begin_segments(is_program);
}

void lull_write_part(struct agent *agent, uint64_t *at, const void *bytes, size_t count) {
  size_t offset = *at & (lull_ring_bytes - 1);
  size_t first = count < lull_ring_bytes - offset ? count : lull_ring_bytes - offset;
  memcpy(agent->ring + offset, bytes, first);
  memcpy(agent->ring, (const uint8_t *)bytes + first, count - first);
  *at += (count + 7) & ~(size_t)7;
}

void lull_tell(unsigned kind, const char *text, uint64_t first, uint64_t second, uint64_t third) {
  struct agent *agent = &lull_agent;
  if (!agent->slot || agent->busy || !lull_is_joined()) return;
  uint64_t length = text ? strnlen(text, 4095) : 0;
  uint32_t size = (uint32_t)((sizeof(struct lull_record) + 8 + length + 8 + 63) & ~63ul);
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  lull_settle(agent);
  struct lull_record *record = lull_reserve(agent, size, important);
  if (record) {
    uint64_t now = lull_now();
    *record = (struct lull_record){
        .size = size,
        .kind = (uint8_t)kind,
        .parts = text ? lull_part_path : 0,
        .start = now,
        .end = now,
        .result = (int64_t)agent->slot->tid,
        .arguments = {first, second, third}};
    uint64_t at = agent->head + sizeof *record;
    if (text) {
      lull_write_part(agent, &at, &length, 8);
      lull_write_part(agent, &at, text, length);
    }
    lull_publish(agent, size);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
}

static void begin_thread(struct agent *agent) {
  int tid = (int)lull_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
  // By a filter of the program's nothing may be known of it.
  bool is_known = tid > 0 && lull_sees_use();
  struct lull_slot *slot = is_known ? lull_claim_slot(tid) : NULL;
  if (!slot) {
    slot = is_known ? lull_take_slot() : NULL;
    if (slot) slot->timer = 0;
  }
  if (!slot) {
    agent->off = 1;
    if (is_known) lull_note_thread_without_ring();
    else lull_note_filtered();
    return;
  }
  slot->tid = tid;
  slot->call = (struct lull_open_call){0, 0, 0};
  agent->head = slot->head;
  agent->limit = 0;
  agent->ring = (uint8_t *)slot + lull_ring_offset;
  agent->open = NULL;
  agent->wake_at = slot->tail + lull_ring_bytes / 2;
  agent->ends = 0;
  agent->next_stack = agent->last_cpu = 0;
  for (int site = 0; site < lull_sites; site++) agent->last_sites[site] = 0;
  lull_begin_stacks(agent, slot);
  agent->slot = slot;
  char name[16] = "";
  lull_kernel(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
  // Its CPU time and waits so far, so that later ones have something to be compared with.
  lull_tell(lull_record_thread_begin, name, lull_thread_time(), lull_thread_waits(), 0);
  if (has_key) pthread_setspecific(thread_end, agent);
  lull_let_samples_through();
  lull_sample_thread(slot);
}

// Whether the handler is no more for which a record waits: its frame is above this one, or another function's.
static bool is_abandoned(const struct agent *agent) {
  const struct lull_intruder *intruder = agent->intruder;
  if (!intruder) return false;
  return (uintptr_t)__builtin_frame_address(0) > (uintptr_t)intruder ||
         __atomic_load_n(&intruder->own, __ATOMIC_RELAXED) != (uintptr_t)intruder;
}

bool lull_begin_slowly(struct agent *agent) {
  if (agent->busy && is_abandoned(agent)) {
    agent->intruder = NULL;
    agent->open = NULL;
    if (agent->slot) __atomic_store_n(&agent->slot->has_open_record, 0, __ATOMIC_RELAXED);
    agent->busy = 0;
  }
  if (agent->busy) {
    if (agent->slot) __atomic_store_n(&agent->slot->lost, agent->slot->lost + 1, __ATOMIC_RELAXED);
    return false;
  }
  // A signal's handler came in between.
  if (agent->beginning) return false;
  int saved = errno;
  if (agent->forking) {
    if (!lull_is_own_process()) {
      errno = saved;
      return false;
    }
    agent->forking = 0;
  }
  agent->beginning = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (!lull_owner->pid && lull_owner != &nobody) {
    agent->slot = NULL;
    lull_leave(agent);
    agent->off = !begin_process(false);
    lull_arrive(agent);
  }
  if (!agent->slot && !agent->off && lull_owner->pid && lull_has_segments()) begin_thread(agent);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->beginning = 0;
  errno = saved;
  return agent->slot != NULL;
}

bool lull_is_recorded(void) { return lull_joins(&lull_agent) && lull_owner != &nobody; }

void lull_begin_thread(void) {
  if (lull_joins(&lull_agent) && !lull_agent.slot) lull_begin_slowly(&lull_agent);
}

static void end_thread(void *value) {
  struct agent *agent = value;
  struct lull_slot *slot = agent->slot;
  if (!slot || !lull_owner->pid) return;
  if (!lull_is_joined()) return lull_leave(agent);
  // What else is done as a thread ends comes first: libdispatch's main thread goes to sleep there for good.
  if (++agent->ends < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(thread_end, agent) == 0) return;
  lull_end_samples(slot);
  lull_tell(lull_record_thread_end, NULL, lull_thread_time(), slot->call.start,
       slot->call.number | lull_thread_waits() << 32);
  agent->slot = NULL;
  agent->off = 1;
  __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
  lull_leave(agent);
}

void lull_thread_named(const char *name) {
  struct agent *agent = &lull_agent;
  int saved = errno;
  if (lull_joins(agent) && (agent->slot || lull_begin_slowly(agent))) lull_tell(lull_record_name, name, 0, 0, 0);
  errno = saved;
}

// Of LullMarks, which looks for it by its name: a mark is 0, an interval's beginning 1, its end 2.
EXPORT void lull_take_mark(int kind, const char *name, uint64_t identifier) {
#ifdef LULL_AGENT
  // The preloaded library stands behind this one.
  if (lull_next_taker) return lull_next_taker(kind, name, identifier);
#endif
  int saved = errno;
  if (lull_joins(&lull_agent) && (lull_agent.slot || lull_begin_slowly(&lull_agent))) {
    lull_tell(lull_record_mark, name, (uint64_t)kind, identifier, 0);
  }
  errno = saved;
}

// Tells what the process holds and has used: who reads that from outside comes too late. What it read first, which what
// is read here would be among.
static void tell_memory(void) {
  if (!lull_may_call(SYS_openat) || !lull_may_call(SYS_read) || !lull_may_call(SYS_close)) return;
  static const char *const files[] = {"/proc/self/io", "/proc/self/status", "/proc/self/stat"};
  // It may end within a handler of signals that has a small stack.
  static char text[4096];
  static uint32_t is_used;
  if (__atomic_exchange_n(&is_used, 1, __ATOMIC_ACQUIRE)) return;
  size_t length = 0;
  for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
    long file = lull_kernel(SYS_openat, AT_FDCWD, (long)files[index], O_RDONLY | O_CLOEXEC, 0, 0, 0);
    text[length++] = lull_file_begins;
    if (file < 0) continue;
    long count = lull_kernel(SYS_read, file, (long)(text + length), (long)(sizeof text - 2 - length), 0, 0, 0);
    lull_kernel(SYS_close, file, 0, 0, 0, 0, 0);
    if (count > 0) length += (size_t)count;
    if (length > sizeof text - 8) break;
  }
  text[length] = 0;
  if (length > 0) lull_tell(lull_record_memory, text, 0, 0, 0);
  __atomic_store_n(&is_used, 0, __ATOMIC_RELEASE);
}

void lull_process_ends(void) {
  int saved = errno;
  if (lull_is_joined() && lull_agent.slot && lull_owner->pid && !lull_agent.forking) {
    lull_tell_waiting();
    tell_memory();
    struct rusage usage = {0};
    bool is_known = lull_kernel(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0, 0, 0, 0) == 0;
    uint64_t waits = is_known ? (uint64_t)usage.ru_nvcsw : UINT64_MAX;
    lull_tell(lull_record_process_end, NULL, lull_thread_time(), waits, 0);
  }
#ifdef LULL_AGENT
  lull_close_door();
#endif
  errno = saved;
}

void lull_program_ends(void) {
  int saved = errno;
  if (lull_is_joined() && lull_agent.slot && lull_is_own_process()) {
    lull_tell_waiting();
    lull_tell(lull_record_program_end, NULL, lull_thread_time(), lull_thread_waits(), 0);
  }
  errno = saved;
}

#ifndef LULL_AGENT
static int tell_module(struct dl_phdr_info *module, size_t size, void *unused) {
  (void)size, (void)unused;
  char path[4096];
  const char *name = module->dlpi_name;
  if (!*name) {
    long length = lull_kernel(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, sizeof path - 1, 0, 0);
    if (length <= 0) return 0;
    path[length] = 0;
    name = path;
  } else if (*name == '/') {
    // As the kernel would name it.
    if (!realpath(name, path)) return 0;
    name = path;
  }
  for (int index = 0; index < module->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &module->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    uint64_t skipped = header->p_vaddr & (lull_page_bytes - 1);
    lull_tell(lull_record_mapping, name, module->dlpi_addr + header->p_vaddr - skipped, header->p_memsz + skipped,
         header->p_offset - (header->p_offset & (lull_page_bytes - 1)));
  }
  return 0;
}
#endif

bool lull_make_owner(void) {
  long page = lull_kernel(SYS_mmap, 0, lull_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Without it a child could not be told from its parent, whose rings it would write to.
  if ((page <= 0 && page >= -4095) || lull_kernel(SYS_madvise, page, lull_page_bytes, MADV_WIPEONFORK, 0, 0, 0) != 0) {
    return false;
  }
  has_key = pthread_key_create(&thread_end, end_thread) == 0;
  lull_owner = (struct owner *)page;
  return true;
}

#ifndef LULL_AGENT
__attribute__((constructor)) static void begin_program(void) {
  int saved = errno;
  lull_resolve();
  if (lull_find_recorder(getenv(LULL_PRELOAD_FOLDER)) && lull_make_owner()) {
    lull_begin_streams();
    lull_know_code();
    if (begin_process(true)) {
      lull_begin_samples(lull_control->sample_interval);
      begin_thread(&lull_agent);
      dl_iterate_phdr(tell_module, NULL);
      lull_tell_inherited();
    }
  }
  errno = saved;
}
#endif

__attribute__((destructor)) static void end_program(void) { lull_process_ends(); }
