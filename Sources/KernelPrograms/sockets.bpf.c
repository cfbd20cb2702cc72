/* Tells the internet sockets that some processes have open, each with the address by which the kernel's events name
 * it: what /proc tells of a socket, and what those events tell, have nothing else in common. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "../CBPF/include/kernel_records.h"

#include "ends.h"

char LICENSE[] SEC("license") = "GPL";

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
  if (!is_internet(common->skc_family)) return 0;
  struct lull_kernel_open_socket record = {};
  record.inode = file->f_inode->i_ino;
  record.pid = process;
  record.fd = context->fd;
  read_ends(&record, sock);
  bpf_seq_write(context->meta->seq, &record, sizeof record);
  return 0;
}
