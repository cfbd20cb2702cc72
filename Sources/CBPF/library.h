#ifndef LULL_LIBRARY_H
#define LULL_LIBRARY_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define LULL_LIBBPF_FUNCTIONS(FUNCTION)                                                           \
  FUNCTION(bpf_iter_create)                                                                       \
  FUNCTION(bpf_link__destroy)                                                                     \
  FUNCTION(bpf_link__fd)                                                                          \
  FUNCTION(bpf_map_delete_elem)                                                                   \
  FUNCTION(bpf_map_create)                                                                        \
  FUNCTION(bpf_map_get_next_key)                                                                  \
  FUNCTION(bpf_map_lookup_elem)                                                                   \
  FUNCTION(bpf_map_update_elem)                                                                   \
  FUNCTION(bpf_object__close)                                                                     \
  FUNCTION(bpf_object__find_map_fd_by_name)                                                       \
  FUNCTION(bpf_map__set_max_entries)                                                              \
  FUNCTION(bpf_object__find_map_by_name)                                                          \
  FUNCTION(bpf_object__load)                                                                      \
  FUNCTION(bpf_object__next_program)                                                              \
  FUNCTION(bpf_object__open_mem)                                                                  \
  FUNCTION(bpf_object__find_program_by_name)                                                      \
  FUNCTION(bpf_program__fd)                                                                       \
  FUNCTION(bpf_program__set_autoload)                                                             \
  FUNCTION(bpf_program__set_expected_attach_type)                                                 \
  FUNCTION(bpf_program__type)                                                                     \
  FUNCTION(bpf_program__attach)                                                                   \
  FUNCTION(btf__find_by_name_kind)                                                                \
  FUNCTION(btf__free)                                                                             \
  FUNCTION(btf__load_vmlinux_btf)                                                                 \
  FUNCTION(btf__name_by_offset)                                                                   \
  FUNCTION(btf__type_by_id)                                                                       \
  FUNCTION(libbpf_set_print)                                                                      \
  FUNCTION(ring_buffer__consume)                                                                  \
  FUNCTION(ring_buffer__free)                                                                     \
  FUNCTION(ring_buffer__new)

/* libbpf's functions by their own names, once lull_bpf_library has said that they are there. */
extern struct lull_libbpf {
#define LULL_MEMBER(name) __typeof__(name) *name;
  LULL_LIBBPF_FUNCTIONS(LULL_MEMBER)
#undef LULL_MEMBER
} lull_libbpf;

#endif
