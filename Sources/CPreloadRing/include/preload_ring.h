#ifndef LULL_PRELOAD_RING_H
#define LULL_PRELOAD_RING_H

// What the library that is preloaded into programs and the recorder share: the layout of files in the recording's
// folder.
//
// "control" says that a recording goes on, and how; a byte written to the FIFO "wake" has the rings looked at. Each
// process has files "PID-TIME" (segments): a page for the process, and slots, each a page, sums, and a ring that one
// thread writes and the recorder reads. Times are of CLOCK_MONOTONIC, in nanoseconds.

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// The environment variable with the folder's path.
#define LULL_PRELOAD_FOLDER "LULL_PRELOAD_FOLDER"

enum {
  lull_preload_version = 13,
  lull_page_bytes = 4096,
  lull_ring_bytes = 1 << 20,
  // A ring takes memory as it grows, so much at a time.
  lull_ring_step = 64 << 10,
  lull_slots = 32,
  // So many stacks of a thread have a number, from 1 on.
  lull_stack_numbers = 64,
  // What is taken of the stack of a long wait.
  lull_deep_stack_bytes = 16 << 10,
  // What a thread's sockets carried is added up in so many places, of 64 bytes each; the last of them are for what it
  // read of files.
  lull_sums = 256,
  lull_file_sums = 16,
  // Where a slot's ring begins.
  lull_ring_offset = lull_page_bytes + lull_sums * 64,
  lull_segment_bytes = lull_page_bytes + lull_slots * (lull_ring_offset + lull_ring_bytes),
#if defined(__aarch64__)
  // x0…x30, sp, pc: all that perf knows.
  lull_registers = 33,
#else
  // ax, bx, cx, dx, si, di, bp, sp, ip, flags, cs, ss, r8…r15: perf's registers of the mask 0xff0fff, in its order.
  lull_registers = 20,
#endif
};

// The processor's counter, by which the kernel's clock goes on most machines; 0 where it costs no less than that clock.
static inline uint64_t lull_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

struct lull_control {
  uint32_t version;
  // Zeroed when the recording ends while programs run on.
  uint32_t recording;
  // The most that is copied of a stack.
  uint32_t stack_bytes;
  // Its process, which may have been killed.
  int32_t recorder;
  // So much CPU time, in nanoseconds, is between two samples of a thread; 0 where none are wanted.
  uint32_t sample_interval;
  // Whether programs run tests, and are to tell what their runners say of these.
  uint32_t runs_tests;
  // How many nanoseconds a tick of the processor's counter takes, times 2^32; 0 where the clock does not go by it.
  uint64_t tick_scale;
  // The recorder's time namespace, by its inode, and that one's offset of CLOCK_MONOTONIC in nanoseconds: a program may
  // be in another. 0 where the kernel has none.
  uint64_t time_namespace;
  int64_t clock_offset;
  // The library for programs that a program with an agent starts; empty where there is none.
  char library[256];
};

// What a program that links LullAgent has for recorders: a file "PID-NAMESPACE" of one page in a folder of its user's,
// which it has mapped. Who records it has it locked.
#define LULL_DOOR_FOLDER "lull-agents-"

// In a recording's number: it has ended, and the program is to take back what it has for it.
#define LULL_DOOR_OVER 0x80000000u

struct lull_door {
  uint32_t version;
  int32_t pid;
  // 0 while nobody records, else the recording's number.
  uint32_t recording;
  // The number of the last recording that the program took up.
  uint32_t answered;
  // When the recorder asked: before it wrote the number.
  uint64_t asked;
  // Whether the signal of samples, sent by a recorder to a thread that makes no calls, is taken.
  uint32_t takes_signal;
  int32_t recorder;
  // The recording's.
  char folder[256];
};

// The signal of samples: among those for programs, and far from the ends, from where they are taken. What a recorder
// sends with it.
#define LULL_SAMPLE_SIGNAL 47
#define LULL_NUDGE 0x4c756c6c

// Whether a process's threads are sampled, and why not.
enum lull_sampling {
  lull_sampling_unwanted,
  lull_sampling_on,
  // Before Linux 5.9 (on arm64 5.16) a timer's signal may end a call that waits.
  lull_sampling_old_kernel,
  // The program has use for the signal itself.
  lull_sampling_signal_taken,
  // No timer was to be had for a thread.
  lull_sampling_refused,
  // A filter of the program's own (seccomp) refuses what a signal's handler returns by, or what ends a timer.
  lull_sampling_filtered,
};

