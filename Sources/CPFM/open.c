#define _GNU_SOURCE
#include "CPFM.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void describe(struct perf_event_attr *attribute, const lull_event_code *code,
                     unsigned how) {
  memset(attribute, 0, sizeof *attribute);
  attribute->size = sizeof *attribute;
  attribute->type = code->type;
  attribute->config = code->config;
  attribute->config1 = code->config1;
  attribute->config2 = code->config2;
  attribute->exclude_user = code->exclude_user;
  attribute->exclude_kernel = code->exclude_kernel;
  attribute->exclude_hv = code->exclude_hypervisor;
  attribute->disabled = (how & LULL_EVENT_DISABLED) != 0;
  attribute->inherit = (how & LULL_EVENT_INHERIT) != 0;
  attribute->enable_on_exec = (how & LULL_EVENT_ENABLE_ON_EXEC) != 0;
  attribute->sample_id_all = (how & LULL_EVENT_SAMPLE_ID_ALL) != 0;
}

static int open_event(struct perf_event_attr *attribute, pid_t pid, int cpu) {
  long descriptor =
      syscall(SYS_perf_event_open, attribute, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return descriptor < 0 ? -errno : (int)descriptor;
}

int lull_counter_open(const lull_event_code *code, pid_t pid, int cpu, unsigned how) {
  struct perf_event_attr attribute;
  describe(&attribute, code, how);
  attribute.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return open_event(&attribute, pid, cpu);
}

int lull_probe_open(const lull_event_code *code, pid_t pid, int cpu, uint64_t period,
                    uint64_t sample_type, uint64_t user_registers, uint32_t stack_bytes,
                    unsigned how) {
  struct perf_event_attr attribute;
  describe(&attribute, code, how);
  attribute.sample_period = period;
  attribute.sample_type = sample_type;
  attribute.sample_regs_user = user_registers;
  attribute.sample_stack_user = stack_bytes;
  return open_event(&attribute, pid, cpu);
}

int lull_probe_map(int descriptor, unsigned data_pages) {
  size_t size = (size_t)(data_pages + 1) * (size_t)sysconf(_SC_PAGESIZE);
  void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) return -errno;
  munmap(address, size);
  return 0;
}

int lull_counter_enable(int descriptor) {
  return ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}
