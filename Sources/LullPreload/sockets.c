#include "interpose.h"

#include <sys/socket.h>
#include <unistd.h>

// What is sent and received, and connections.

ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);

#define SENDS(name, parameters, arguments, number, message_flags) \
  TIMED(ssize_t, name, parameters, arguments, number, fd, false, .manner = manner_site, \
        .second = (uint64_t)(message_flags))
#define RECEIVES(name, parameters, arguments, number, message_flags) \
  TIMED(ssize_t, name, parameters, arguments, number, fd, false, .second = (uint64_t)(message_flags))

DECLARE(send)
SENDS(send, (int fd, const void *from, size_t count, int flags), (fd, from, count, flags), SYS_sendto, flags)
DECLARE(sendto)
SENDS(sendto, (int fd, const void *from, size_t count, int flags, const struct sockaddr *to, socklen_t size),
      (fd, from, count, flags, to, size), SYS_sendto, flags)
DECLARE(sendmsg)
SENDS(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), SYS_sendmsg, flags)
DECLARE(recv) RECEIVES(recv, (int fd, void *to, size_t count, int flags), (fd, to, count, flags), SYS_recvfrom, flags)
DECLARE(__recv_chk)
RECEIVES(__recv_chk, (int fd, void *to, size_t count, size_t room, int flags), (fd, to, count, room, flags),
    SYS_recvfrom, flags)
DECLARE(recvfrom)
RECEIVES(recvfrom, (int fd, void *to, size_t count, int flags, struct sockaddr *from, socklen_t *size),
         (fd, to, count, flags, from, size), SYS_recvfrom, flags)
DECLARE(__recvfrom_chk)
RECEIVES(__recvfrom_chk, (int fd, void *to, size_t count, size_t room, int flags, struct sockaddr *from,
    socklen_t *size),
         (fd, to, count, room, flags, from, size), SYS_recvfrom, flags)
DECLARE(recvmsg)
RECEIVES(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), SYS_recvmsg, flags)

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

// Their addresses are looked up with the record.
#define CONNECTS(name, parameters, arguments, number, made) \
  EXPORT int name parameters { \
    struct call call; \
    bool is_told = lull_begin(&call, number, fd); \
    int result = REAL(name) arguments; \
    if (made) lull_forget_descriptor(result); \
    if (is_told || lull_is_late(&call, number, fd)) { \
      lull_finish(&call, (struct outcome){.result = result, .first = (uint64_t)fd, .descriptor = fd, \
          .manner = manner_looked_up}); \
    } \
    return result; \
  }

DECLARE(connect)
CONNECTS(connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), SYS_connect, false)
DECLARE(accept) CONNECTS(accept, (int fd, struct sockaddr *from, socklen_t *size), (fd, from, size), SYS_accept4, true)
DECLARE(accept4)
CONNECTS(accept4, (int fd, struct sockaddr *from, socklen_t *size, int flags), (fd, from, size, flags),
    SYS_accept4, true)
DECLARE(listen) CONNECTS(listen, (int fd, int backlog), (fd, backlog), SYS_listen, false)

DECLARE(socket)
EXPORT int socket(int domain, int type, int protocol) {
  int result = REAL(socket)(domain, type, protocol);
  lull_forget_descriptor(result);
  return result;
}

void lull_resolve_sockets(void) {
  FIND(send) FIND(sendto) FIND(sendmsg) FIND(recv) FIND(__recv_chk) FIND(recvfrom) FIND(__recvfrom_chk) FIND(recvmsg)
  FIND(sendmmsg) FIND(recvmmsg) FIND(connect) FIND(accept) FIND(accept4) FIND(listen) FIND(socket)
}
