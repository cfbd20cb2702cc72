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

/* S_IFMT and S_IFSOCK of include/uapi/linux/stat.h. */
#define KIND 0170000
#define SOCKET 0140000

/* Linux 6.2, older than the tracepoints of what sockets send. */
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym;

/* Whether a descriptor is that of an internet socket; false where that cannot be told. Read as the kernel's own types
   are, a tenth as long as by a call for each step. */
static __always_inline bool is_of_internet(struct task_struct *task, __u64 descriptor) {
  struct files_struct *files = task->files;
  struct fdtable *table = files ? files->fdt : NULL;
  if (!table || descriptor >= table->max_fds) return false;
  struct file *address = NULL;
  if (bpf_probe_read_kernel(&address, sizeof address, table->fd + descriptor) || !address) return false;
  struct file *file = bpf_rdonly_cast(address, bpf_core_type_id_kernel(struct file));
  struct inode *inode = file->f_inode;
  if (!inode || (inode->i_mode & KIND) != SOCKET) return false;
  struct socket *socket = bpf_rdonly_cast(file->private_data, bpf_core_type_id_kernel(struct socket));
  struct sock *end = socket->sk;
  return end && is_internet(end->__sk_common.skc_family);
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

SEC("tp_btf/sys_exit")
int BPF_PROG(returned, struct pt_regs *registers, long result) {
  struct task_struct *task = bpf_get_current_task_btf();
  if (!is_target(task)) return 0;
  __u32 zero = 0;
  struct lull_kernel_settings *set = bpf_map_lookup_elem(&settings, &zero);
  if (!set) return 0;
  __u64 number = entry_of(registers).call;
  if (number >= LULL_KERNEL_NUMBERS) return 0;
  bool is_write = is_among(set->repeated, number);
  bool is_spin = false, is_large_read = result >= (long)set->large_read && is_among(set->reads, number);
  if (!is_write && (result < 0 || !is_among(set->calls, number))) {
    /* What comes back at once with nothing (EAGAIN). */
    is_spin = result == -AGAIN || (result == 0 && is_among(set->spins, number));
    if (!is_large_read && !is_spin) return 0;
  }
  __u64 words[4] = {};
  read_words(registers, words);
  struct lull_kernel_repeat *repeat = NULL;
  if (is_write || is_spin) {
    __u32 place = (task->pid & (LULL_KERNEL_REPEATS - 1)) + (is_spin ? LULL_KERNEL_REPEATS : 0);
    repeat = bpf_map_lookup_elem(&repeats, &place);
  }
  __u64 tick = bpf_jiffies64();
  if (repeat) {
    if (repeat->call.tid == task->pid && repeat->tick == tick && repeat->call.number == number &&
        repeat->call.result == result && repeat->call.words[0] == words[0]) {
      repeat->count++;
      return 0;
    }
  }
  /* What goes through a socket is told by the socket. A descriptor's number is told by the first word, but on arm64,
     where it is lost. To ask takes longer than all of the above: a repetition is of the same file, unless another thread
     closed that and a socket took its number within the tick. */
  if (result > 0 && is_among(set->sends, number) && is_of_internet(task, words[0])) return 0;
  if (repeat) {
    /* Another thread has the place. */
    if (repeat->call.tid != task->pid && repeat->tick == tick) repeat = NULL;
  }
  struct lull_kernel_call_record call;
  begin_call(&call, task, registers, is_spin ? lull_kernel_spin : lull_kernel_call, number, result);
  if (repeat) {
    /* How many there were before, of which the recorder may have told some. */
    if (repeat->count) {
      struct lull_kernel_call_record before = repeat->call;
      before.head.flags = repeat->count;
      before.head.kind = is_spin ? lull_kernel_spins : lull_kernel_calls;
      before.generation = repeat->call.generation;
      tell(&before, sizeof before);
    }
    call.generation = repeat->call.generation + 1;
    /* Before its generation: nobody takes the count of the last for its own. */
    *(volatile __u64 *)&repeat->count = 0;
    repeat->call = call;
    repeat->tick = tick;
    tell(&call, sizeof call);
  } else {
    /* What is written after it may be another file of the same number, and is another row. */
    __u32 place = task->pid & (LULL_KERNEL_REPEATS - 1);
    struct lull_kernel_repeat *writes = bpf_map_lookup_elem(&repeats, &place);
    if (writes && writes->call.tid == task->pid) writes->tick = 0;
    if (!is_among(set->paths, number) || !tell_paths(&call, set)) tell(&call, sizeof call);
  }
  /* Of each thread's writes and large reads the stack of the first in a while. */
  if (!is_spin && (is_large_read || is_among(set->stacks, number))) {
    struct thread *thread = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    __u64 *last = thread ? (is_large_read ? &thread->last_load_stack : &thread->last_write_stack) : NULL;
    if (last && call.head.time - *last >= site_pace) {
      *last = call.head.time;
      tell_site(ctx, task, registers, lull_kernel_call_stack, call.head.time);
    }
  }
  return 0;
}

#endif
