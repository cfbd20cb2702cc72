/* What the programs use of the kernel's types, at whatever offsets the running kernel has them: libbpf puts these in
   when it loads the programs (CO-RE), by the kernel's own description of its types. */
#ifndef LULL_KERNEL_H
#define LULL_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef _Bool bool;
enum { false, true };

typedef __u8 lull_u8;
typedef __u16 lull_u16;
typedef __u32 lull_u32;
typedef __u64 lull_u64;
typedef __s32 lull_s32;
typedef __s64 lull_s64;
#define LULL_KERNEL_PROGRAM
#define NULL ((void *)0)

/* include/uapi/linux/bpf.h */
enum {
  BPF_MAP_TYPE_HASH = 1,
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_PERCPU_HASH = 5,
  BPF_MAP_TYPE_RINGBUF = 27,
  BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_NOEXIST = 1 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1024 };
enum { BPF_F_USER_STACK = 256 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
/* The recorder looks into the ring by itself. */
enum { BPF_RB_NO_WAKEUP = 1 };

#define KERNEL_TYPE __attribute__((preserve_access_index))

/* Of arm64. */
struct preempt_state {
  __u32 count;
} KERNEL_TYPE;

struct thread_info {
  struct preempt_state preempt;
} KERNEL_TYPE;

/* The run queue of a CPU is known by its address alone. */
struct rq;

struct cfs_rq {
  struct rq *rq;
} KERNEL_TYPE;

struct sched_entity {
  struct cfs_rq *cfs_rq;
} KERNEL_TYPE;

/* AF_INET and AF_INET6. */
static inline __attribute__((always_inline)) bool is_internet(__u16 family) { return family == 2 || family == 10; }

/* What a descriptor stands for. */
struct socket {
  struct sock *sk;
} KERNEL_TYPE;

struct inode {
  unsigned long i_ino;
  __u16 i_mode;
} KERNEL_TYPE;

struct file {
  struct inode *f_inode;
  void *private_data;
} KERNEL_TYPE;

struct fdtable {
  unsigned int max_fds;
  struct file **fd;
} KERNEL_TYPE;

struct files_struct {
  struct fdtable *fdt;
} KERNEL_TYPE;

/* Where a program lies in its memory. */
struct mm_struct {
  unsigned long start_code, end_code;
} KERNEL_TYPE;

struct task_struct {
  struct thread_info thread_info;
  unsigned long jobctl;
  struct mm_struct *mm;
  struct files_struct *files;
  struct sched_entity se;
  __s32 pid;
  __s32 tgid;
} KERNEL_TYPE;

/* A number of its own for those who ask. */
typedef struct KERNEL_TYPE {
  __s64 counter;
} atomic64_t;

struct sock_common {
  __u16 skc_family;
  atomic64_t skc_cookie;
} KERNEL_TYPE;

struct sock {
  struct sock_common __sk_common;
  __u16 sk_protocol;
} KERNEL_TYPE;

/* A thread's registers as it entered the kernel, of both processors that Lull knows. */
struct pt_regs {
} KERNEL_TYPE;

struct pt_regs___x86 {
  unsigned long ip, sp, bp, orig_ax, di, si, dx, r10;
} KERNEL_TYPE;

struct pt_regs___arm64 {
  __u64 regs[31];
  __u64 sp, pc;
  __s32 syscallno;
} KERNEL_TYPE;

#endif
