#include "stacks.h"

#include "segments.h"

#include <link.h>
#include <sys/uio.h>

// Where the code is that was there as the program began: a bit for each of so many bytes, of addresses modulo the
// whole.
enum { code_step_bits = 21, code_steps = 4096 };
static uint64_t code[code_steps / 64];

static int know_module(struct dl_phdr_info *module, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int index = 0; index < module->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &module->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || header->p_memsz == 0) continue;
    uint64_t start = module->dlpi_addr + header->p_vaddr;
    uint64_t last = (start + header->p_memsz - 1) >> code_step_bits;
    for (uint64_t step = start >> code_step_bits; step <= last; step++) {
      code[step % code_steps / 64] |= UINT64_C(1) << step % 64;
    }
  }
  return 0;
}

void lull_know_code(void) { dl_iterate_phdr(know_module, NULL); }

// Whether a word may be an address that a function goes on at: near code that was there from the start; or else in the
// upper part of the addresses, where libraries are that were loaded later (0x7… on x86-64, 0xf… on arm64), and not
// where what is in memory begins.
static inline bool is_code(uint64_t word) {
  uint64_t step = word >> code_step_bits;
  return code[step % code_steps / 64] >> step % 64 & 1 || ((word >> 44 & 7) == 7 && word & 7);
}

static inline uint64_t mix(uint64_t sum, uint64_t word) { return (sum ^ word) * 0x9e3779b97f4a7c15; }

void lull_begin_stacks(struct agent *agent, struct lull_slot *slot) {
  agent->stack_from = agent->stack_to = 0;
  slot->shared_stacks = 0;
  memset(slot->stack_keys, 0, sizeof slot->stack_keys);
}

// The part of a stack by which it is told from others, and the numbers that one may have.
enum { key_bytes = 1024, candidates = 4 };

struct stack_place lull_place_of(const struct agent *agent, const struct lull_record *record,
    const struct registers *registers, bool is_deep) {
  uint64_t from = registers->values[LULL_STACK_POINTER] & ~7ul, to = from + key_bytes;
  // Beyond its page a stack may end, unless more of it was read before.
  if (from < agent->stack_from || to > agent->stack_to) {
    uint64_t end = (from | (lull_page_bytes - 1)) + 1;
    if (to > end) to = end;
  }
  uint64_t key = mix(mix(is_deep ? 2 : 1, from), record->number | (uint64_t)record->descriptor_kind << 32);
  for (const uint64_t *word = (const uint64_t *)from; word < (const uint64_t *)to; word++) {
    if (is_code(*word)) key = mix(key, *word);
  }
  key ^= key >> 32;
  if (key == 0) key = 1;
  const uint64_t *keys = agent->slot->stack_keys;
  uint8_t first = key % lull_stack_numbers, free = first;
  for (uint8_t index = 0; index < candidates; index++) {
    uint8_t place = (first + index) % lull_stack_numbers;
    if (keys[place] == key) return (struct stack_place){key, place + 1};
    if (keys[free] != 0 && keys[place] == 0) free = place;
  }
  // The one that is given up is as good as any other.
  if (keys[free] != 0) free = (first + (key >> 16) % candidates) % lull_stack_numbers;
  return (struct stack_place){key, free + 1};
}

bool lull_is_written(const struct agent *agent, const struct stack_place *place) {
  return place->number > 0 && agent->slot->stack_keys[place->number - 1] == place->key;
}

bool lull_is_shared(const struct agent *agent, const struct stack_place *place) {
  return lull_is_written(agent, place) &&
         __atomic_load_n(&agent->slot->shared_stacks, __ATOMIC_RELAXED) >> (place->number - 1) & 1;
}

void lull_note_written(struct agent *agent, const struct stack_place *place) {
  struct lull_slot *slot = agent->slot;
  if (lull_is_written(agent, place)) return;
  // The recorder has not seen this one.
  lull_slot_share(slot, place->number, 0);
  slot->stack_keys[place->number - 1] = place->key;
}

bool lull_may_write_stack(struct agent *agent, uint64_t now) {
  // What holds much only stands in the way of what tells more, where the recorder does not come to it.
  uint64_t waiting = agent->head - __atomic_load_n(&agent->slot->tail, __ATOMIC_RELAXED);
  if (now < agent->next_stack || waiting > lull_ring_bytes / 2) return false;
  uint64_t earliest = now - STACK_BURST * STACK_PAUSE;
  if (agent->next_stack < earliest) agent->next_stack = earliest;
  agent->next_stack += STACK_PAUSE;
  return true;
}