struct lull_segment {
  uint32_t version;
  // As the process sees itself.
  int32_t pid;
  int32_t parent;
  // 1 where it is a program that begins, 0 where it is a child without one of its own, or a further segment.
  uint32_t is_program;
  uint64_t began;
  // The CPU time of the calling thread until then: of a process without an earlier program that it began with.
  uint64_t processor_before;
  // Whether what the C library's streams read and write is seen.
  uint32_t sees_streams;
  // Of enum lull_sampling; in the first segment it changes as the process goes on.
  uint32_t sampling;
  // What could not be given a ring: threads.
  uint64_t threads_without_ring;
  // When the program was first asked to end by a signal that it takes itself, 0 until then; and by which.
  uint64_t asked_at;
  uint32_t asked_by;
  // Whether a filter of the program's own (seccomp) keeps what its threads do or use from being told.
  uint32_t is_filtered;
};

// The call that a thread is in.
struct lull_open_call {
  uint64_t start;
  uint32_t number;
  uint32_t descriptor;
};

struct lull_slot {
  // 0 where no thread has it.
  uint32_t taken;
  int32_t tid;
  // Bytes ever written.
  uint64_t head;
  // Records that found no room, or came in the middle of another.
  uint64_t lost;
  struct lull_open_call call;
  // The record at the head is whole, but may come to stand for more calls before it is handed over.
  uint32_t has_open_record;
  // How much of the ring has memory.
  uint32_t reserved;
  // The timer on the thread's CPU time, counted from 1; 0 where there is none.
  uint32_t timer;
  // The thread was there before the recording, and has made no call in it yet.
  uint32_t is_unclaimed;
  // Whether its sums have memory; all ones where they cannot.
  uint32_t has_sums;
  uint32_t spare[17];
  // Bytes ever read; the recorder's, and far enough from what the thread writes.
  uint64_t tail;
  uint64_t more_spare[7];
  // The stacks that need not be written again, by the bits of their numbers less one: the recorder says so.
  uint64_t shared_stacks;
  uint64_t last_spare[7];
  // What each stack that has a number is known by; 0 where none has it.
  uint64_t stack_keys[lull_stack_numbers];
  // The registers with which the call that began then waits, from where the stack may be read meanwhile.
  uint64_t registers_of;
  uint64_t registers[lull_registers];
};

// What calls of one kind sent to a socket, received from it or read of a file, that are not told singly.
struct lull_sum {
  // 0 where it is nobody's. The call's flags, how often its descriptor's number had been given to something else, the
  // call's number plus 1, and the descriptor, of 16 bits each.
  uint64_t key;
  // How many calls, and bytes, ever.
  uint64_t count;
  uint64_t bytes;
  // When the last of them ended.
  uint64_t last;
  // When those that are told singly began last, and how many there were since.
  uint64_t since;
  uint32_t singly;
  uint32_t descriptor_kind;
  // As the count, but ahead of the rest while it is being added to.
  uint64_t begun;
  uint64_t spare;
};

enum lull_record_kind {
  lull_record_call = 1,
  // Arguments are its CPU time and how often it has waited.
  lull_record_thread_begin,
  // Arguments are its CPU time, the start of the call that it was in, and that one's number below how often it waited.
  lull_record_thread_end,
  // With the new name as its path.
  lull_record_name,
  // A file that is mapped to be executed: arguments are address, length and offset.
  lull_record_mapping,
  // The process ends by its own doing: arguments are the thread's CPU time, and how often all its threads waited.
  lull_record_process_end,
  // Another program is about to take this one's place, unless more follows: arguments are as where a thread begins.
  lull_record_program_end,
  // A mark, by its name: arguments are 0, or 1 and 2 where it begins and ends an interval, and the interval's number.
  // With lull_mark_line as the first it is what a test runner said.
  lull_record_mark,
  // Where the thread was as its CPU time had gone on for an interval.
  lull_record_sample,
  // A sum whose place another takes: arguments are its key, count and bytes; times are its last.
  lull_record_sum,
  // What the process held and had used as it ended: with /proc's io, status and stat as its path, each behind
  // lull_file_begins.
  lull_record_memory,
  // From where another thread waits as the process ends, or another program is about to take its place: arguments are
  // its id, and the start of the call that it is in.
  lull_record_waiting,
  // A descriptor that a program has as it begins, or of whose opening nothing told, with the kernel's name of it as its
  // path: arguments are its number and in the upper half a regular file's file system (statfs); its mode, of enum
  // lull_descriptor_kind from bit 16 on, and a device's number in the upper half; twice its size, and 1 where it has a
  // name.
  lull_record_descriptor,
  // That was all of them, where the first argument is 1; with the folder that the program works in as its path.
  lull_record_inherited,
  // A call in whose midst a handler of a signal comes, until then. What is left of it is told as a call, if anything
  // is; the last arguments are where the thread's signals come, and of enum lull_sender.
  lull_record_interrupted,
};

