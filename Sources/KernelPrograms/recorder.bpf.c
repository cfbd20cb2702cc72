/* Records in the kernel what a target's threads wait for, who wakes them, and what they send and receive.
 *
 * Every switch and wakeup of the target is a record; a stack is one where it was not told before, and of transfers the
 * first few of a socket in a tenth of a second. All others are added up by socket. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "../CBPF/include/kernel_records.h"

char LICENSE[] SEC("license") = "GPL";

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 16 << 20);
} ring SEC(".maps");

/* The processes that are recorded: a bit for each id that there may be, since each event asks. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, LULL_KERNEL_MOST_IDS / 64);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, __u64);
} targets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct lull_kernel_socket);
  __type(value, struct lull_kernel_sum);
} sums SEC(".maps");

/* Records that found no room in the ring. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} losses SEC(".maps");

struct settings {
  /* Something was added up since the recorder set this to 0. */
  __u64 has_sums;
  /* Stacks that were told before this moment are told again: a new part of the recording began. */
  __u64 since;
  /* Where the count that tells interrupts lies from a CPU's run queue, in bytes. */
  __s64 from_queue;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct settings);
} settings SEC(".maps");

#define TOLD 8

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
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct thread);
} threads SEC(".maps");

/* A stack is told again after so long, for who sees the recording's end alone. */
static const __u64 stack_age = 5000000000ULL;
/* A thread whose stacks are all different has so many told, which is 4 MB and 1 ms of a CPU a second; after a quiet
   time as many as a second's at once. */
static const __u64 stack_pace = 1000000;
static const __u64 stack_burst = 1000000000ULL;
/* Of a socket so often where it is sent: 49 times a second, as the recorder's events of call sites have it. */
static const __u64 send_stack_pace = 20408163;
/* Of a socket so many transfers are told singly in so long. */
static const __u64 span = 100000000;
#define SINGLY 8

/* Words at the top of a stack by which it is told from others. */
#define WORDS 32

static __always_inline bool is_target(struct task_struct *task) {
  __u32 process = task->tgid, place = process / 64;
  __u64 *bits = bpf_map_lookup_elem(&targets, &place);
  return bits && *bits >> process % 64 & 1;
}

static __always_inline void lose(void) {
  __u32 zero = 0;
  __u64 *lost = bpf_map_lookup_elem(&losses, &zero);
  if (lost) __sync_fetch_and_add(lost, 1);
}

static __always_inline void begin(struct lull_kernel_head *head, __u16 kind, __u64 time) {
  head->kind = kind;
  head->cpu = bpf_get_smp_processor_id();
  head->flags = 0;
  head->time = time;
}

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

/* Whether a word may be the address of code: of the program itself, or in the upper part of the addresses, where
   libraries are (0x7… on x86-64, 0xf… on arm64). Numbers that count or tell times are none. */
static __always_inline __u64 code_in(__u64 word, __u64 start, __u64 size) {
  return word - start < size || (word >> 44 & 7) == 7 ? word : 0;
}

