#ifndef LULL_KERNEL_RECORDS_H
#define LULL_KERNEL_RECORDS_H

/* What the programs in the kernel (Sources/KernelPrograms) and the recorder tell each other. Both read this file: the
   programs have no other headers of integers. */
#ifndef LULL_KERNEL_PROGRAM
#include <stdint.h>
typedef uint8_t lull_u8;
typedef uint16_t lull_u16;
typedef uint32_t lull_u32;
typedef uint64_t lull_u64;
typedef int32_t lull_s32;
#endif

/* As the recorder has it, too: a choice that RecordingOptions.stackBytes explains. */
#define LULL_KERNEL_STACK_BYTES 3072
/* The kernel's part of a chain: what names a wait is within a dozen. */
#define LULL_KERNEL_FRAMES 32
#define LULL_KERNEL_USER_FRAMES 64
/* Room for struct pt_regs of x86-64 (168 bytes) and arm64 (up to 352). */
#define LULL_KERNEL_REGISTER_BYTES 352

/* PID_MAX_LIMIT of include/linux/threads.h. */
#define LULL_KERNEL_MOST_IDS (4 << 20)

enum lull_kernel_kind {
  /* A CPU goes from one thread to another, of which either may be none of the target's. */
  lull_kernel_switch = 1,
  /* A thread of the target is woken. */
  lull_kernel_waking = 2,
  /* Where a thread waits, before the switch by which it leaves. */
  lull_kernel_stack = 3,
  /* Where a thread sends. */
  lull_kernel_send_stack = 4,
  /* A call sent or received something, or failed. */
  lull_kernel_send = 5,
  lull_kernel_receive = 6,
};

struct lull_kernel_head {
  lull_u16 kind;
  lull_u16 cpu;
  lull_u32 flags;
  lull_u64 time;
};

/* The thread that leaves still wants its CPU. */
#define LULL_KERNEL_PREEMPTED 1
/* It waits with another stack than at its last wait: that which was told at `stack`, or an unknown one where that
   is 0. */
#define LULL_KERNEL_OTHER_STACK 2

/* Threads that are none of the target's are 0. */
struct lull_kernel_switch_record {
  struct lull_kernel_head head;
  lull_s32 left_pid, left_tid;
  lull_s32 arrived_pid, arrived_tid;
  lull_u64 stack;
};

/* The flags are those of include/linux/trace_events.h: 8 in a hard interrupt, 16 in a soft one. */
struct lull_kernel_waking_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  lull_s32 maker_pid, maker_tid;
};

/* How long its lists are, in bytes; negative where one could not be read. */
struct lull_kernel_stack_sizes {
  lull_s32 kernel, user, registers, stack;
};

struct lull_kernel_stack_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  struct lull_kernel_stack_sizes sizes;
  lull_u64 kernel[LULL_KERNEL_FRAMES];
  lull_u64 user[LULL_KERNEL_USER_FRAMES];
  lull_u8 registers[LULL_KERNEL_REGISTER_BYTES];
  lull_u8 stack[LULL_KERNEL_STACK_BYTES];
};

/* Where its lists begin. */
enum {
  lull_kernel_stack_kernel = __builtin_offsetof(struct lull_kernel_stack_record, kernel),
  lull_kernel_stack_user = __builtin_offsetof(struct lull_kernel_stack_record, user),
  lull_kernel_stack_registers = __builtin_offsetof(struct lull_kernel_stack_record, registers),
  lull_kernel_stack_bytes = __builtin_offsetof(struct lull_kernel_stack_record, stack),
};

struct lull_kernel_transfer_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  lull_u64 socket;
  lull_u16 family, protocol;
  lull_s32 result;
};

/* Whose transfers are added up: a process at a socket. */
struct lull_kernel_socket {
  lull_u64 address;
  lull_u32 pid;
  lull_u32 is_receive;
};

/* What was not told singly, since the socket was seen first; never set back. */
struct lull_kernel_sum {
  lull_u64 count, bytes;
  /* The first use of it in the last tick of the clock in which it was used, and the number of that tick. */
  lull_u64 last, tick;
  /* Since when `singly` were told. */
  lull_u64 since;
  /* When it was last told where it is sent. */
  lull_u64 last_stack;
  lull_u32 singly;
  lull_s32 tid;
  lull_u16 family, protocol;
  lull_u32 unused;
};

/* Of so many processes at once it can be asked which sockets they have. */
#define LULL_KERNEL_MOST_ASKED 16384

/* An internet socket that a process has open; the ports are in the processor's order. */
struct lull_kernel_open_socket {
  /* By which events name it, and by which /proc does. */
  lull_u64 address;
  lull_u64 inode;
  lull_s32 pid, fd;
  lull_u16 family, protocol;
  /* Of include/net/tcp_states.h. */
  lull_u16 state;
  lull_u16 own_port, peer_port;
  lull_u8 own[16], peer[16];
  lull_u8 unused[6];
};

#endif