// Who sent a signal.
enum lull_sender { lull_sender_unknown, lull_sender_timer, lull_sender_own_process, lull_sender_other_process };

// Among what a process tells of its memory; '\f'.
enum { lull_file_begins = 12 };

// What a test runner said, among marks.
enum { lull_mark_line = 3 };

// What a descriptor is.
enum lull_descriptor_kind {
  lull_descriptor_unknown,
  lull_descriptor_file,
  lull_descriptor_pipe,
  lull_descriptor_device,
  lull_descriptor_local_socket,
  lull_descriptor_tcp,
  lull_descriptor_udp,
  lull_descriptor_other_socket,
  // eventfd, epoll and their like.
  lull_descriptor_event,
  lull_descriptor_terminal,
  lull_descriptor_signals,
  lull_descriptor_timer,
};

// Parts that follow a record, in this order.
enum lull_record_part {
  // Four numbers: the thread's CPU time at its end and at its start, how often it had waited at its end and at its
  // start; all ones for a start where nobody looked.
  lull_part_cpu = 1,
  // A length, and text padded to 8.
  lull_part_path = 2,
  lull_part_second_path = 4,
  // Two socket addresses of 32 bytes each: own, peer; of family 0 where it is not known.
  lull_part_addresses = 8,
  // Registers, the number of bytes, and the stack, padded to 8.
  lull_part_stack = 16,
  // Nothing follows: the descriptor does not let the call wait (O_NONBLOCK, MSG_DONTWAIT).
  lull_part_unblocking = 32,
  // Nothing follows: before it the thread handed something on, by what no other record tells.
  lull_part_handed_on = 64,
};

// A call of no system call's number.
enum lull_number {
  // getaddrinfo.
  lull_number_names = 1 << 16,
  // Another thread's wait is ended: the first argument is what it waits on.
  lull_number_wake,
};

// Where signals come that any thread of the process may take.
#define LULL_PROCESS_SIGNALS 1

// Of a sleep that is over, and nobody knows by when it was to be.
#define LULL_SOMETIME 0xffffffffffffffffull

// Who ended a wait: a thread's id, and below it how long before the wait's end its last wake was, in nanoseconds. 0
// where that is not known, or the wakes are records of their own.
#define LULL_WAKER_SHIFT 40
#define LULL_WAKER_MOST ((UINT64_C(1) << LULL_WAKER_SHIFT) - 1)

// Of a size that is a multiple of 64: it lies whole in the ring, what follows it may go on at the ring's start.
struct lull_record {
  uint32_t size;
  uint8_t kind;
  // The number of the stack that it came from, among those of its thread; 0 where none is known. Without the stack
  // itself it is the one that was last written with that number.
  uint8_t stack;
  uint16_t parts;
  // The system call's number by which the call is known: open is openat, poll is ppoll, a lock is futex.
  uint32_t number;
  uint16_t descriptor_kind;
  // How many more calls like it followed each other until its end: of the same arguments and result, none of them
  // long.
  uint16_t repeats;
  uint64_t start;
  uint64_t end;
  // As the kernel gives it: errors are negative.
  int64_t result;
  // The descriptor; what else matters (open's flags, fcntl's command, the second descriptor, of a message its flags and
  // in the upper half what stands for the other end, where the call names it); the offset. Of a wait on
  // a place in memory that, its error, and who ended it. Of one for a message or a System V semaphore its error. Of
  // one for signals the place at which they come, its error, and of enum lull_sender.
  uint64_t arguments[3];
};

