#ifndef LULL_STACKS_H
#define LULL_STACKS_H

/* Where threads wait, send and write: stacks, of which each is told once, as long as it is the same. */
#include "records.h"

#include <bpf/bpf_core_read.h>

/* So many stacks of a thread are known, and each may have one of so many places. */
#define TOLD 32
#define TOLD_PLACES 4

/* A stack that was told, and when. */
struct told {
  __u64 key;
  __u64 time;
};

struct thread {
  struct told told[TOLD];
  /* That of the last wait; 0 for an unknown one. */
  __u64 last;
  /* As many stacks may be told as this lies back, in steps of `stack_pace`. */
  __u64 paid_until;
  /* What the last wait called the kernel with, and how often a stack was looked at in a tick. */
  __u64 last_entry, looked_tick;
  __u32 looked;
  /* Whether a queue was drained in it. */
  __u32 is_draining;
  /* How often a stack was told again since it was not known what has code. */
  __u32 told_early;
  /* When it was last told where it sends. */
  __u64 last_send_stack;
  /* As `paid_until`, of where it writes, where it reads, and of the first stacks of sockets. */
  __u64 writes_paid_until, reads_paid_until, sends_paid_until;
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct thread);
} threads SEC(".maps");

/* By process, as the recorder says. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct lull_kernel_code);
} codes SEC(".maps");

/* A stack is told again after so long, for who sees the recording's end alone. */
static const __u64 stack_age = 5000000000ULL;
/* A thread whose stacks are all different has so many told, which is 4 MB and 1 ms of a CPU a second; after a quiet
   time as many as a second's at once. */
static const __u64 stack_pace = 1000000;
/* Until it is known what has code, a queue's stack is not told from another's: one is told again after 5 ms, which a
   thread does so often at most. */
static const __u64 early_age = 5000000;
#define MOST_TOLD_EARLY 64
static const __u64 stack_burst = 1000000000ULL;
/* Of a thread so often where it sends, writes or reads: 49 times a second, as the recorder's events of call sites have
   it. Where it writes and reads as many as a second's at once: a short program does that of many files. */
static const __u64 site_pace = 20408163;
/* And where it sends to a socket for the first time: 200 of them a second. */
static const __u64 first_send_pace = 5000000;

/* Words at the top of a stack by which it is told from others, and how often as many are looked through for a queue. */
#define WORDS 32
#define QUEUE_PARTS 8
/* So often in a tick the stack itself is looked at where a thread waits in the same call, from the same place, with the
   same stack and frame as before; of a thread that waits faster than 2,000 times a second the others are taken for the
   same. */
#define LOOKS 8

/* What the thread called the kernel with. */
struct entry {
  __u64 ip, sp, bp, call;
};

static __always_inline struct entry entry_of(struct pt_regs *registers) {
  struct entry entry = {};
  if (bpf_core_field_exists(((struct pt_regs___x86 *)0)->orig_ax)) {
    struct pt_regs___x86 *x86 = (void *)registers;
    entry.ip = x86->ip;
    entry.sp = x86->sp;
    entry.bp = x86->bp;
    entry.call = x86->orig_ax;
  } else if (bpf_core_field_exists(((struct pt_regs___arm64 *)0)->syscallno)) {
    struct pt_regs___arm64 *arm64 = (void *)registers;
    entry.ip = arm64->pc;
    entry.sp = arm64->sp;
    entry.bp = arm64->regs[29];
    entry.call = arm64->syscallno;
  }
  return entry;
}

static __always_inline __u64 mix(__u64 sum, __u64 word) {
  return (sum ^ word) * 0x9e3779b97f4a7c15ULL;
}

static __always_inline __u64 is_in(__u64 word, __u64 start, __u64 size) {
  __u64 distance = word - start;
  return (~distance & (distance - size)) >> 63;
}

/* Whether a word lies in the upper part of the addresses, where libraries are (0x7… on x86-64, 0xf… on arm64). */
static __always_inline __u64 is_high(__u64 word) { return ((word >> 44 & 7) + 1) >> 3; }

/* A word that may be the address of code, or 0: of the program itself, or where libraries are. Numbers that count or
   tell times are none. Without a branch, of which the kernel would look at both ways for each word when it takes the
   programs. */
static __always_inline __u64 code_in(__u64 word, __u64 start, __u64 size) {
  return word & -(is_in(word, start, size) | is_high(word));
}

/* The same where it is known what has code. What was loaded since may be high up as well, but for where memory that
   was allocated begins: which that is differs from wait to wait, in words that nobody uses any longer. */
