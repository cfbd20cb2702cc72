#define _GNU_SOURCE
#include "CPFM.h"

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialised = -1; /* -1: not yet; else what pfm_initialize returned */

int lull_pfm_encode(const char *name, lull_event_code *code, char *error, size_t error_size) {
  pthread_mutex_lock(&lock);
  if (initialised == -1) {
    int result = pfm_initialize();
    initialised = result < 0 ? -result : result;
  }
  int result = initialised == PFM_SUCCESS ? PFM_SUCCESS : -initialised;
  struct perf_event_attr attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.size = sizeof attribute;
  if (result == PFM_SUCCESS) {
    pfm_perf_encode_arg_t argument;
    memset(&argument, 0, sizeof argument);
    argument.attr = &attribute;
    argument.size = sizeof argument;
    result = pfm_get_os_event_encoding(
        name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
  }
  if (result == PFM_SUCCESS) {
    code->type = attribute.type;
    code->config = attribute.config;
    code->config1 = attribute.config1;
    code->config2 = attribute.config2;
    code->exclude_user = attribute.exclude_user;
    code->exclude_kernel = attribute.exclude_kernel;
    code->exclude_hypervisor = attribute.exclude_hv;
  } else if (error_size > 0) {
    snprintf(error, error_size, "%s", pfm_strerror(result));
  }
  pthread_mutex_unlock(&lock);
  return result == PFM_SUCCESS ? 0 : -1;
}