/* Two waits with equal registers, and equal addresses at the top of the stack, have the same stack. */
static __always_inline __u64 key_of(const struct task_struct *task, const struct entry *entry) {
  struct mm_struct *memory = task->mm;
  if (!memory) return 1;
  __u64 start = memory->start_code, size = memory->end_code - start;
  __u64 words[WORDS];
  /* In four sums, since each step waits for the one before. */
  __u64 sums[4] = {mix(1, entry->ip), mix(2, entry->sp), mix(3, entry->bp), mix(4, entry->call)};
  if (bpf_probe_read_user(words, sizeof words, (void *)entry->sp) == 0) {
#pragma clang loop unroll(disable)
    for (int at = 0; at < WORDS; at += 4) {
      sums[0] = mix(sums[0], code_in(words[at], start, size));
      sums[1] = mix(sums[1], code_in(words[at + 1], start, size));
      sums[2] = mix(sums[2], code_in(words[at + 2], start, size));
      sums[3] = mix(sums[3], code_in(words[at + 3], start, size));
    }
  }
  __u64 sum = mix(mix(mix(sums[0], sums[1]), sums[2]), sums[3]);
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

/* Whether a thread may have another stack told. */
static __always_inline bool pays(struct thread *thread, __u64 time) {
  __u64 earliest = time - stack_burst;
  if (thread->paid_until < earliest) thread->paid_until = earliest;
  if (thread->paid_until + stack_pace > time) return false;
  thread->paid_until += stack_pace;
  return true;
}

/* Finds or tells the stack of a wait that begins: when it was told, or 0. */
static __always_inline __u64 stack_of(
  void *context, struct task_struct *task, struct thread *thread, __u64 time
) {
  struct pt_regs *registers = (struct pt_regs *)bpf_task_pt_regs(task);
  struct entry entry = entry_of(registers);
  __u64 key = key_of(task, &entry);
  struct told *told = &thread->told[key & (TOLD - 1)];
  __u32 zero = 0;
  struct settings *set = bpf_map_lookup_elem(&settings, &zero);
  __u64 oldest = time - stack_age;
  if (set && set->since > oldest) oldest = set->since;
  if (told->key == key && told->time > oldest) return told->time;
  if (!pays(thread, time)) return 0;
  if (!tell_stack(context, task, registers, entry.sp, lull_kernel_stack, time)) return 0;
  told->key = key;
  told->time = time;
  return time;
}

/* TASK_DEAD of include/linux/sched.h. */
#define DEAD 0x80

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *from, struct task_struct *to, unsigned int from_state) {
  bool left = is_target(from), arrived = from->tgid == to->tgid ? left : is_target(to);
  /* The end of a thread is told by perf's events. */
  if (from_state & DEAD) left = false;
  if (!left && !arrived) return 0;
  __u64 time = bpf_ktime_get_ns();
  __u64 stack = 0;
  __u32 flags = 0;
  struct thread *thread = NULL;
  if (left) {
    if (preempt || !from_state) {
      flags = LULL_KERNEL_PREEMPTED;
    } else {
      thread = bpf_task_storage_get(&threads, from, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
      if (thread) {
        stack = stack_of(ctx, from, thread, time);
        /* The one that was just told is known to be that of this wait; that none is known is said each time. */
        if (!stack || (stack != thread->last && stack != time)) flags = LULL_KERNEL_OTHER_STACK;
        thread->last = stack;
      } else {
        flags = LULL_KERNEL_OTHER_STACK;
      }
    }
  }
  struct lull_kernel_switch_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) {
    lose();
    /* What the recorder takes for the last one is not. */
    if (thread) thread->last = ~0ULL;
    return 0;
  }
  begin(&record->head, lull_kernel_switch, time);
  record->head.flags = flags;
  record->left_pid = left ? from->tgid : 0;
  record->left_tid = left ? from->pid : 0;
  record->arrived_pid = arrived ? to->tgid : 0;
  record->arrived_tid = arrived ? to->pid : 0;
  record->stack = stack;
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  return 0;
}

/* Bits of include/linux/preempt.h. */
#define SOFT_INTERRUPT 0x100
#define HARD_INTERRUPTS 0xf0000
#define UNMASKABLE_INTERRUPTS 0xf00000

/* In what context this CPU is. On x86 the count that tells is a variable of each CPU, which programs may ask for by
   name only where the kernel keeps the names of its data (CONFIG_KALLSYMS_ALL). They know how far it lies from the
   CPU's run queue, though, which each thread leads to. */