// For who reads: where a slot is, and the ends of its ring.

static inline struct lull_slot *lull_slot_of(void *segment, uint32_t index) {
  uint64_t slot_bytes = lull_ring_offset + lull_ring_bytes;
  return (struct lull_slot *)((uint8_t *)segment + lull_page_bytes + index * slot_bytes);
}

static inline struct lull_sum *lull_sums_of(struct lull_slot *slot) {
  return (struct lull_sum *)((uint8_t *)slot + lull_page_bytes);
}

// Copies a sum as it is now; 0 where it is nobody's, or just being changed.
static inline int lull_read_sum(const struct lull_sum *sum, struct lull_sum *copy) {
  copy->key = __atomic_load_n(&sum->key, __ATOMIC_ACQUIRE);
  copy->count = __atomic_load_n(&sum->count, __ATOMIC_ACQUIRE);
  copy->bytes = __atomic_load_n(&sum->bytes, __ATOMIC_ACQUIRE);
  copy->last = __atomic_load_n(&sum->last, __ATOMIC_RELAXED);
  copy->descriptor_kind = __atomic_load_n(&sum->descriptor_kind, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return copy->key && __atomic_load_n(&sum->begun, __ATOMIC_RELAXED) == copy->count &&
         __atomic_load_n(&sum->key, __ATOMIC_RELAXED) == copy->key;
}

static inline uint64_t lull_slot_head(const struct lull_slot *slot) {
  return __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE);
}

// Copies the registers of the call that a slot's thread is in; 0 where they are of another.
static inline int lull_slot_registers(const struct lull_slot *slot, uint64_t start, uint64_t *registers) {
  for (int index = 0; index < lull_registers; index++) registers[index] = slot->registers[index];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return slot->registers_of == start && slot->call.start == start;
}

// Reads another process's memory; the number of bytes, or -1.
static inline long lull_read_memory(pid_t pid, uint64_t address, void *to, uint64_t count) {
  struct iovec local = {to, count}, remote = {(void *)(uintptr_t)address, count};
  return syscall(SYS_process_vm_readv, pid, &local, 1ul, &remote, 1ul, 0ul);
}

// For who records a program that links LullAgent.

// Has a door's file for itself, as long as the descriptor is open; 0 where it could.
static inline int lull_door_lock(int file) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  // F_OFD_SETLK
  return fcntl(file, 37, &lock);
}

static inline void lull_door_ask(struct lull_door *door, uint32_t recording) {
  __atomic_store_n(&door->recording, recording, __ATOMIC_RELEASE);
}

static inline uint32_t lull_door_answer(const struct lull_door *door) {
  return __atomic_load_n(&door->answered, __ATOMIC_ACQUIRE);
}

// Ends a recording that goes on.
static inline void lull_door_end(struct lull_door *door, uint32_t recording) {
  __atomic_compare_exchange_n(&door->recording, &recording, recording | LULL_DOOR_OVER, 0, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
}

// Sends a thread the samples' signal; 0 where it could.
static inline long lull_nudge(pid_t pid, pid_t tid, int number) {
  siginfo_t information = {.si_signo = number, .si_code = SI_QUEUE};
  information.si_pid = getpid();
  information.si_uid = getuid();
  information.si_value.sival_int = LULL_NUDGE;
  return syscall(SYS_rt_tgsigqueueinfo, pid, tid, number, &information);
}

// Whether a number stands for its stack from now on, or the stack is to be written each time.
static inline void lull_slot_share(struct lull_slot *slot, uint8_t number, int is_shared) {
  uint64_t bit = UINT64_C(1) << (number - 1) % lull_stack_numbers;
  if (is_shared) __atomic_fetch_or(&slot->shared_stacks, bit, __ATOMIC_RELAXED);
  else __atomic_fetch_and(&slot->shared_stacks, ~bit, __ATOMIC_RELAXED);
}

static inline void lull_slot_set_tail(struct lull_slot *slot, uint64_t tail) {
  __atomic_store_n(&slot->tail, tail, __ATOMIC_RELEASE);
}

#endif
