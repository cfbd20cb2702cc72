#ifndef LULL_CALLS_H
#define LULL_CALLS_H

/* Calls into the kernel: what is done with files, and what comes back at once with nothing. */
#include "sockets.h"

static __always_inline bool is_among(const __u64 *numbers, __u64 number) {
  return numbers[number / 64 & (LULL_KERNEL_NUMBERS / 64 - 1)] >> number % 64 & 1;
}

/* The registers of the thread as it called, where it was told. */
static __always_inline void read_words(struct pt_regs *registers, __u64 words[4]) {
  if (bpf_core_field_exists(((struct pt_regs___x86 *)0)->orig_ax)) {
    struct pt_regs___x86 *x86 = (void *)registers;
    words[0] = x86->di;
    words[1] = x86->si;
    words[2] = x86->dx;
    words[3] = x86->r10;
  } else if (bpf_core_field_exists(((struct pt_regs___arm64 *)0)->syscallno)) {
    struct pt_regs___arm64 *arm64 = (void *)registers;
    words[0] = arm64->regs[0];
    words[1] = arm64->regs[1];
    words[2] = arm64->regs[2];
    words[3] = arm64->regs[3];
  }
}

/* Tells a call that named files, with the names. */
static __always_inline bool tell_paths(
  struct lull_kernel_call_record *call, const struct lull_kernel_settings *settings
) {
  struct lull_kernel_path_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) return false;
  record->call = *call;
  record->call.head.kind = lull_kernel_path;
  record->sizes[0] = record->sizes[1] = 0;
  bool is_second = is_among(settings->second_path, call->number);
  bool is_rename = is_among(settings->two_paths, call->number);
  __u64 first = is_second ? call->words[1] : call->words[0];
  __u64 second = is_second ? call->words[3] : call->words[1];
  record->sizes[0] = bpf_probe_read_user_str(record->paths[0], LULL_KERNEL_PATH_BYTES, (void *)first);
  if (is_rename) {
    record->sizes[1] = bpf_probe_read_user_str(record->paths[1], LULL_KERNEL_PATH_BYTES, (void *)second);
  }
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  return true;
}

/* S_IFMT, S_IFSOCK and S_IFREG of include/uapi/linux/stat.h. */
#define KIND 0170000
#define SOCKET 0140000
#define REGULAR 0100000

/* Linux 6.2, older than the tracepoints of what sockets send. */
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym;

/* What a descriptor stands for; nothing where that cannot be told. Read as the kernel's own types are, a tenth as long
   as by a call for each step. */
static __always_inline struct file *file_of(struct task_struct *task, __u64 descriptor) {
  struct files_struct *files = task->files;
  struct fdtable *table = files ? files->fdt : NULL;
  if (!table || descriptor >= table->max_fds) return NULL;
  struct file *address = NULL;
  if (bpf_probe_read_kernel(&address, sizeof address, table->fd + descriptor) || !address) return NULL;
  return bpf_rdonly_cast(address, bpf_core_type_id_kernel(struct file));
}

static __always_inline bool is_of_internet(struct task_struct *task, __u64 descriptor) {
  struct file *file = file_of(task, descriptor);
  struct inode *inode = file ? file->f_inode : NULL;
  if (!inode || (inode->i_mode & KIND) != SOCKET) return false;
  struct socket *socket = bpf_rdonly_cast(file->private_data, bpf_core_type_id_kernel(struct socket));
  struct sock *end = socket->sk;
  return end && is_internet(end->__sk_common.skc_family);
}

static __always_inline bool is_of_regular_file(struct task_struct *task, __u64 descriptor) {
  struct file *file = file_of(task, descriptor);
  struct inode *inode = file ? file->f_inode : NULL;
  return inode && (inode->i_mode & KIND) == REGULAR;
}

static __always_inline void begin_call(
  struct lull_kernel_call_record *call, struct task_struct *task, struct pt_regs *registers, __u16 kind, __u64 number,
  __s64 result
) {
  begin(&call->head, kind, bpf_ktime_get_ns());
  call->head.flags = 1;
  call->generation = 0;
  call->pid = task->tgid;
  call->tid = task->pid;
  call->number = number;
  call->result = result;
  read_words(registers, call->words);
}

