/* Records in the kernel what a target's threads wait for, who wakes them, what they send and receive, and what they do
 * with files.
 *
 * Every switch and wakeup of the target is a record; a stack is one where it was not told before, and of transfers the
 * first few of a socket in a tenth of a second. All others are added up by socket. Of calls that come again and again,
 * as writes of a byte do, the first in a tick of the clock is a record, and one more says how many followed. */
#include "records.h"
#include "stacks.h"
#include "sockets.h"
#include "calls.h"
#include "jobs.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* TASK_DEAD of include/linux/sched.h. */
#define DEAD 0x80
#define INTERRUPTIBLE 0x1
/* By a signal, by who traces it, or as the machine goes to sleep. */
#define STOPPED (0x4 | 0x8 | 0x8000)
/* JOBCTL_TRAP_FREEZE of include/linux/sched/jobctl.h. */
#define FREEZES 0x800000

/* Whether a thread does not wait in the call that it is in, but is held until its process may go on. */
static __always_inline bool is_held(const struct task_struct *task, unsigned int state) {
  return state & STOPPED || (state & INTERRUPTIBLE && task->jobctl & FREEZES);
}

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
        stack = stack_of(ctx, from, thread, is_held(from, from_state), time);
        /* The one that was just told is known to be that of this wait; that none is known is said each time. */
        if (!stack || (stack != thread->last && stack != time)) flags = LULL_KERNEL_OTHER_STACK;
        thread->last = stack;
      } else {
        flags = LULL_KERNEL_OTHER_STACK;
      }
    }
  }
  struct lull_kernel_switch_record record;
  begin(&record.head, lull_kernel_switch, time);
  record.head.flags = flags;
  record.left_pid = left ? from->tgid : 0;
  record.left_tid = left ? from->pid : 0;
  record.arrived_pid = arrived ? to->tgid : 0;
  record.arrived_tid = arrived ? to->pid : 0;
  record.stack = stack;
  /* What the recorder takes for the last stack is not. */
  if (!tell(&record, sizeof record) && thread) thread->last = ~0ULL;
  return 0;
}

/* Bits of include/linux/preempt.h. */
#define SOFT_INTERRUPT 0x100
#define HARD_INTERRUPTS 0xf0000
#define UNMASKABLE_INTERRUPTS 0xf00000

/* In what context this CPU is. On x86 the count that tells is a variable of each CPU, which programs may ask for by
   name only where the kernel keeps the names of its data (CONFIG_KALLSYMS_ALL). They know how far it lies from the
   CPU's run queue, though, which each thread leads to. */
static __always_inline __u32 context_flags(struct task_struct *current, const struct lull_kernel_settings *settings) {
  __u32 count = 0;
  if (bpf_core_field_exists(current->thread_info.preempt.count)) {
    count = current->thread_info.preempt.count;
  } else {
    __u32 cpu = bpf_get_smp_processor_id();
    struct lull_kernel_ring *own = bpf_map_lookup_elem(&rings, &cpu);
    if (!own) return 0;
    if (!own->count_place) {
      /* As a number, which may be reckoned with. */
      __u64 queue = 0;
      bpf_core_read(&queue, sizeof queue, &current->se.cfs_rq->rq);
      own->count_place = queue + settings->from_queue;
    }
    bpf_probe_read_kernel(&count, sizeof count, (void *)own->count_place);
  }
  return (count & HARD_INTERRUPTS ? 0x08 : 0) | (count & SOFT_INTERRUPT ? 0x10 : 0) |
         (count & UNMASKABLE_INTERRUPTS ? 0x40 : 0);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task) {
  __u32 zero = 0;
  struct lull_kernel_settings *set = bpf_map_lookup_elem(&settings, &zero);
  if (!set || !is_target(task)) return 0;
  struct lull_kernel_waking_record record;
  struct task_struct *current = bpf_get_current_task_btf();
  begin(&record.head, lull_kernel_waking, bpf_ktime_get_ns());
  record.head.flags = context_flags(current, set);
  record.pid = task->tgid;
  record.tid = task->pid;
  record.maker_pid = current->tgid;
  record.maker_tid = current->pid;
  tell(&record, sizeof record);
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
