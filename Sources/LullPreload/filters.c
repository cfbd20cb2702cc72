#include "filters.h"

#include "samples.h"
#include "segments.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/uio.h>

// What the program's own filters over its system calls (seccomp) leave of the library's. A call that the program does
// not make itself may be its end: each filter is run here before it is the kernel's, and the library makes no call
// that it does not let through whatever the arguments.

#if defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

bool lull_is_filtered;
bool lull_clock_traps;

// By numbers; what is beyond them is refused.
enum { most_numbers = 512, most_instructions = 4096, looked_up_descriptors = 256 };
static uint64_t refused[most_numbers / 64];

static bool is_among(const uint64_t *set, long number) {
  return __atomic_load_n(&set[number / 64], __ATOMIC_RELAXED) >> number % 64 & 1;
}

bool lull_is_refused(long number) {
  return lull_agent.silent || number >= most_numbers || is_among(refused, number);
}

void lull_before_prctl(int option, unsigned long first) {
  if (option == PR_SET_TSC && first == PR_TSC_SIGSEGV) lull_clock_traps = true;
}

uint64_t lull_kernel_now(void) {
  struct timespec time = {0, 0};
  // Nothing is told of a thread that may not ask.
  if (!lull_agent.silent) lull_kernel(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec - lull_clock_ahead;
}

// Runs a filter as the kernel does (Documentation/userspace-api/seccomp_filter.rst). Where it looks at more than the
// call's number it may say something else each time.
static bool lets_through(const struct sock_filter *code, unsigned count, uint32_t number) {
  uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};
  for (unsigned at = 0; at < count; at++) {
    const struct sock_filter *step = &code[at];
    uint32_t k = step->k, operand = BPF_SRC(step->code) == BPF_X ? x : k;
    switch (BPF_CLASS(step->code)) {
      case BPF_LD: case BPF_LDX: {
        uint32_t value;
        switch (BPF_MODE(step->code)) {
          case BPF_ABS:
            if (k == offsetof(struct seccomp_data, nr)) value = number;
            else if (k == offsetof(struct seccomp_data, arch)) value = ARCHITECTURE;
            else return false;
            break;
          case BPF_IMM: value = k; break;
          case BPF_MEM: value = memory[k % BPF_MEMWORDS]; break;
          case BPF_LEN: value = sizeof(struct seccomp_data); break;
          default: return false;
        }
        if (BPF_CLASS(step->code) == BPF_LD) a = value;
        else x = value;
        break;
      }
      case BPF_ST: memory[k % BPF_MEMWORDS] = a; break;
      case BPF_STX: memory[k % BPF_MEMWORDS] = x; break;
      case BPF_ALU:
        switch (BPF_OP(step->code)) {
          case BPF_ADD: a += operand; break;
          case BPF_SUB: a -= operand; break;
          case BPF_MUL: a *= operand; break;
          case BPF_DIV:
            if (operand == 0) return false;
            a /= operand;
            break;
          case BPF_AND: a &= operand; break;
          case BPF_OR: a |= operand; break;
          case BPF_XOR: a ^= operand; break;
          case BPF_LSH: a = operand < 32 ? a << operand : 0; break;
          case BPF_RSH: a = operand < 32 ? a >> operand : 0; break;
          case BPF_NEG: a = -a; break;
          default: return false;
        }
        break;
      case BPF_JMP: {
        bool is_true;
        switch (BPF_OP(step->code)) {
          case BPF_JA:
            if (k >= count) return false;
            at += k;
            continue;
          case BPF_JEQ: is_true = a == operand; break;
          case BPF_JGT: is_true = a > operand; break;
          case BPF_JGE: is_true = a >= operand; break;
          case BPF_JSET: is_true = a & operand; break;
          default: return false;
        }
        at += is_true ? step->jt : step->jf;
        break;
      }
      case BPF_RET: return (BPF_RVAL(step->code) == BPF_A ? a : k) == SECCOMP_RET_ALLOW;
      case BPF_MISC:
        if (BPF_MISCOP(step->code) == BPF_TAX) x = a;
        else a = x;
        break;
    }
  }
  return false;
}