/* The place of a thread's calls of a sort, which another thread may have too. */
static __always_inline struct lull_kernel_repeat *repeat_of(struct task_struct *task, __u32 sort) {
  __u32 place = (task->pid & (LULL_KERNEL_REPEATS - 1)) + sort * LULL_KERNEL_REPEATS;
  return bpf_map_lookup_elem(&repeats, &place);
}

/* Whether a call is one of a row. */
static __always_inline bool is_in_row(
  const struct lull_kernel_repeat *repeat, struct task_struct *task, __u64 number, __u64 descriptor, __u64 tick
) {
  return repeat->call.tid == task->pid && repeat->tick == tick && repeat->call.number == number &&
         repeat->call.words[0] == descriptor;
}

/* Begins another row with a call, and tells how many there were in the one before, of which the recorder may have told
   some. A row of kind 0 is not told. */
static __always_inline void begin_row(
  struct lull_kernel_repeat *repeat, struct lull_kernel_call_record *call, __u64 tick, __u16 kind_of_rows
) {
  if (repeat->count && repeat->call.head.kind) {
    struct lull_kernel_call_record before = repeat->call;
    before.head.flags = repeat->count;
    before.head.kind = kind_of_rows;
    if (kind_of_rows == lull_kernel_reads) before.result = repeat->bytes;
    tell(&before, sizeof before);
  }
  call->generation = repeat->call.generation + 1;
  /* Before its generation: nobody takes the count of the last for its own. */
  *(volatile __u64 *)&repeat->count = 0;
  *(volatile __u64 *)&repeat->bytes = 0;
  repeat->call = *call;
  repeat->tick = tick;
}

/* What comes after it may be of another file of the same number, and is another row. */
static __always_inline void end_row(struct task_struct *task, __u32 sort) {
  struct lull_kernel_repeat *repeat = repeat_of(task, sort);
  if (repeat && repeat->call.tid == task->pid) repeat->tick = 0;
}

/* A read of little: told where it is of a file, the first of a row by itself, of which it gives the time; else 0. What
   is read of anything else makes a row as well, so that it is not asked each time what it is. */
static __always_inline __u64 tell_small_read(
  struct task_struct *task, struct pt_regs *registers, __u64 number, __s64 result
) {
  __u64 words[4] = {};
  read_words(registers, words);
  struct lull_kernel_repeat *repeat = repeat_of(task, lull_kernel_of_reads);
  if (!repeat) return 0;
  __u64 tick = bpf_jiffies64();
  if (is_in_row(repeat, task, number, words[0], tick)) {
    repeat->bytes += result;
    /* After the bytes: who reads so many calls reads the bytes of no fewer. */
    *(volatile __u64 *)&repeat->count = repeat->count + 1;
    return 0;
  }
  bool is_file = is_of_regular_file(task, words[0]);
  struct lull_kernel_call_record call;
  begin_call(&call, task, registers, is_file ? lull_kernel_read : 0, number, result);
  /* Unless another thread has the place. */
  if (repeat->call.tid == task->pid || repeat->tick != tick) begin_row(repeat, &call, tick, lull_kernel_reads);
  if (!is_file) return 0;
  tell(&call, sizeof call);
  return call.head.time;
}

/* Of each thread's writes and reads of files the stack of some. */
static __always_inline void tell_call_site(
  void *context, struct task_struct *task, struct pt_regs *registers, bool is_read, __u64 time
) {
  struct thread *thread = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!thread) return;
  if (pays(is_read ? &thread->reads_paid_until : &thread->writes_paid_until, site_pace, time)) {
    tell_site(context, task, registers, lull_kernel_call_stack, time);
  }
}

/* Whether a call that found nothing may have waited for it. */
static __always_inline bool may_wait(
  struct pt_regs *registers, const struct lull_kernel_settings *settings, __u64 number
) {
  __u64 words[4] = {};
  read_words(registers, words);
  return (is_among(settings->third_timeouts, number) && (__u32)words[2]) ||
         (is_among(settings->fourth_timeouts, number) && (__u32)words[3]);
}

/* Calls that would have to wait are told from so many in a row on: fewer are how reading until nothing is left ends. */
#define FEWEST_IN_ROW 3
/* Such calls that are further apart are in no row. */
static const __u64 row_time = 10000000;

