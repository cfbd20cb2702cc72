#define _GNU_SOURCE
#include "marks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static socklen_t mark_address(const char *space, pid_t pid, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  // The first byte is zero: an abstract name.
  int length =
      snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "lull-mark-%s%d", space, pid);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int lull_mark_listen(const char *space, pid_t pid) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  struct sockaddr_un address;
  socklen_t length = mark_address(space, pid, &address);
  if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 16) < 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

static void limit_waiting(int fd, int milliseconds) {
  struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int lull_mark_accept(int listener, char *message, size_t size, int *connection, uid_t *sender) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) return -errno;
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  // Whoever connects sends at once; a recorder must not wait for who does not.
  limit_waiting(fd, 100);
  ssize_t count = recv(fd, message, size, 0);
  if (count <= 0) {
    close(fd);
    return -EPROTO;
  }
  *connection = fd;
  *sender = peer.uid;
  return (int)count;
}

void lull_mark_answer(int connection, const char *answer) {
  (void)!send(connection, answer, strlen(answer), MSG_NOSIGNAL);
  close(connection);
}

int lull_mark_send(const char *space, pid_t pid, const char *message, char *answer, size_t size) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  struct sockaddr_un address;
  socklen_t length = mark_address(space, pid, &address);
  limit_waiting(fd, 5000);
  ssize_t count = -1;
  if (connect(fd, (struct sockaddr *)&address, length) == 0 &&
      send(fd, message, strlen(message), MSG_NOSIGNAL) == (ssize_t)strlen(message))
    count = recv(fd, answer, size, 0);
  int error = errno;
  close(fd);
  return count > 0 ? (int)count : count == 0 ? -EPIPE : -error;
}
