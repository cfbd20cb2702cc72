#ifndef LULL_ENDS_H
#define LULL_ENDS_H

/* The ends of a socket. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "../CBPF/include/kernel_records.h"

/* What is used of the kernel's types here: they are known without what is behind ___. */
struct in6_addr {
  __u8 bytes[16];
};

struct sock_common___open {
  __be32 skc_daddr;
  __be32 skc_rcv_saddr;
  __be16 skc_dport;
  __u16 skc_num;
  __u16 skc_family;
  unsigned char skc_state;
  /* Of kernels with IPv6. */
  struct in6_addr skc_v6_daddr;
  struct in6_addr skc_v6_rcv_saddr;
} KERNEL_TYPE;

struct sock___open {
  struct sock_common___open __sk_common;
  __u16 sk_protocol;
} KERNEL_TYPE;

/* The ends of a socket of the internet, what it carries and its state. */
static __always_inline void read_ends(struct lull_kernel_open_socket *record, struct sock___open *socket) {
  struct sock_common___open *common = &socket->__sk_common;
  record->address = (__u64)socket;
  record->family = common->skc_family;
  record->protocol = socket->sk_protocol;
  record->state = common->skc_state;
  record->own_port = common->skc_num;
  record->peer_port = __builtin_bswap16(common->skc_dport);
  if (record->family == 2) {
    bpf_core_read(record->own, 4, &common->skc_rcv_saddr);
    bpf_core_read(record->peer, 4, &common->skc_daddr);
  } else if (bpf_core_field_exists(common->skc_v6_daddr)) {
    bpf_core_read(record->own, 16, &common->skc_v6_rcv_saddr);
    bpf_core_read(record->peer, 16, &common->skc_v6_daddr);
  }
}

#endif
