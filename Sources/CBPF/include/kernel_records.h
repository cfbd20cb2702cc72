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
typedef int64_t lull_s64;
#endif

/* As the recorder has it, too: a choice that RecordingOptions.stackBytes explains. */
#define LULL_KERNEL_STACK_BYTES 3072
/* The kernel's part of a chain: what names a wait is within a dozen. */
#define LULL_KERNEL_FRAMES 32
#define LULL_KERNEL_USER_FRAMES 127
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
  /* A call into the kernel ended. */
  lull_kernel_call = 7,
  /* One that came back at once with nothing. */
  lull_kernel_spin = 8,
  /* One that named files. */
  lull_kernel_path = 9,
  /* Where a thread writes. */
  lull_kernel_call_stack = 10,
  /* How many calls like the one that was told before followed it, as the next one is told. */
  lull_kernel_calls = 11,
  lull_kernel_spins = 12,
  /* A job of Swift's concurrency runs, has run, is handed over, or a task is made. */
  lull_kernel_job = 13,
  lull_kernel_job_end = 14,
  lull_kernel_job_handed = 15,
  lull_kernel_task = 16,
  /* Where a thread sends or writes, by a stack that was told before. */
  lull_kernel_site = 17,
  /* A call read from a file, and how many such calls of its file followed it: the result is the bytes of all these. */
  lull_kernel_read = 18,
  lull_kernel_reads = 19,
  /* The ends of a UDP socket, before what it carries between them. */
  lull_kernel_ends = 20,
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

/* The stack is that which was told of the thread at that time. */
struct lull_kernel_site_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  lull_u64 stack;
};

struct lull_kernel_transfer_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  lull_u64 socket;
  lull_u16 family, protocol;
  lull_s32 result;
};

/* What comes most often is in a ring of each CPU, of so many bytes; no record of it is longer than the other number, by
   which the last one may reach beyond the ring's end. */
#define LULL_KERNEL_RING_BYTES (2 << 20)
#define LULL_KERNEL_MOST_BYTES 128

struct lull_kernel_ring {
  /* How many bytes were ever written, and read. Each has a line of the cache to itself. */
  lull_u64 head;
  lull_u64 is_busy;
  /* Where the CPU counts the interrupts that it is in; 0 before that was found out. */
  lull_u64 count_place;
  lull_u64 unused[13];
  lull_u64 tail;
  lull_u64 untouched[495];
  lull_u8 records[LULL_KERNEL_RING_BYTES];
  lull_u8 beyond[4096];
};

/* The first four words that it was called with, as the registers have them: rdi, rsi, rdx and r10, or x0 to x3, of
   which the first is the result by then. The flags are how many such calls it stands for. The generation tells one row
   of equal calls from the thread's next. */
struct lull_kernel_call_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  lull_u32 number, generation;
  lull_s64 result;
  lull_u64 words[4];
};

/* A call that comes again with the same number, descriptor and, unless it reads, result within a tick of the clock: so
   many followed the first, which was told. A thread has the place of its number, of each of three sorts. */
#define LULL_KERNEL_REPEATS 8192

enum lull_kernel_sort {
  lull_kernel_of_writes,
  /* What comes back at once with nothing. */
  lull_kernel_of_spins,
  lull_kernel_of_reads,
  lull_kernel_sorts,
};

struct lull_kernel_repeat {
  struct lull_kernel_call_record call;
  lull_u64 tick;
  lull_u64 count;
  /* What those that read brought. */
  lull_u64 bytes;
  /* Which thread was last told that nothing is there (EAGAIN), when that began or went on, and how often in a row. */
  lull_u64 asker, asked_at, asked;
  lull_u64 unused;
};

struct lull_kernel_job_mark {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  lull_u64 job;
};

/* A job as it begins: where it goes on, and of a task who waits for it, the innermost first. */
#define LULL_KERNEL_CALLERS 6

struct lull_kernel_job_record {
  struct lull_kernel_job_mark mark;
  lull_u64 executor, resume;
  lull_u32 flags, unused;
  lull_u64 callers[LULL_KERNEL_CALLERS];
};

#define LULL_KERNEL_PATH_BYTES 256