static __always_inline __u64 known_code(
  __u64 word, const struct lull_kernel_code *code, __u64 start, __u64 size
) {
  __u64 step = word >> LULL_KERNEL_CODE_STEP_BITS;
  __u64 is_known = code->steps[step >> 6 & (LULL_KERNEL_CODE_WORDS - 1)] >> (step & 63) & 1;
  __u64 is_odd = ((word & 7) + 7) >> 3;
  return word & -(is_known | is_in(word, start, size) | (is_high(word) & is_odd));
}

/* Where a queue is drained, what tells that queue's stack from another's: the addresses of objects on it, which are
   multiples of 16. 0 where none is. */
static __always_inline __u64 queue_key(__u64 *words, const struct lull_kernel_code *code, __u64 sp) {
  __u64 start = code->drain_start, size = code->drain_size, sum = 0, found = 0;
  if (!size) return 0;
#pragma clang loop unroll(disable)
  for (int part = 0; part < QUEUE_PARTS; part++) {
    if (bpf_probe_read_user(words, WORDS * sizeof *words, (void *)(sp + part * WORDS * sizeof *words))) break;
#pragma clang loop unroll(disable)
    for (int at = 0; at < WORDS; at++) {
      __u64 word = words[at];
      found |= is_in(word, start, size);
      sum = mix(sum, word & -(((word & 15) - 1) >> 63));
    }
  }
  return (sum | 1) & -found;
}

static __always_inline const struct lull_kernel_code *code_of(const struct task_struct *task) {
  __u32 pid = task->tgid;
  return bpf_map_lookup_elem(&codes, &pid);
}

/* Two calls with equal registers, and equal addresses at the top of the stack, have the same stack. */
static __always_inline __u64 key_of(
  const struct task_struct *task, const struct entry *entry, const struct lull_kernel_code *code, bool *is_draining
) {
  struct mm_struct *memory = task->mm;
  *is_draining = false;
  if (!memory) return 1;
  __u64 start = memory->start_code, size = memory->end_code - start;
  __u64 words[WORDS];
  /* In four sums, since each step waits for the one before. */
  __u64 sums[4] = {mix(1, entry->ip), mix(2, entry->sp), mix(3, entry->bp), mix(4, entry->call)};
  if (bpf_probe_read_user(words, sizeof words, (void *)entry->sp) == 0) {
    if (code) {
#pragma clang loop unroll(disable)
      for (int at = 0; at < WORDS; at += 4) {
        sums[0] = mix(sums[0], known_code(words[at], code, start, size));
        sums[1] = mix(sums[1], known_code(words[at + 1], code, start, size));
        sums[2] = mix(sums[2], known_code(words[at + 2], code, start, size));
        sums[3] = mix(sums[3], known_code(words[at + 3], code, start, size));
      }
    } else {
#pragma clang loop unroll(disable)
      for (int at = 0; at < WORDS; at += 4) {
        sums[0] = mix(sums[0], code_in(words[at], start, size));
        sums[1] = mix(sums[1], code_in(words[at + 1], start, size));
        sums[2] = mix(sums[2], code_in(words[at + 2], start, size));
        sums[3] = mix(sums[3], code_in(words[at + 3], start, size));
      }
    }
  }
  __u64 queue = code ? queue_key(words, code, entry->sp) : 0;
  *is_draining = queue != 0;
  __u64 sum = mix(mix(mix(mix(sums[0], sums[1]), sums[2]), sums[3]), queue);
  return sum ^ sum >> 32;
}

static __always_inline void copy_stack(struct lull_kernel_stack_record *record, __u64 sp) {
  /* What is on the page's rest may be all that there is. */
  __u32 first = 4096 - (sp & 4095);
  if (first > LULL_KERNEL_STACK_BYTES) first = LULL_KERNEL_STACK_BYTES;
  record->sizes.stack = 0;
  if (bpf_probe_read_user(record->stack, LULL_KERNEL_STACK_BYTES, (void *)sp) == 0) {
    record->sizes.stack = LULL_KERNEL_STACK_BYTES;
  } else if (bpf_probe_read_user(record->stack, first, (void *)sp) == 0) {
    record->sizes.stack = first;
  }
}

/* The program's own frame, and two by which the tracepoint calls it. */
#define OWN_FRAMES 3

