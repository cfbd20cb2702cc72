#ifndef LULL_CBPF_H
#define LULL_CBPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel_records.h"

/* What is used of libbpf, which is loaded at the first call, and no more of it than a recorder needs. */

/* Whether libbpf is there. */
bool lull_bpf_library(void);

/* Whether this process may load programs, and the kernel describes its types to them. */
bool lull_bpf_is_allowed(void);

typedef struct lull_bpf_programs lull_bpf_programs;

/* Loads all programs of an object into the kernel, and runs none yet; NULL with an error's number, and what failed in
   words. So many CPUs, from the first on, have rings of their own, where the programs have any: each takes 2 MB of the
   kernel's memory. */
lull_bpf_programs *_Nullable lull_bpf_programs_load(
    const void *_Nonnull object, size_t size, uint32_t rings, int *_Nonnull error,
    const char *_Nullable *_Nonnull what);

/* Runs them all from here on; 0 or a negative error's number. */
int lull_bpf_programs_attach(lull_bpf_programs *_Nonnull programs);

/* Runs the program of that name at a place in a file, whenever a process comes there that has mapped it, or as the
   function that begins there returns; gives a descriptor, which ends that as it is closed, or a negative error's
   number. */
int lull_bpf_probe(
    lull_bpf_programs *_Nonnull programs, const char *_Nonnull name, const char *_Nonnull path, uint64_t offset,
    int32_t pid, bool returns);

/* Runs none any longer; what they gathered is still there. */
void lull_bpf_programs_detach(lull_bpf_programs *_Nonnull programs);

/* Of one program that goes through something of the kernel's: a descriptor whose reading runs it, and gives what it
   writes; negative where it cannot. */
int lull_bpf_iteration(lull_bpf_programs *_Nonnull programs);

void lull_bpf_programs_free(lull_bpf_programs *_Nonnull programs);

/* The descriptor of a map, by its name; negative where there is none. */
int lull_bpf_map(lull_bpf_programs *_Nonnull programs, const char *_Nonnull name);

/* Elements of maps; 0 or a negative error's number. */
int lull_bpf_map_set(int map, const void *_Nonnull key, const void *_Nonnull value);
int lull_bpf_map_get(int map, const void *_Nonnull key, void *_Nonnull value);
/* Where there is none yet. */
int lull_bpf_map_add(int map, const void *_Nonnull key, const void *_Nonnull value);
/* The key after another, or the first one. */
int lull_bpf_map_next(int map, const void *_Nullable key, void *_Nonnull next);
int lull_bpf_map_remove(int map, const void *_Nonnull key);

/* The memory of a map that is an array, which the programs see as it is; NULL where it cannot be shared. */
uint64_t *_Nullable lull_bpf_map_memory(int map, size_t size);
void lull_bpf_map_unshare(uint64_t *_Nonnull memory, size_t size);

/* Which row of equal calls such memory has at a place, and how many followed the first, while programs change it. */
void lull_bpf_row(
    const void *_Nonnull repeat, uint32_t *_Nonnull generation, uint64_t *_Nonnull count,
    uint64_t *_Nonnull bytes);

/* Sets a bit of such memory, or sets it back, while programs do. */
void lull_bpf_mark(uint64_t *_Nonnull memory, uint32_t place, bool is_set);

/* The first place from there on that somebody has of sums of transfers, by the bits of those in use; LULL_KERNEL_SUMS
   where there is none. */
uint32_t lull_bpf_next_sum(const uint64_t *_Nonnull used, uint32_t place);
void lull_bpf_forget_sum(void *_Nonnull memory, uint64_t *_Nonnull used, uint32_t place);

/* Calls for each record that the ring of that name, and those of the CPUs, hold. Draining gives how many bytes the
   fullest of these had. */
typedef void (*lull_bpf_take)(void *_Nonnull context, const void *_Nonnull record, size_t size);
int lull_bpf_ring_open(
    lull_bpf_programs *_Nonnull programs, const char *_Nonnull name, lull_bpf_take _Nonnull take,
    void *_Nonnull context);
uint64_t lull_bpf_ring_drain(lull_bpf_programs *_Nonnull programs);

/* How far the count that tells of interrupts lies from a CPU's run queue, in bytes, by the kernel's description of its
   variables; false where that does not say. */
bool lull_bpf_interrupt_count(int64_t *_Nonnull distance);

#endif