/* Counts a call that would have to wait, and gives how many are to be told with it. */
static __always_inline __u32 ask(struct lull_kernel_repeat *repeat, struct task_struct *task) {
  __u64 time = bpf_ktime_get_ns();
  if (repeat->asker != (__u32)task->pid || time - repeat->asked_at > row_time) repeat->asked = 0;
  repeat->asker = (__u32)task->pid;
  repeat->asked_at = time;
  repeat->asked++;
  return repeat->asked > FEWEST_IN_ROW ? 1 : repeat->asked < FEWEST_IN_ROW ? 0 : FEWEST_IN_ROW;
}

/* The thread has found something: what it asks for from now on begins another row. */
static __always_inline void found(struct task_struct *task) {
  struct lull_kernel_repeat *repeat = repeat_of(task, lull_kernel_of_spins);
  if (!repeat || !repeat->asked || repeat->asker != (__u32)task->pid) return;
  repeat->asked = 0;
  end_row(task, lull_kernel_of_spins);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(returned, struct pt_regs *registers, long result) {
  struct task_struct *task = bpf_get_current_task_btf();
  if (!is_target(task)) return 0;
  __u32 zero = 0;
  struct lull_kernel_settings *set = bpf_map_lookup_elem(&settings, &zero);
  if (!set) return 0;
  __u64 number = entry_of(registers).call;
  if (number >= LULL_KERNEL_NUMBERS) return 0;
  bool is_attempt = is_among(set->attempts, number);
  if ((is_attempt && result >= 0) || (result > 0 && is_among(set->event_waits, number))) found(task);
  bool is_write = is_among(set->repeated, number);
  bool is_spin = false, is_large_read = result >= (long)set->large_read && is_among(set->reads, number);
  if (!is_write && (result < 0 || !is_among(set->calls, number))) {
    if (result > 0 && !is_large_read && is_among(set->small_reads, number)) {
      __u64 time = tell_small_read(task, registers, number, result);
      if (time) tell_call_site(ctx, task, registers, true, time);
      return 0;
    }
    /* What comes back at once with nothing (EAGAIN). */
    is_spin = ((result == -AGAIN && is_attempt) || (result == 0 && is_among(set->spins, number))) &&
              !may_wait(registers, set, number);
    if (!is_large_read && !is_spin) return 0;
  }
  __u64 words[4] = {};
  read_words(registers, words);
  __u32 sort = is_spin ? lull_kernel_of_spins : lull_kernel_of_writes;
  struct lull_kernel_repeat *repeat = is_write || is_spin ? repeat_of(task, sort) : NULL;
  __u64 tick = bpf_jiffies64();
  if (repeat && is_in_row(repeat, task, number, words[0], tick) && repeat->call.result == result) {
    repeat->count++;
    return 0;
  }
  __u32 count = is_spin && result == -AGAIN && repeat ? ask(repeat, task) : 1;
  if (!count) return 0;
  /* What goes through a socket is told by the socket. A descriptor's number is told by the first word, but on arm64,
     where it is lost. To ask takes longer than all of the above: a repetition is of the same file, unless another
     thread closed that and a socket took its number within the tick. */
  if (result > 0 && is_among(set->sends, number) && is_of_internet(task, words[0])) return 0;
  /* Another thread has the place. */
  if (repeat && repeat->call.tid != task->pid && repeat->tick == tick) repeat = NULL;
  struct lull_kernel_call_record call;
  begin_call(&call, task, registers, is_spin ? lull_kernel_spin : lull_kernel_call, number, result);
  call.head.flags = count;
  if (repeat) {
    begin_row(repeat, &call, tick, is_spin ? lull_kernel_spins : lull_kernel_calls);
    tell(&call, sizeof call);
  } else {
    end_row(task, lull_kernel_of_writes);
    end_row(task, lull_kernel_of_reads);
    if (!is_among(set->paths, number) || !tell_paths(&call, set)) tell(&call, sizeof call);
  }
  if (!is_spin && (is_large_read || is_among(set->stacks, number))) {
    tell_call_site(ctx, task, registers, is_large_read, call.head.time);
  }
  return 0;
}

#endif
