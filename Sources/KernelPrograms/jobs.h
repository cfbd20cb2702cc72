#ifndef LULL_JOBS_H
#define LULL_JOBS_H

/* Jobs of Swift's concurrency. */
#include "calls.h"

/* The arguments of a function of the program that begins. */
static __always_inline void read_arguments(__u64 words[4]) {
  read_words((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), words);
}

static __always_inline void begin_mark(struct lull_kernel_job_mark *mark, __u16 kind, __u64 job) {
  struct task_struct *task = bpf_get_current_task_btf();
  begin(&mark->head, kind, bpf_ktime_get_ns());
  mark->pid = task->tgid;
  mark->tid = task->pid;
  mark->job = job;
}

static __always_inline void tell_mark(__u16 kind, __u64 job) {
  struct lull_kernel_job_mark mark;
  begin_mark(&mark, kind, job);
  tell(&mark, sizeof mark);
}

/* Job and AsyncContext of swift/ABI/Task.h: see ProbeTemplate.concurrency. */
struct job {
  __u32 flags, id;
  __u64 voucher, reserved, resume, context;
};
#define JOB_FLAGS 32
struct async_context {
  __u64 parent, resume;
};

SEC("uprobe")
int job_runs(void *context) {
  struct lull_kernel_job_record record = {};
  __u64 words[4] = {};
  read_arguments(words);
  begin_mark(&record.mark, lull_kernel_job, words[0]);
  record.executor = words[2];
  struct job job = {};
  bpf_probe_read_user(&job, sizeof job, (void *)(words[0] + JOB_FLAGS));
  record.flags = job.flags;
  record.resume = job.resume;
  /* Others than tasks have no context. */
  if (!(job.flags & 0xff)) {
    struct async_context caller = {.parent = job.context};
    for (int depth = 0; depth < LULL_KERNEL_CALLERS && caller.parent; depth++) {
      if (bpf_probe_read_user(&caller, sizeof caller, (void *)caller.parent)) break;
      record.callers[depth] = caller.resume;
    }
  }
  tell(&record, sizeof record);
  return 0;
}

SEC("uprobe")
int job_ran(void *context) {
  tell_mark(lull_kernel_job_end, 0);
  return 0;
}

SEC("uprobe")
int job_handed(void *context) {
  __u64 words[4] = {};
  read_arguments(words);
  tell_mark(lull_kernel_job_handed, words[0]);
  return 0;
}

SEC("uprobe")
int task_made(void *context) {
  tell_mark(lull_kernel_task, 0);
  return 0;
}

#endif
