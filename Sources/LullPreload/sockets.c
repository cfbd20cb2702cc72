#include "interpose.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What is sent and received, and connections.

ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);

#define SENDS(name, parameters, arguments, number, message_flags) \
  TIMED(ssize_t, name, parameters, arguments, number, fd, false, .manner = manner_site, \
        .second = (uint32_t)(message_flags))
#define RECEIVES(name, parameters, arguments, number, message_flags) \
  TIMED(ssize_t, name, parameters, arguments, number, fd, false, .second = (uint32_t)(message_flags))

// What stands for whom a datagram goes to or comes from, where its call says so; 0 where it does not.
static uint32_t mark_of(const void *peer, socklen_t size) {
  struct sockaddr_in6 name;
  if (!peer || size < sizeof(struct sockaddr_in)) return 0;
  memcpy(&name, peer, size < sizeof name ? size : sizeof name);
  uint64_t words[3] = {(uint64_t)name.sin6_family << 16 | name.sin6_port};
  if (name.sin6_family == AF_INET) {
    words[1] = ((const struct sockaddr_in *)(const void *)&name)->sin_addr.s_addr;
  } else if (name.sin6_family == AF_INET6 && size >= sizeof name) {
    memcpy(&words[1], &name.sin6_addr, 16);
  } else {
    return 0;
  }
  uint64_t mark = 0;
  for (int word = 0; word < 3; word++) mark = ((mark ^ words[word]) * 0x9e3779b97f4a7c15) ^ mark >> 32;
  return (uint32_t)(mark >> 32) ? (uint32_t)(mark >> 32) : 1;
}

// The marks of which the names were told, each at a place that follows from it: one that lost its place is told again.
enum { known_marks = 1 << 10 };
static uint32_t marks[known_marks];

// Whether the name behind a mark is to be told with the call.
static bool is_new(uint32_t mark) {
  if (!mark) return false;
#ifdef LULL_AGENT
  static uint32_t recording;
  if (unlikely(recording != lull_recording())) {
    memset(marks, 0, sizeof marks);
    recording = lull_recording();
  }
#endif
  uint32_t *place = &marks[mark & (known_marks - 1)];
  if (likely(*place == mark)) return false;
  *place = mark;
  return true;
}

// Whether a call that failed had begun to connect: by then the kernel has read the address.
static bool has_tried(int error) {
  switch (error) {
    case EINPROGRESS: case EINTR: case ECONNREFUSED: case ETIMEDOUT: case EHOSTUNREACH: case EHOSTDOWN:
    case ENETUNREACH: case ENETDOWN: case ECONNRESET: case EADDRNOTAVAIL: return true;
    default: return false;
  }
}

// Whether a message's end can be read: what failed may have had none.
static bool tells_end(long result, unsigned flags) {
  return result >= 0 || (flags & MSG_FASTOPEN && has_tried(errno));
}

// Says whom a message goes to or comes from, and with what flags.
static void name_end(struct outcome *outcome, long result, unsigned flags, const void *peer, socklen_t size) {
  uint32_t mark = tells_end(result, flags) ? mark_of(peer, size) : 0;
  outcome->second = flags | (uint64_t)mark << 32;
  if (is_new(mark)) outcome->manner |= manner_named;
  outcome->other_end = mark ? peer : NULL;
}

#define NAMED(name, parameters, arguments, number, how, message_flags, peer, peer_size) \
  EXPORT ssize_t name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, number, fd); \
    ssize_t result = REAL(name) arguments; \
    if (is_told || lull_is_late(&call, number, fd)) { \
      struct outcome outcome = {.result = (long)result, .first = (uint64_t)fd, .descriptor = fd, .manner = how}; \
      if (tells_end(result, (unsigned)(message_flags))) { \
        name_end(&outcome, result, (unsigned)(message_flags), peer, peer_size); \
      } else { \
        outcome.second = (uint32_t)(message_flags); \
      } \
      lull_finish(&call, outcome); \
    } \
    return result; \
  }

DECLARE(send)
SENDS(send, (int fd, const void *from, size_t count, int flags), (fd, from, count, flags), SYS_sendto, flags)
DECLARE(sendto)
NAMED(sendto, (int fd, const void *from, size_t count, int flags, const struct sockaddr *to, socklen_t size),
      (fd, from, count, flags, to, size), SYS_sendto, manner_site, flags, to, size)
DECLARE(sendmsg)
NAMED(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), SYS_sendmsg, manner_site,
      flags, message->msg_name, message->msg_namelen)
DECLARE(recv) RECEIVES(recv, (int fd, void *to, size_t count, int flags), (fd, to, count, flags), SYS_recvfrom, flags)
DECLARE(__recv_chk)
RECEIVES(__recv_chk, (int fd, void *to, size_t count, size_t room, int flags), (fd, to, count, room, flags),
    SYS_recvfrom, flags)
DECLARE(recvfrom)
NAMED(recvfrom, (int fd, void *to, size_t count, int flags, struct sockaddr *from, socklen_t *size),
      (fd, to, count, flags, from, size), SYS_recvfrom, manner_told, flags, from, size ? *size : 0)
