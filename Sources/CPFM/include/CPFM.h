/* Event names to perf event attributes by libpfm4, as plain integers: its header brings a
   perf_event_attr of its own, which clashes with the kernel's, and stays in CPFM.c. */
#ifndef LULL_CPFM_H
#define LULL_CPFM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What names one event to the kernel. */
typedef struct {
  uint32_t type;
  uint64_t config;
  uint64_t config1;
  uint64_t config2;
  uint8_t exclude_user;
  uint8_t exclude_kernel;
  uint8_t exclude_hypervisor;
} lull_event_code;

/* What lull_pfm_encode returns where libpfm4 is not installed. */
enum { LULL_PFM_MISSING = -2 };

/* Encodes an event name ("instructions", "perf::CYCLES:u"). Returns 0, or -1 and a text in
   `error`, or LULL_PFM_MISSING. The first call loads libpfm4 and initialises it, of which the
   latter takes about 14 ms. LIBPFM_FORCE_PMU in the environment is honoured. */
int lull_pfm_encode(const char *name, lull_event_code *code, char *error, size_t error_size);

/* How an event is opened, beside its code. */
enum {
  LULL_EVENT_DISABLED = 1,
  LULL_EVENT_INHERIT = 2,
  LULL_EVENT_ENABLE_ON_EXEC = 4,
  LULL_EVENT_SAMPLE_ID_ALL = 8,
};

/* Opens a counting event, read as value, time enabled, time running.
   Returns a descriptor, or -errno. */
int lull_counter_open(const lull_event_code *code, pid_t pid, int cpu, unsigned how);

/* Opens a sampling event only to see whether the kernel lets us. Period 0 counts.
   Returns a descriptor, or -errno. */
int lull_probe_open(const lull_event_code *code, pid_t pid, int cpu, uint64_t period,
                    uint64_t sample_type, uint64_t user_registers, uint32_t stack_bytes,
                    unsigned how);

/* Maps the ring buffer of an event opened by lull_probe_open and unmaps it.
   Returns 0, or -errno. */
int lull_probe_map(int descriptor, unsigned data_pages);

/* Starts a counter that was opened disabled. Returns 0, or -errno. */
int lull_counter_enable(int descriptor);

#endif