static uint32_t stack_bytes(bool is_deep) {
  uint32_t wanted = lull_control ? lull_control->stack_bytes : 0;
  if (is_deep && wanted > 0) return lull_deep_stack_bytes;
  return wanted < lull_page_bytes ? wanted : lull_page_bytes;
}

size_t lull_stack_room(bool is_deep) {
  return sizeof(struct registers) + 8 + ((stack_bytes(is_deep) + 7) & ~7ul);
}

// Notes where the stack has memory: where it grew from what was known of it, or anew where the thread is on another.
static void know_stack(struct agent *agent, uint64_t from, uint64_t to) {
  if (from > agent->stack_to || to < agent->stack_from) {
    agent->stack_from = from;
    agent->stack_to = to;
    return;
  }
  if (from < agent->stack_from) agent->stack_from = from;
  if (to > agent->stack_to) agent->stack_to = to;
}

// Copies what there is of a stack to a place in the ring, and gives how much that is.
static uint64_t copy_stack(struct agent *agent, uint64_t place, uint64_t from, size_t most) {
  size_t offset = place & (lull_ring_bytes - 1);
  size_t first = most < lull_ring_bytes - offset ? most : lull_ring_bytes - offset;
  struct iovec local[2] = {{agent->ring + offset, first}, {agent->ring, most - first}};
  struct iovec remote = {(void *)from, most};
  long copied = lull_kernel(SYS_process_vm_readv, lull_owner->pid, (long)local, 2, (long)&remote, 1, 0);
  return copied > 0 ? (uint64_t)copied : 0;
}

void lull_write_stack(
    struct agent *agent, uint64_t *at, const struct registers *registers, bool is_deep) {
  lull_write_part(agent, at, registers, sizeof *registers);
  uint64_t from = registers->values[LULL_STACK_POINTER];
  size_t most = stack_bytes(is_deep);
  uint64_t place = *at + sizeof(uint64_t);
  uint64_t count = copy_stack(agent, place, from, most);
  if (count > 0) {
    // Of a deep one the rest may be beyond the stack, and given back before the next.
    uint64_t sure = stack_bytes(false);
    know_stack(agent, from, from + (count < sure ? count : sure));
  } else {
    // Where that is not allowed, the page that the stack is on is there in any case.
    count = lull_page_bytes - (from & (lull_page_bytes - 1));
    if (count > most) count = most;
    uint64_t end = place;
    lull_write_part(agent, &end, (const void *)from, count);
  }
  lull_write_part(agent, at, &count, sizeof count);
  *at += (count + 7) & ~7ul;
}

// Writes where another thread waits. It may go on meanwhile, and its stack may be given back: then nothing is told.
static void write_waiting(struct lull_slot *slot) {
  struct agent *agent = &lull_agent;
  uint64_t start = slot->call.start, now = lull_now();
  if (slot == agent->slot || start == 0 || start + NO_WAIT > now) return;
  struct registers registers, again;
  if (!lull_slot_registers(slot, start, registers.values)) return;
  bool is_deep = start + DEEP_WAIT <= now;
  uint32_t size = (uint32_t)((sizeof(struct lull_record) + lull_stack_room(is_deep) + 63) & ~63ul);
  // Of very many threads not all: that the process ends is to find room as well.
  if (agent->head + size - __atomic_load_n(&agent->slot->tail, __ATOMIC_RELAXED) > lull_ring_bytes / 2) return;
  struct lull_record *record = lull_reserve(agent, size, ordinary);
  if (!record) return;
  uint64_t at = agent->head + sizeof *record;
  lull_write_part(agent, &at, &registers, sizeof registers);
  uint64_t count = copy_stack(
      agent, at + sizeof(uint64_t), registers.values[LULL_STACK_POINTER], stack_bytes(is_deep));
  if (count == 0 || !lull_slot_registers(slot, start, again.values)) return;
  lull_write_part(agent, &at, &count, sizeof count);
  at += (count + 7) & ~7ul;
  *record = (struct lull_record){.size = (uint32_t)((at - agent->head + 63) & ~63ul),
                                 .kind = lull_record_waiting,
                                 .parts = lull_part_stack,
                                 .start = now,
                                 .end = now,
                                 .arguments = {(uint64_t)slot->tid, start, 0}};
  lull_publish(agent, record->size);
}

void lull_tell_waiting(void) {
  struct agent *agent = &lull_agent;
  if (agent->busy) return;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  lull_settle(agent);
  lull_each_slot(write_waiting);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
}
