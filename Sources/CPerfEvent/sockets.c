#define _GNU_SOURCE
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int lull_sockets_open(int ends) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | (ends ? SOCK_NONBLOCK : 0), NETLINK_SOCK_DIAG);
  if (fd < 0) return -errno;
  struct sockaddr_nl own = {.nl_family = AF_NETLINK};
  if (ends) {
    own.nl_groups = 1u << (SKNLGRP_INET_TCP_DESTROY - 1) | 1u << (SKNLGRP_INET6_TCP_DESTROY - 1);
    int bytes = 1 << 20;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  } else {
    // An answer that does not come must not hold up the recording.
    struct timeval patience = {.tv_usec = 500000};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  if (bind(fd, (struct sockaddr *)&own, sizeof own) < 0) {
    int error = -errno;
    close(fd);
    return error;
  }
  return fd;
}

static void take_counts(struct lull_socket *to, const void *from, size_t length) {
  struct tcp_info info;
  memset(&info, 0, sizeof info);
  memcpy(&info, from, length < sizeof info ? length : sizeof info);
  // Linux 4.19; before that what was acknowledged is known, with a byte for the handshake of who connected.
  if (length < offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans) return;
  to->has_counts = 1;
  to->sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
  to->received = info.tcpi_bytes_received;
  to->segments_out = info.tcpi_segs_out;
  to->segments_in = info.tcpi_segs_in;
}

static int take(struct lull_socket *to, const struct nlmsghdr *header) {
  if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return 0;
  const struct inet_diag_msg *message = NLMSG_DATA(header);
  memset(to, 0, sizeof *to);
  to->cookie = (uint64_t)message->id.idiag_cookie[1] << 32 | message->id.idiag_cookie[0];
  to->inode = message->idiag_inode;
  to->family = message->idiag_family;
  to->state = message->idiag_state;
  to->own_port = ntohs(message->id.idiag_sport);
  to->peer_port = ntohs(message->id.idiag_dport);
  memcpy(to->own, message->id.idiag_src, 16);
  memcpy(to->peer, message->id.idiag_dst, 16);
  const struct rtattr *attribute = (const struct rtattr *)(message + 1);
  int length = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *message));
  for (; RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length))
    if (attribute->rta_type == INET_DIAG_INFO)
      take_counts(to, RTA_DATA(attribute), RTA_PAYLOAD(attribute));
  return 1;
}

long lull_sockets_list(int fd, int family, int protocol, struct lull_socket *sockets, size_t count) {
  static uint32_t sequence;
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } ask = {
      .header = {.nlmsg_len = sizeof ask, .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = ++sequence},
      .request = {.sdiag_family = (uint8_t)family, .sdiag_protocol = (uint8_t)protocol,
                  .idiag_ext = 1 << (INET_DIAG_INFO - 1),
                  // All but TIME_WAIT, which holds no counts.
                  .idiag_states = 0xfff & ~(1u << 6)},
  };
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (sendto(fd, &ask, sizeof ask, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) return -errno;
  size_t found = 0;
  static _Alignas(struct nlmsghdr) char buffer[64 << 10];
  for (;;) {
    ssize_t size = recv(fd, buffer, sizeof buffer, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return -errno;
    if (size == 0) return -EIO;
    size_t left = (size_t)size;
    for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_seq != sequence) continue;
      if (header->nlmsg_type == NLMSG_DONE) return (long)found;
      if (header->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(header);
        return error->error ? error->error : -EIO;
      }
      struct lull_socket one;
      if (!take(&one, header)) continue;
      if (found < count) sockets[found] = one;
      found++;
    }
  }
}

long lull_sockets_ended(int fd, struct lull_socket *sockets, size_t count) {
  size_t found = 0;
  static _Alignas(struct nlmsghdr) char buffer[16 << 10];
  while (found < count) {
    ssize_t size = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN ? (long)found : found > 0 ? (long)found : -errno;
    size_t left = (size_t)size;
    for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, left) && found < count;
         header = NLMSG_NEXT(header, left))
      if (header->nlmsg_type == SOCK_DIAG_BY_FAMILY && take(&sockets[found], header)) found++;
  }
  return (long)found;
}
