/* Counts in the kernel what each process of a target sends and receives, while perf's events of it are sampled. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../CBPF/include/kernel_records.h"

char LICENSE[] SEC("license") = "GPL";

/* By process: what it did on each CPU, sends and then receives. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_HASH);
  __uint(max_entries, LULL_TRANSFER_PROCESSES);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __s32);
  __type(value, struct lull_transfer_counts);
} counts SEC(".maps");

/* When transfers of a direction count. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 2);
  __type(key, __u32);
  __type(value, struct lull_transfer_window);
} windows SEC(".maps");

static __always_inline void add(struct sock *socket, int result, __u32 direction, bool moves) {
  __s32 process = bpf_get_current_pid_tgid() >> 32;
  struct lull_transfer_counts *own = bpf_map_lookup_elem(&counts, &process);
  struct lull_transfer_window *window = bpf_map_lookup_elem(&windows, &direction);
  if (!own || !window) return;
  /* To ask for the time takes longer than to count. */
  if (window->since) {
    __u64 time = bpf_ktime_get_ns();
    if (time < window->since || time >= window->until) return;
  }
  /* Nobody else has this CPU's. */
  struct lull_transfer_count *count = direction ? &own->receives : &own->sends;
  count->calls++;
  if (!moves || result <= 0 || !is_internet(socket->__sk_common.skc_family)) return;
  count->transfers++;
  count->bytes += result;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sending, struct sock *socket, int result, int flags) {
  add(socket, result, 0, true);
  return 0;
}

/* MSG_PEEK takes nothing out of the socket. */
#define PEEK 2

SEC("tp_btf/sock_recv_length")
int BPF_PROG(receiving, struct sock *socket, int result, int flags) {
  add(socket, result, 1, !(flags & PEEK));
  return 0;
}

/* What a process in the map creates is in it before it runs. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(following, struct task_struct *parent, struct task_struct *child) {
  __s32 from = parent->tgid, to = child->tgid;
  if (from == to || !bpf_map_lookup_elem(&counts, &from)) return 0;
  struct lull_transfer_counts none = {};
  bpf_map_update_elem(&counts, &to, &none, BPF_NOEXIST);
  return 0;
}