DECLARE(__recvfrom_chk)
NAMED(__recvfrom_chk, (int fd, void *to, size_t count, size_t room, int flags, struct sockaddr *from,
    socklen_t *size),
      (fd, to, count, room, flags, from, size), SYS_recvfrom, manner_told, flags, from, size ? *size : 0)
DECLARE(recvmsg)
NAMED(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), SYS_recvmsg, manner_told, flags,
      message->msg_name, message->msg_namelen)

// Several messages at once: their lengths are told by the kernel, in the messages.
static uint64_t lengths(const struct mmsghdr *messages, int count) {
  uint64_t sum = 0;
  for (int index = 0; index < count; index++) sum += messages[index].msg_len;
  return sum;
}

DECLARE(sendmmsg)
TIMED(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags), (fd, messages, count, flags),
    SYS_sendmmsg, fd,
      false, .manner = manner_site, .second = (uint64_t)flags, .third = lengths(messages, result))
DECLARE(recvmmsg)
TIMED(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout),
      (fd, messages, count, flags, timeout), SYS_recvmmsg, fd, false, .second = (uint64_t)flags,
          .third = lengths(messages, result))

// What was to be connected to, where that is an address of the internet and the kernel has read it.
static const void *tried(long result, const void *to, socklen_t size) {
  if (result < 0 && !has_tried(errno)) return NULL;
  return mark_of(to, size) ? to : NULL;
}

// Their addresses are looked up with the record. What a connection that is not there yet, or has failed, was to be
// with is known by the call alone.
#define CONNECTS(name, parameters, arguments, number, made, end) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, number, fd); \
    int result = REAL(name) arguments; \
    if (made) lull_forget_descriptor(result); \
    if (is_told || lull_is_late(&call, number, fd)) { \
      lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)fd, .descriptor = fd, \
          .manner = manner_looked_up, .other_end = end}); \
    } \
    return result; \
  }

DECLARE(connect)
CONNECTS(connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), SYS_connect, false,
    tried(result, to, size))
DECLARE(accept)
CONNECTS(accept, (int fd, struct sockaddr *from, socklen_t *size), (fd, from, size), SYS_accept4, true, NULL)
DECLARE(accept4)
CONNECTS(accept4, (int fd, struct sockaddr *from, socklen_t *size, int flags), (fd, from, size, flags),
    SYS_accept4, true, NULL)
DECLARE(listen) CONNECTS(listen, (int fd, int backlog), (fd, backlog), SYS_listen, false, NULL)

DECLARE(socket)
EXPORT int socket(int domain, int type, int protocol) {
  int result = REAL(socket)(domain, type, protocol);
  lull_forget_descriptor(result);
  return result;
}

// What a call by its number did at a socket.
void lull_tell_socket_call(struct outcome *outcome, long number, const long *words) {
  long result = outcome->result;
  switch (number) {
    case SYS_connect:
      outcome->manner = manner_looked_up;
      outcome->other_end = tried(result, (const void *)words[1], (socklen_t)words[2]);
      return;
#ifdef SYS_accept
    case SYS_accept:
#endif
    case SYS_accept4:
      lull_forget_descriptor((int)result);
      outcome->manner = manner_looked_up;
      return;
    case SYS_listen: outcome->manner = manner_looked_up; return;
    case SYS_sendto: case SYS_recvfrom: {
      bool is_send = number == SYS_sendto;
      unsigned flags = (unsigned)words[3];
      outcome->manner = is_send ? manner_site : manner_told;
      outcome->second = flags;
      if (!tells_end(result, flags)) return;
      const void *peer = (const void *)words[4];
      socklen_t size = !peer ? 0 : is_send ? (socklen_t)words[5] : *(const socklen_t *)words[5];
      return name_end(outcome, result, flags, peer, size);
    }
    case SYS_sendmsg: case SYS_recvmsg: {
      unsigned flags = (unsigned)words[2];
      outcome->manner = number == SYS_sendmsg ? manner_site : manner_told;
      outcome->second = flags;
      if (!tells_end(result, flags)) return;
      const struct msghdr *message = (const void *)words[1];
      return name_end(outcome, result, flags, message->msg_name, message->msg_namelen);
    }
    case SYS_sendmmsg: case SYS_recvmmsg:
      outcome->manner = number == SYS_sendmmsg ? manner_site : manner_told;
      outcome->second = (unsigned)words[3];
      outcome->third = lengths((const void *)words[1], (int)result);
      return;
    default: return;
  }
}

void lull_resolve_sockets(void) {
  FIND(send) FIND(sendto) FIND(sendmsg) FIND(recv) FIND(__recv_chk) FIND(recvfrom) FIND(__recvfrom_chk) FIND(recvmsg)
  FIND(sendmmsg) FIND(recvmmsg) FIND(connect) FIND(accept) FIND(accept4) FIND(listen) FIND(socket)
}
