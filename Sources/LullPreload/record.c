#include "stacks.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// Records that hold more than a call's numbers, and what descriptors are.

uint64_t lull_thread_time(void) {
  struct timespec time;
  if (lull_kernel(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&time, 0, 0, 0, 0) < 0) return UINT64_MAX;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t lull_thread_waits(void) {
  struct rusage usage;
  if (lull_kernel(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0, 0, 0, 0) < 0) return UINT64_MAX;
  return (uint64_t)usage.ru_nvcsw;
}

uint64_t lull_sites_paid_until[lull_sites];

uint8_t lull_descriptors[known_descriptors];

void lull_know_descriptor(int descriptor, enum lull_descriptor_kind kind) {
  if (descriptor < 0 || descriptor >= known_descriptors) return;
  lull_descriptors[descriptor] = (uint8_t)kind;
  lull_renew_sums(descriptor);
}

void lull_forget_descriptor(int descriptor) { lull_know_descriptor(descriptor, lull_descriptor_unknown); }

void lull_forget_descriptors(unsigned first, unsigned last) {
  for (unsigned descriptor = first; descriptor <= last && descriptor < known_descriptors; descriptor++) {
    lull_forget_descriptor((int)descriptor);
  }
}

static unsigned socket_kind(int descriptor) {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  if (lull_kernel(SYS_getsockopt, descriptor, SOL_SOCKET, SO_DOMAIN, (long)&domain, (long)&size, 0) < 0) {
    return lull_descriptor_other_socket;
  }
  size = sizeof type;
  lull_kernel(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, (long)&type, (long)&size, 0);
  if (domain == AF_UNIX) return lull_descriptor_local_socket;
  if (domain != AF_INET && domain != AF_INET6) return lull_descriptor_other_socket;
  return type == SOCK_STREAM ? lull_descriptor_tcp : lull_descriptor_udp;
}

// Consoles, /dev/tty, pseudo-terminals (Documentation/admin-guide/devices.txt).
static bool is_terminal(unsigned major_number) {
  return major_number == 4 || major_number == 5 || (major_number >= 136 && major_number <= 143);
}

// A program's filter may refuse the one that its C library does not use.
bool lull_stat(int descriptor, struct stat *status) {
  return lull_kernel(SYS_fstat, descriptor, (long)status, 0, 0, 0, 0) == 0 ||
         (!lull_may_call(SYS_fstat) &&
          lull_kernel(SYS_newfstatat, descriptor, (long)"", (long)status, AT_EMPTY_PATH, 0, 0) == 0);
}

static unsigned look_up(int descriptor) {
  struct stat status;
  if (!lull_stat(descriptor, &status)) return lull_descriptor_unknown;
  switch (status.st_mode & S_IFMT) {
    case S_IFREG: case S_IFDIR: return lull_descriptor_file;
    case S_IFIFO: return lull_descriptor_pipe;
    case S_IFSOCK: return socket_kind(descriptor);
    case S_IFCHR: return is_terminal(major(status.st_rdev)) ? lull_descriptor_terminal : lull_descriptor_device;
    case S_IFBLK: return lull_descriptor_device;
    // What has no file behind it has no kind either.
    default: return lull_descriptor_event;
  }
}

unsigned lull_descriptor(int descriptor) {
  if (descriptor < 0) return lull_descriptor_unknown;
  if (descriptor >= known_descriptors) return look_up(descriptor);
  uint8_t *known = &lull_descriptors[descriptor];
  if (*known == lull_descriptor_unknown) *known = (uint8_t)look_up(descriptor);
  return *known;
}

bool lull_finds_socket(int descriptor) {
  unsigned kind = lull_descriptor(descriptor);
  return kind == lull_descriptor_tcp || kind == lull_descriptor_udp;
}

struct addresses {
  uint8_t own[32], peer[32];
};

static void look_up_addresses(int descriptor, struct addresses *addresses) {
  socklen_t size = sizeof addresses->own;
  if (lull_kernel(SYS_getsockname, descriptor, (long)addresses->own, (long)&size, 0, 0, 0) < 0) {
    memset(addresses->own, 0, 32);
  }
  size = sizeof addresses->peer;
  if (lull_kernel(SYS_getpeername, descriptor, (long)addresses->peer, (long)&size, 0, 0, 0) < 0) {
    memset(addresses->peer, 0, 32);
  }
}

static size_t size_of_name(const struct sockaddr *name) {
  return name->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static void take_peer(struct addresses *addresses, const void *name) {
  memset(addresses->peer, 0, sizeof addresses->peer);
  memcpy(addresses->peer, name, size_of_name(name));
}

// Whether a call that took long cannot have waited for its descriptor: it worked, or had no CPU.
static bool is_unblocking(uint32_t number, unsigned kind, const struct outcome *outcome) {
  if (outcome->manner & manner_look) return true;
  switch (kind) {
    case lull_descriptor_pipe: case lull_descriptor_local_socket: case lull_descriptor_tcp: case lull_descriptor_udp:
    case lull_descriptor_other_socket: case lull_descriptor_event: case lull_descriptor_signals:
    case lull_descriptor_timer: break;
    default: return false;
  }
  switch (number) {
    // They wait for another descriptor as well.
    case SYS_sendfile: case SYS_splice: case SYS_copy_file_range: return false;
    case SYS_sendto: case SYS_recvfrom: case SYS_sendmsg: case SYS_recvmsg: case SYS_sendmmsg: case SYS_recvmmsg:
      if (outcome->second & MSG_DONTWAIT) return true;
      break;
    default: break;
  }
  long flags = lull_kernel(SYS_fcntl, (long)outcome->first, F_GETFL, 0, 0, 0, 0);
  return flags >= 0 && flags & O_NONBLOCK;
}

void lull_finish_slowly(struct call *call, uint64_t end, const struct outcome *outcome,
    const struct registers *registers) {
  struct agent *agent = call->agent;
  uint64_t length = end - call->start;
  bool is_long = length >= LONG_WAIT;
  bool is_site = outcome->result > 0 && lull_wants_site(agent, outcome, end);
  bool has_cpu = is_long || call->cpu != UINT64_MAX || end - agent->last_cpu >= CPU_PAUSE;
  if (has_cpu && unlikely(!lull_sees_use())) {
    has_cpu = false;
    agent->last_cpu = end;
  }
  if (outcome->manner & manner_wait && length < NO_WAIT && !has_cpu && !outcome->path) return;
  lull_look_for_recorder(end);
  int saved = errno;
  agent->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  struct lull_record record = {
      .size = sizeof record,
      .kind = outcome->manner & manner_interrupted ? lull_record_interrupted : lull_record_call,
      .number = call->number,
      .descriptor_kind = (uint16_t)(outcome->descriptor >= 0 ? lull_descriptor(outcome->descriptor) : 0),
      .start = call->start,
      .end = end,
      .result = outcome->result,
      .arguments = {outcome->first, outcome->second, outcome->third}};
  if (length >= NO_WAIT && is_unblocking(call->number, record.descriptor_kind, outcome)) {
    record.parts |= lull_part_unblocking;
  }
  uint64_t cpu[4], lengths[2] = {0, 0};
  struct addresses addresses;
  size_t size = sizeof record;
  if (has_cpu) {
    record.parts |= lull_part_cpu;
    cpu[0] = lull_thread_time();
    cpu[1] = call->cpu;
    cpu[2] = lull_thread_waits();
    cpu[3] = call->waits;
    size += sizeof cpu;
    agent->last_cpu = end;
  }
  if (outcome->path && outcome->result >= 0) {
    record.parts |= lull_part_path;
    lengths[0] = strnlen(outcome->path, 4095);
    size += 8 + ((lengths[0] + 7) & ~7ul);
    if (outcome->other_path) {
      record.parts |= lull_part_second_path;
      lengths[1] = strnlen(outcome->other_path, 4095);
      size += 8 + ((lengths[1] + 7) & ~7ul);
    }
  }
  if (outcome->manner & manner_looked_up) {
    int descriptor = call->number == SYS_accept4 ? (int)outcome->result : (int)outcome->first;
    bool is_open = outcome->result >= 0 || outcome->other_end;
    unsigned kind = is_open ? lull_descriptor(descriptor) : lull_descriptor_unknown;
    record.descriptor_kind = (uint16_t)kind;
    if (kind == lull_descriptor_tcp || kind == lull_descriptor_udp) {
      record.parts |= lull_part_addresses;
      memset(&addresses, 0, sizeof addresses);
      look_up_addresses(descriptor, &addresses);
      bool has_peer = ((const struct sockaddr *)(const void *)addresses.peer)->sa_family != AF_UNSPEC;
      if (!has_peer && outcome->other_end) take_peer(&addresses, outcome->other_end);
      size += sizeof addresses;
    }
  }
  if (outcome->manner & (manner_named | manner_found)) {
    record.parts |= lull_part_addresses;
    memset(&addresses, 0, sizeof addresses);
    look_up_addresses(outcome->descriptor, &addresses);
    if (outcome->other_end) take_peer(&addresses, outcome->other_end);
    size += sizeof addresses;
  }
  struct stack_place stack = {0, 0};
  bool may_have_stack = registers && length >= NO_WAIT;
  bool is_deep = length >= DEEP_WAIT;
  if (may_have_stack || is_site) stack = lull_place_of(agent, &record, registers, is_deep);
  record.stack = stack.number;
  bool has_stack = is_site || (may_have_stack && !lull_is_shared(agent, &stack) &&
                               (is_long || lull_may_write_stack(agent, end)));
  if (has_stack) {
    record.parts |= lull_part_stack;
    size += lull_stack_room(is_deep);
    if (outcome->manner & manner_site) lull_pay_site(agent, outcome, end);
  } else if (!lull_is_written(agent, &stack)) {
    record.stack = 0;
  }
  record.size = (uint32_t)((size + 63) & ~63ul);
  if (agent->hands_on) record.parts |= lull_part_handed_on;
  lull_settle(agent);
  struct lull_record *place = lull_reserve(agent, record.size, is_long ? important : ordinary);
  if (place) {
    agent->hands_on = 0;
    *place = record;
    uint64_t at = agent->head + sizeof record;
    if (record.parts & lull_part_cpu) lull_write_part(agent, &at, cpu, sizeof cpu);
    if (record.parts & lull_part_path) {
      lull_write_part(agent, &at, &lengths[0], 8);
      lull_write_part(agent, &at, outcome->path, lengths[0]);
    }
    if (record.parts & lull_part_second_path) {
      lull_write_part(agent, &at, &lengths[1], 8);
      lull_write_part(agent, &at, outcome->other_path, lengths[1]);
    }
    if (record.parts & lull_part_addresses) lull_write_part(agent, &at, &addresses, sizeof addresses);
    if (record.parts & lull_part_stack) {
      lull_write_stack(agent, &at, registers, is_deep);
      lull_note_written(agent, &stack);
      // There may be less of it.
      place->size = (uint32_t)((at - agent->head + 63) & ~63ul);
    }
    lull_publish(agent, place->size);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  agent->busy = 0;
  errno = saved;
}