static __always_inline __u32 context_flags(struct task_struct *current, const struct settings *settings) {
  __u32 count = 0;
  if (bpf_core_field_exists(current->thread_info.preempt.count)) {
    count = current->thread_info.preempt.count;
  } else {
    /* As a number, which may be reckoned with. */
    __u64 queue = 0;
    bpf_core_read(&queue, sizeof queue, &current->se.cfs_rq->rq);
    bpf_probe_read_kernel(&count, sizeof count, (void *)(queue + settings->from_queue));
  }
  return (count & HARD_INTERRUPTS ? 0x08 : 0) | (count & SOFT_INTERRUPT ? 0x10 : 0) |
         (count & UNMASKABLE_INTERRUPTS ? 0x40 : 0);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task) {
  __u32 zero = 0;
  struct settings *set = bpf_map_lookup_elem(&settings, &zero);
  if (!set || !is_target(task)) return 0;
  struct lull_kernel_waking_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) {
    lose();
    return 0;
  }
  struct task_struct *current = bpf_get_current_task_btf();
  begin(&record->head, lull_kernel_waking, bpf_ktime_get_ns());
  record->head.flags = context_flags(current, set);
  record->pid = task->tgid;
  record->tid = task->pid;
  record->maker_pid = current->tgid;
  record->maker_tid = current->pid;
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child) {
  __u32 process = child->tgid, place = process / 64;
  if (process == parent->tgid || !is_target(parent)) return 0;
  __u64 *bits = bpf_map_lookup_elem(&targets, &place);
  if (bits) __sync_fetch_and_or(bits, 1ULL << process % 64);
  return 0;
}

static __always_inline void tell_transfer(
  struct task_struct *task, struct sock *socket, int result, bool is_receive
) {
  struct lull_kernel_transfer_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) {
    lose();
    return;
  }
  begin(&record->head, is_receive ? lull_kernel_receive : lull_kernel_send, bpf_ktime_get_ns());
  record->pid = task->tgid;
  record->tid = task->pid;
  record->socket = (__u64)socket;
  record->family = socket->__sk_common.skc_family;
  record->protocol = socket->sk_protocol;
  record->result = result;
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* EAGAIN: the program is told to wait. */
#define AGAIN 11

static __always_inline void transferred(
  void *context, struct task_struct *task, struct sock *socket, int result, bool is_receive
) {
  if (result <= 0) {
    if (!is_receive && result < 0 && result != -AGAIN) tell_transfer(task, socket, result, is_receive);
    return;
  }
  struct lull_kernel_socket key = {(__u64)socket, task->tgid, is_receive};
  struct lull_kernel_sum *sum = bpf_map_lookup_elem(&sums, &key);
  if (!sum) {
    struct lull_kernel_sum first = {};
    first.family = socket->__sk_common.skc_family;
    first.protocol = socket->sk_protocol;
    bpf_map_update_elem(&sums, &key, &first, BPF_NOEXIST);
    sum = bpf_map_lookup_elem(&sums, &key);
    if (!sum) {
      tell_transfer(task, socket, result, is_receive);
      return;
    }
  }
  /* The time takes as long to read as all else here, so it is asked for once in a tick. */
  __u64 tick = bpf_jiffies64();
  if (sum->tick != tick) {
    __u64 time = bpf_ktime_get_ns();
    sum->tick = tick;
    sum->last = time;
    if (time - sum->since >= span) {
      sum->since = time;
      sum->singly = 0;
    }
    if (!is_receive && time - sum->last_stack >= send_stack_pace) {
      sum->last_stack = time;
      struct pt_regs *registers = (struct pt_regs *)bpf_task_pt_regs(task);
      struct entry entry = entry_of(registers);
      tell_stack(context, task, registers, entry.sp, lull_kernel_send_stack, time);
      /* A stack is of a transfer that is told. */
      tell_transfer(task, socket, result, is_receive);
      return;
    }
    __u32 zero = 0;
    struct settings *set = bpf_map_lookup_elem(&settings, &zero);
    if (set) set->has_sums = 1;
  }
  if (sum->singly < SINGLY) {
    sum->singly++;
    tell_transfer(task, socket, result, is_receive);
    return;
  }
  sum->tid = task->pid;
  __sync_fetch_and_add(&sum->bytes, result);
  __sync_fetch_and_add(&sum->count, 1);
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sent, struct sock *socket, int result, int flags) {
  struct task_struct *task = bpf_get_current_task_btf();
  if (is_target(task)) transferred(ctx, task, socket, result, false);
  return 0;
}

/* MSG_PEEK takes nothing out of the socket. */
#define PEEK 2

SEC("tp_btf/sock_recv_length")
int BPF_PROG(received, struct sock *socket, int result, int flags) {
  if (flags & PEEK) return 0;
  struct task_struct *task = bpf_get_current_task_btf();
  if (is_target(task)) transferred(ctx, task, socket, result, true);
  return 0;
}