static bool copy(void *to, const void *from, size_t count) {
  struct iovec local = {to, count}, remote = {(void *)from, count};
  long pid = lull_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
  return lull_kernel(SYS_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0) == (long)count;
}

// Adds what a filter refuses. One that cannot be read, as the kernel may well be able to, lets nothing through.
static void add_refused(uint64_t *set, const struct sock_fprog *program) {
  static struct sock_filter code[most_instructions];
  static uint32_t is_used;
  struct sock_fprog head = {0, NULL};
  if (__atomic_exchange_n(&is_used, 1, __ATOMIC_ACQUIRE)) {
    memset(set, 0xff, sizeof refused);
    return;
  }
  bool is_known = copy(&head, program, sizeof head) && head.len > 0 && head.len <= most_instructions &&
                  copy(code, head.filter, head.len * sizeof *code);
  for (unsigned number = 0; number < most_numbers; number++) {
    if (!is_known || !lets_through(code, head.len, number)) set[number / 64] |= UINT64_C(1) << number % 64;
  }
  __atomic_store_n(&is_used, 0, __ATOMIC_RELEASE);
}

// Nothing at all may be done for the thread: also the clock traps then, which the kernel keeps from it.
static void fall_silent(struct lull_filtering *filtering) {
  struct agent *agent = &lull_agent;
  lull_pause_samples();
  filtering->slot = agent->slot;
  filtering->busy = agent->busy;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (agent->slot && !filtering->busy) lull_settle(agent);
  agent->slot = NULL;
  agent->silent = 1;
  lull_clock_traps = lull_is_filtered = true;
}

// By what the filter refuses from then on: whatever may be needed is had before.
static void prepare(const uint64_t *set) {
  struct agent *agent = &lull_agent;
  if (!lull_takes_part() || !lull_is_own_process()) return;
  if (is_among(set, SYS_rt_sigreturn) || is_among(set, SYS_timer_delete) || is_among(set, SYS_rt_sigtimedwait)) {
    lull_give_up_samples(lull_sampling_filtered);
  }
  if (is_among(set, SYS_fstat) || is_among(set, SYS_getsockopt)) {
    for (int descriptor = 0; descriptor < looked_up_descriptors; descriptor++) lull_descriptor(descriptor);
  }
  if (agent->slot && is_among(set, SYS_madvise)) lull_take_all_memory(agent->slot);
}

void lull_before_filter(struct lull_filtering *filtering, bool is_strict, const void *program) {
  int saved = errno;
  memcpy(filtering->refused, refused, sizeof refused);
  filtering->is_filtered = lull_is_filtered;
  filtering->clock_traps = lull_clock_traps;
  filtering->is_strict = is_strict;
  filtering->sampling = lull_sampling;
  if (is_strict) {
    fall_silent(filtering);
  } else {
    uint64_t set[most_numbers / 64];
    memcpy(set, refused, sizeof set);
    add_refused(set, program);
    prepare(set);
    memcpy(refused, set, sizeof refused);
    lull_is_filtered = true;
  }
  errno = saved;
}

void lull_after_filter(const struct lull_filtering *filtering, bool is_on) {
  struct agent *agent = &lull_agent;
  if (is_on) {
    bool sees_kinds = lull_may_call(SYS_fstat) || lull_may_call(SYS_newfstatat);
    if (filtering->is_strict || !lull_sees_use() || !sees_kinds) lull_note_filtered();
    return;
  }
  int saved = errno;
  lull_is_filtered = filtering->is_filtered;
  lull_clock_traps = filtering->clock_traps;
  memcpy(refused, filtering->refused, sizeof refused);
  if (filtering->sampling == lull_sampling_on && lull_sampling == lull_sampling_filtered) lull_take_up_samples();
  if (filtering->is_strict) {
    agent->silent = 0;
    agent->slot = filtering->slot;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    agent->busy = filtering->busy;
    lull_resume_samples();
  }
  errno = saved;
}
