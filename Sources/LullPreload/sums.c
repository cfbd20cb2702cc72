#include "segments.h"

// What is sent and received, by socket, and read, by file: a server does so a hundred thousand times a second, and a
// record for each would cost more than the rest of the recording.

// Of a socket so many transfers of a kind are told singly in so long, so that those that are rare are told exactly; of
// a file, which a program may read a line at a time, fewer.
#define SPAN 100000000
#define SINGLY 4
#define SINGLY_OF_FILE 1
// One that had none for so long makes room for another.
#define IDLE 1000000000

// How often each descriptor's number was given to something else.
static uint16_t generations_of[known_descriptors];

void lull_renew_sums(int descriptor) { __atomic_add_fetch(&generations_of[descriptor], 1, __ATOMIC_RELAXED); }

static bool carries(uint32_t number) {
  switch (number) {
    case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: return true;
    case SYS_pread64: case SYS_preadv: case SYS_preadv2: return true;
    case SYS_write: case SYS_writev: case SYS_sendto: case SYS_sendmsg: return true;
    default: return false;
  }
}

// Tells what is not to be added to any longer.
static bool tell_sum(struct agent *agent, const struct lull_sum *sum) {
  if (sum->count == 0) return true;
  lull_settle(agent);
  struct lull_record *record = lull_reserve(agent, sizeof *record, ordinary);
  if (!record) return false;
  *record = (struct lull_record){
      .size = sizeof *record,
      .kind = lull_record_sum,
      .descriptor_kind = (uint16_t)sum->descriptor_kind,
      .start = sum->last,
      .end = sum->last,
      .arguments = {sum->key, sum->count, sum->bytes}};
  lull_publish(agent, sizeof *record);
  return true;
}

// Gives a place to what a key stands for; false where what it held could not be told.
static bool take_place(struct agent *agent, struct lull_sum *sum, uint64_t key) {
  if (sum->key && !tell_sum(agent, sum)) return false;
  // Who reads in between finds nobody's.
  __atomic_store_n(&sum->key, 0, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  sum->begun = sum->count = sum->bytes = sum->last = sum->since = 0;
  sum->singly = 0;
  __atomic_store_n(&sum->key, key, __ATOMIC_RELEASE);
  return true;
}

// The place of a socket; nothing where all that it may have are in use.
static struct lull_sum *sum_of_socket(struct agent *agent, uint64_t key, uint64_t now) {
  enum { tries = 4, places = lull_sums - lull_file_sums };
  struct lull_sum *sums = lull_sums_of(agent->slot), *idlest = NULL;
  uint64_t first = key * 0x9e3779b97f4a7c15 >> 32;
  for (uint64_t index = first; index < first + tries; index++) {
    struct lull_sum *sum = &sums[index % places];
    if (likely(sum->key == key)) return sum;
    if (!idlest || sum->since < idlest->since) idlest = sum;
  }
  if (idlest->key && now - idlest->since < IDLE) return NULL;
  return take_place(agent, idlest, key) ? idlest : NULL;
}

// The place of a file. A program that reads many files reads one after the other: the next one takes it at once.
static struct lull_sum *sum_of_file(struct agent *agent, uint64_t key) {
  struct lull_sum *sum = lull_sums_of(agent->slot) + (lull_sums - lull_file_sums) + (key & (lull_file_sums - 1));
  return likely(sum->key == key) || take_place(agent, sum, key) ? sum : NULL;
}

static bool add(struct agent *agent, uint64_t key, uint64_t end, const struct outcome *outcome) {
  bool is_file = outcome->manner & manner_load;
  struct lull_sum *sum = is_file ? sum_of_file(agent, key) : sum_of_socket(agent, key, end);
  if (!sum) return false;
  if (end - sum->since >= SPAN) {
    sum->since = end;
    sum->singly = 0;
    sum->descriptor_kind = lull_descriptors[outcome->descriptor];
  }
  if (sum->singly < (is_file ? SINGLY_OF_FILE : SINGLY)) {
    sum->singly++;
    return false;
  }
  __atomic_store_n(&sum->begun, sum->count + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&sum->bytes, sum->bytes + (uint64_t)outcome->result, __ATOMIC_RELEASE);
  __atomic_store_n(&sum->last, end, __ATOMIC_RELAXED);
  __atomic_store_n(&sum->count, sum->count + 1, __ATOMIC_RELEASE);
  return true;
}

bool lull_add_up(struct agent *agent, uint32_t number, uint64_t end, const struct outcome *outcome) {
  // Where a call names the other end, that is among its flags.
  if (outcome->result <= 0 || outcome->second > UINT16_MAX || !carries(number)) return false;
  if (unlikely(agent->woken) && !(outcome->manner & manner_site)) {
    agent->woken = 0;
    return false;
  }
  if (unlikely(agent->slot->has_sums != 1) && (agent->slot->has_sums || !lull_begin_sums(agent->slot))) return false;
  uint64_t key = outcome->second << 48 | (uint64_t)generations_of[outcome->descriptor] << 32 |
                 (uint64_t)(number + 1) << 16 | (uint64_t)outcome->descriptor;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  bool is_added = add(agent, key, end, outcome);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
  return is_added;
}
