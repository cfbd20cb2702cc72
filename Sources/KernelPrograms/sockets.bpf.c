/* Tells the internet sockets that some processes have open, each with the address by which the kernel's events name
 * it: what /proc tells of a socket, and what those events tell, have nothing else in common. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "../CBPF/include/kernel_records.h"

char LICENSE[] SEC("license") = "GPL";

/* What is used of the kernel's types here alone: they are known without what is behind ___. */
struct in6_addr {
  __u8 bytes[16];
};

struct sock_common___open {
  __be32 skc_daddr;
  __be32 skc_rcv_saddr;
  __be16 skc_dport;
  __u16 skc_num;
  __u16 skc_family;
  unsigned char skc_state;
  /* Of kernels with IPv6. */
  struct in6_addr skc_v6_daddr;
  struct in6_addr skc_v6_rcv_saddr;
} KERNEL_TYPE;

struct sock___open {
  struct sock_common___open __sk_common;
  __u16 sk_protocol;
} KERNEL_TYPE;

struct seq_file;

struct bpf_iter_meta {
  struct seq_file *seq;
} KERNEL_TYPE;

/* A program that goes through the open files of all processes is told these. */
struct bpf_iter__task_file {
  struct bpf_iter_meta *meta;
  struct task_struct *task;
  __u32 fd;
  struct file *file;
} KERNEL_TYPE;

/* The processes that are asked about. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, LULL_KERNEL_MOST_ASKED);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, __u32);
} asked SEC(".maps");

/* include/linux/socket.h */
#define INTERNET 2
#define INTERNET_6 10

SEC("iter/task_file")
int sockets(struct bpf_iter__task_file *context) {
  struct task_struct *task = context->task;
  struct file *file = context->file;
  if (!task || !file) return 0;
  __u32 process = task->tgid;
  if (!bpf_map_lookup_elem(&asked, &process)) return 0;
  struct socket *socket = bpf_sock_from_file(file);
  if (!socket) return 0;
  struct sock___open *sock = (void *)socket->sk;
  if (!sock) return 0;
  struct sock_common___open *common = &sock->__sk_common;
  struct lull_kernel_open_socket record = {};
  record.family = common->skc_family;
  if (record.family != INTERNET && record.family != INTERNET_6) return 0;
  record.address = (__u64)sock;
  record.inode = file->f_inode->i_ino;
  record.pid = process;
  record.fd = context->fd;
  record.protocol = sock->sk_protocol;
  record.state = common->skc_state;
  record.own_port = common->skc_num;
  record.peer_port = __builtin_bswap16(common->skc_dport);
  if (record.family == INTERNET) {
    bpf_core_read(record.own, 4, &common->skc_rcv_saddr);
    bpf_core_read(record.peer, 4, &common->skc_daddr);
  } else if (bpf_core_field_exists(common->skc_v6_daddr)) {
    bpf_core_read(record.own, 16, &common->skc_v6_rcv_saddr);
    bpf_core_read(record.peer, 16, &common->skc_v6_daddr);
  }
  bpf_seq_write(context->meta->seq, &record, sizeof record);
  return 0;
}