static __always_inline bool tell_stack(
  void *context, struct task_struct *task, struct pt_regs *registers, __u64 sp, __u16 kind, __u64 time
) {
  struct lull_kernel_stack_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) return false;
  begin(&record->head, kind, time);
  record->pid = task->tgid;
  record->tid = task->pid;
  record->sizes.kernel = bpf_get_stack(context, record->kernel, sizeof record->kernel, OWN_FRAMES);
  record->sizes.user = bpf_get_stack(context, record->user, sizeof record->user, BPF_F_USER_STACK);
  __u32 size = bpf_core_type_size(struct pt_regs);
  if (size > LULL_KERNEL_REGISTER_BYTES) size = LULL_KERNEL_REGISTER_BYTES;
  record->sizes.registers = size;
  if (bpf_probe_read_kernel(record->registers, size, registers)) record->sizes.registers = 0;
  copy_stack(record, sp);
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  return true;
}

/* Whether a thread may have another stack told, of those that are paid for as long. */
static __always_inline bool pays(__u64 *paid_until, __u64 pace, __u64 time) {
  __u64 earliest = time - stack_burst;
  if (*paid_until < earliest) *paid_until = earliest;
  if (*paid_until + pace > time) return false;
  *paid_until += pace;
  return true;
}

/* The place of a stack that was told after a time; or else the one that is given up for it, which is the oldest. */
static __always_inline struct told *told_of(struct thread *thread, __u64 key, __u64 oldest, bool *is_told) {
  __u32 first = key & (TOLD - 1) & ~(TOLD_PLACES - 1);
  struct told *oldest_told = &thread->told[first];
  *is_told = false;
#pragma unroll
  for (__u32 at = 0; at < TOLD_PLACES; at++) {
    struct told *told = &thread->told[first + at];
    if (told->key == key && told->time > oldest) {
      *is_told = true;
      return told;
    }
    if (told->time < oldest_told->time) oldest_told = told;
  }
  return oldest_told;
}

/* From when on a stack must have been told to be known. */
static __always_inline __u64 oldest_told(__u64 time) {
  __u32 zero = 0;
  struct lull_kernel_settings *set = bpf_map_lookup_elem(&settings, &zero);
  __u64 oldest = time - stack_age;
  return set && set->since > oldest ? set->since : oldest;
}

/* Tells where a thread sends or writes: the stack, or when it was told. */
static __noinline void tell_site(
  void *context, struct task_struct *task, struct pt_regs *registers, __u16 kind, __u64 time
) {
  struct thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
  if (!thread) return;
  struct entry entry = entry_of(registers);
  bool is_draining, is_told;
  /* That of a wait in the same call is another: it is told of the wait. */
  __u64 key = mix(key_of(task, &entry, code_of(task), &is_draining), kind);
  struct told *told = told_of(thread, key, oldest_told(time), &is_told);
  if (is_told) {
    struct lull_kernel_site_record record;
    begin(&record.head, lull_kernel_site, time);
    record.pid = task->tgid;
    record.tid = task->pid;
    record.stack = told->time;
    tell(&record, sizeof record);
  } else if (tell_stack(context, task, registers, entry.sp, kind, time)) {
    told->key = key;
    told->time = time;
  }
}

/* Finds or tells the stack of a wait that begins: when it was told, or 0. That of a thread that is held in a call is
   another than that of the call's own wait. */
static __always_inline __u64 stack_of(
  void *context, struct task_struct *task, struct thread *thread, bool is_held, __u64 time
) {
  struct pt_regs *registers = (struct pt_regs *)bpf_task_pt_regs(task);
  struct entry entry = entry_of(registers);
  __u64 same = mix(mix(mix(mix(1 + is_held, entry.ip), entry.sp), entry.bp), entry.call);
  __u64 tick = bpf_jiffies64();
  if (thread->looked_tick != tick) {
    thread->looked_tick = tick;
    thread->looked = 0;
  }
  if (same == thread->last_entry && thread->last && thread->last != ~0ULL && thread->looked >= LOOKS &&
      !thread->is_draining) {
    return thread->last;
  }
  thread->last_entry = same;
  thread->looked++;
  bool is_draining, is_told;
  const struct lull_kernel_code *code = code_of(task);
  __u64 key = mix(key_of(task, &entry, code, &is_draining), is_held);
  thread->is_draining = is_draining;
  __u64 oldest = oldest_told(time);
  struct told *told = told_of(thread, key, oldest, &is_told);
  if (is_told) {
    if (code || told->time + early_age > time || thread->told_early >= MOST_TOLD_EARLY) return told->time;
    thread->told_early++;
  }
  __u64 before = is_told ? told->time : 0;
  if (!pays(&thread->paid_until, stack_pace, time)) return before;
  if (!tell_stack(context, task, registers, entry.sp, lull_kernel_stack, time)) return before;
  told->key = key;
  told->time = time;
  return time;
}

#endif
