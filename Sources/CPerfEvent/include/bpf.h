// BPF maps and programs by bpf(2). Every function that can fail returns a negative errno.
#ifndef LULL_BPF_H
#define LULL_BPF_H

#include <stddef.h>
#include <stdint.h>

/// A hash map whose values there are once for each possible CPU; the keys are of 4 bytes.
int lull_bpf_counts(uint32_t value_bytes, uint32_t entries);
/// An array of values.
int lull_bpf_array(uint32_t value_bytes, uint32_t entries);
/// Puts a value in; with `only_new`, -EEXIST where there is one.
int lull_bpf_update(int map, const void *key, const void *value, int only_new);
int lull_bpf_lookup(int map, const void *key, void *value);
int lull_bpf_delete(int map, const void *key);
/// The key after this one, or the first for a null pointer; -ENOENT after the last.
int lull_bpf_next_key(int map, const void *key, void *next);
/// Loads a program for tracepoints.
int lull_bpf_load(const uint64_t *instructions, size_t count);
/// Runs a program at each event of a perf event's tracepoint, whoever makes it, until the event is closed.
int lull_perf_set_bpf(int fd, int program);

#endif
