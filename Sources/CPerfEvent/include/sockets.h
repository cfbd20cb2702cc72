// TCP sockets of this network namespace with what they carried, by NETLINK_SOCK_DIAG, which asks for no privilege.
// Every function that can fail returns a negative errno.
#ifndef LULL_SOCKETS_H
#define LULL_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

struct lull_socket {
  /// Tells a socket from any other there was or will be.
  uint64_t cookie;
  /// As /proc/PID/fd names it; 0 of one that is closed.
  uint32_t inode;
  /// AF_INET or AF_INET6, and the state of include/net/tcp_states.h.
  uint8_t family;
  uint8_t state;
  /// Whether the kernel told what it carried.
  uint8_t has_counts;
  uint16_t own_port;
  uint16_t peer_port;
  uint8_t own[16];
  uint8_t peer[16];
  /// Payload that was sent, less what was sent again, and that was received in order, in bytes; segments of both ways.
  uint64_t sent;
  uint64_t received;
  uint32_t segments_out;
  uint32_t segments_in;
};

/// A socket to ask by; with `ends`, one that is told of each TCP socket as it ends (Linux 4.5).
int lull_sockets_open(int ends);
/// All sockets of an address family and a protocol: how many there are, of which `count` at most are stored.
long lull_sockets_list(int fd, int family, int protocol, struct lull_socket *sockets, size_t count);
/// Those that ended since the last call, and 0 where there are none.
long lull_sockets_ended(int fd, struct lull_socket *sockets, size_t count);

#endif
