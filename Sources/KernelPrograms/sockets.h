#ifndef LULL_SOCKETS_H
#define LULL_SOCKETS_H

/* What is sent and received. */
#include "ends.h"
#include "stacks.h"

#include <bpf/bpf_tracing.h>

/* IPPROTO_UDP, and TCP_ESTABLISHED, which a UDP socket is that is connected. */
#define DATAGRAMS 17
#define ESTABLISHED 1

/* Of a socket so many transfers are told singly in so long. */
static const __u64 span = 100000000;
#define SINGLY 8

static __always_inline void tell_transfer(
  struct task_struct *task, struct sock *socket, int result, bool is_receive, __u64 time
) {
  struct lull_kernel_transfer_record record;
  begin(&record.head, is_receive ? lull_kernel_receive : lull_kernel_send, time);
  record.pid = task->tgid;
  record.tid = task->pid;
  record.socket = (__u64)socket;
  record.family = socket->__sk_common.skc_family;
  record.protocol = socket->sk_protocol;
  record.result = result;
  tell(&record, sizeof record);
}

/* So many places are looked at. */
#define TRIES 4

/* Of a UDP socket what it carries to and from each other end has a place, which `peer` tells. */
static __always_inline struct lull_kernel_sum *sum_of(
  struct task_struct *task, struct sock *socket, bool is_receive, __u64 peer
) {
  /* A number that no other socket ever has, once it was asked for. */
  __u64 cookie = socket->__sk_common.skc_cookie.counter;
  if (!cookie) cookie = bpf_get_socket_cookie(socket);
  __u64 key = mix(mix(mix(1, cookie), peer), (__u64)task->tgid << 1 | is_receive) | 1;
#pragma unroll
  for (__u32 try = 0; try < TRIES; try++) {
    __u32 place = ((key >> 40) + try) & (LULL_KERNEL_SUMS - 1);
    struct lull_kernel_sum *sum = bpf_map_lookup_elem(&sums, &place);
    if (!sum) return NULL;
    if (sum->key == key) return sum;
    if (sum->key == 0 && __sync_val_compare_and_swap(&sum->key, 0, key) == 0) {
      sum->family = socket->__sk_common.skc_family;
      sum->protocol = socket->sk_protocol;
      sum->pid = task->tgid;
      sum->is_receive = is_receive;
      sum->socket = (__u64)socket;
      __u32 word = place / 64;
      __u64 *used = bpf_map_lookup_elem(&used_sums, &word);
      if (used) __sync_fetch_and_or(used, 1ULL << place % 64);
      return sum;
    }
  }
  return NULL;
}

/* Whether it is told where a thread sends. */
static __always_inline bool is_site(struct task_struct *task, struct lull_kernel_sum *sum, __u64 time) {
  struct thread *thread = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!thread) return false;
  bool is_first = !sum->has_stack && pays(&thread->sends_paid_until, first_send_pace, time);
  if (!is_first && time - thread->last_send_stack < site_pace) return false;
  thread->last_send_stack = time;
  sum->has_stack = 1;
  return true;
}

/* Which other end a UDP socket has, in a number: 1 where it is not connected. Tells the ends where they are not those
   that were told last: no event of the kernel's does. */
static __always_inline __u64 datagram_peer(struct task_struct *task, struct sock *socket) {
  struct sock___open *open = (void *)socket;
  struct sock_common___open *common = &open->__sk_common;
  __u64 peer = 1;
  if (common->skc_state == ESTABLISHED) {
    __u64 words[2] = {common->skc_daddr};
    if (common->skc_family == 10 && bpf_core_field_exists(common->skc_v6_daddr)) {
      bpf_core_read(words, sizeof words, &common->skc_v6_daddr);
    }
    peer = mix(mix(mix(1, words[0]), words[1]), (__u64)common->skc_dport << 16 | common->skc_num) | 2;
  }
  /* What the socket was told to be stands where nothing is added up. */
  struct lull_kernel_sum *told = sum_of(task, socket, false, 0);
  if (!told) return peer;
  __u64 tick = bpf_jiffies64();
  if (told->tick != tick) {
    told->tick = tick;
    told->last = bpf_ktime_get_ns();
  }
  if (told->peer == peer) return peer;
  told->peer = peer;
  struct lull_kernel_ends_record record = {};
  begin(&record.head, lull_kernel_ends, bpf_ktime_get_ns());
  record.pid = task->tgid;
  record.tid = task->pid;
  read_ends(&record.socket, open);
  if (!tell(&record, sizeof record)) told->peer = 0;
  return peer;
}

/* EAGAIN: the program is told to wait. */
#define AGAIN 11

static __always_inline void transferred(
  void *context, struct task_struct *task, struct sock *socket, int result, bool is_receive
) {
  if (result <= 0) {
    if (!is_receive && result < 0 && result != -AGAIN) {
      tell_transfer(task, socket, result, is_receive, bpf_ktime_get_ns());
    }
    return;
  }
  bool is_datagrams = socket->sk_protocol == DATAGRAMS && is_internet(socket->__sk_common.skc_family);
  __u64 peer = is_datagrams ? datagram_peer(task, socket) : 0;
  struct lull_kernel_sum *sum = sum_of(task, socket, is_receive, peer);
  if (!sum) {
    /* There is no place left: each is told. */
    tell_transfer(task, socket, result, is_receive, bpf_ktime_get_ns());
    return;
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
    /* Also where this one is told: those that follow in the tick do not say so again. */
    __u32 zero = 0;
    struct lull_kernel_settings *set = bpf_map_lookup_elem(&settings, &zero);
    if (set) set->has_sums = 1;
    if (!is_receive && is_site(task, sum, time)) {
      tell_site(context, task, (struct pt_regs *)bpf_task_pt_regs(task), lull_kernel_send_stack, time);
      /* A stack is of a transfer that is told, and known by its time. */
      tell_transfer(task, socket, result, is_receive, time);
      return;
    }
  }
  if (sum->singly < SINGLY) {
    sum->singly++;
    tell_transfer(task, socket, result, is_receive, bpf_ktime_get_ns());
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

#endif