/* With the paths that it named: how long they are with the byte that ends them, negative where one could not be
   read. */
struct lull_kernel_path_record {
  struct lull_kernel_call_record call;
  lull_s32 sizes[2];
  lull_u8 paths[2][LULL_KERNEL_PATH_BYTES];
};

enum {
  lull_kernel_path_sizes = __builtin_offsetof(struct lull_kernel_path_record, sizes),
  lull_kernel_path_paths = __builtin_offsetof(struct lull_kernel_path_record, paths),
};

/* Numbers of calls, a bit for each. */
#define LULL_KERNEL_NUMBERS 512
typedef lull_u64 lull_kernel_numbers[LULL_KERNEL_NUMBERS / 64];

/* What the programs look up. */
struct lull_kernel_settings {
  /* Something was added up since the recorder set this to 0. */
  lull_u64 has_sums;
  /* Stacks that were told before this moment are told again: a new part of the recording began. */
  lull_u64 since;
  /* Where the count that tells interrupts lies from a CPU's run queue, in bytes. */
  lull_s64 from_queue;
  /* Reads of as many bytes are told. */
  lull_u64 large_read;
  /* Calls that are told where they succeeded, those that are told in any case and are added up, those whose stacks are
     told, those that come back at once with nothing where their result is 0, and those that read. */
  lull_kernel_numbers calls, repeated, stacks, spins, reads;
  /* Of those with nothing, calls that may have waited for it, unless the time that they were given is 0, which the
     third word tells, or the fourth. */
  lull_kernel_numbers third_timeouts, fourth_timeouts;
  /* Calls of which EAGAIN says that they would have to wait, and those that tell that there is something. */
  lull_kernel_numbers attempts, event_waits;
  /* Of those that read, calls whose first word is the descriptor: smaller ones of files are told too, added up. */
  lull_kernel_numbers small_reads;
  /* Calls that may write to a socket, whose first word is its descriptor. */
  lull_kernel_numbers sends;
  /* Calls that name a file: by the first word, or by the second; and those that name two, by the next but one then. */
  lull_kernel_numbers paths, second_path, two_paths;
};

/* Where a process has code: a bit for each 2 MB, of addresses modulo the whole. And the function that runs what is in
   its serial queues. */
#define LULL_KERNEL_CODE_STEP_BITS 21
#define LULL_KERNEL_CODE_WORDS 64

struct lull_kernel_code {
  lull_u64 steps[LULL_KERNEL_CODE_WORDS];
  lull_u64 drain_start, drain_size;
};

#define LULL_KERNEL_SUMS 32768

/* What a process carried at a socket in a direction and was not told singly, since it was seen first; never set
   back. */
struct lull_kernel_sum {
  /* Which that is, in a number; 0 where nobody has the place. */
  lull_u64 key;
  lull_u64 count, bytes;
  /* The first use of it in the last tick of the clock in which it was used, and the number of that tick. */
  lull_u64 last, tick;
  /* Since when `singly` were told. */
  lull_u64 since;
  /* Whether it was ever told where it is sent. */
  lull_u64 has_stack;
  lull_u32 singly;
  lull_s32 tid;
  lull_u64 socket;
  lull_s32 pid;
  lull_u32 is_receive;
  lull_u16 family, protocol;
  lull_u32 unused;
  /* Which other end of a UDP socket was told, in a number; 0 where none was. */
  lull_u64 peer;
  lull_u64 unused_too[3];
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

/* Where a socket of datagrams is told as it is used. */
struct lull_kernel_ends_record {
  struct lull_kernel_head head;
  lull_s32 pid, tid;
  struct lull_kernel_open_socket socket;
};

/* What the programs beside perf's events (transfers.bpf.c) count of a process: all calls, and those that moved
   something over a socket of the internet. */
struct lull_transfer_count {
  lull_u64 calls, transfers, bytes;
};

struct lull_transfer_counts {
  struct lull_transfer_count sends, receives;
};

/* Transfers count from a time on, and until one, by the monotonic clock; all of them where the first is 0. */
struct lull_transfer_window {
  lull_u64 since, until;
};

/* With more processes at once nothing is known to be complete, and samples alone tell. */
#define LULL_TRANSFER_PROCESSES 16384

#endif
