#define _GNU_SOURCE
#include "CPFM.h"

#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Loaded when the first event is encoded: its tables of every processor's events take longer to
   load than a small trace to read. */
static struct {
  __typeof__(&pfm_initialize) initialize;
  __typeof__(&pfm_get_os_event_encoding) encode;
  __typeof__(&pfm_strerror) text;
} library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialised = -1; /* -1: not yet; else what pfm_initialize returned */

/* Whether all that is wanted of the library is there. */
static int load(void) {
  void *handle = dlopen("libpfm.so.4", RTLD_NOW);
  if (!handle) return 0;
  library.initialize = (__typeof__(library.initialize))dlsym(handle, "pfm_initialize");
  library.encode = (__typeof__(library.encode))dlsym(handle, "pfm_get_os_event_encoding");
  library.text = (__typeof__(library.text))dlsym(handle, "pfm_strerror");
  return library.initialize && library.encode && library.text;
}

int lull_pfm_encode(const char *name, lull_event_code *code, char *error, size_t error_size) {
  pthread_mutex_lock(&lock);
  if (initialised == -1) {
    if (!load()) {
      pthread_mutex_unlock(&lock);
      return LULL_PFM_MISSING;
    }
    int result = library.initialize();
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
    result = library.encode(
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
    snprintf(error, error_size, "%s", library.text(result));
  }
  pthread_mutex_unlock(&lock);
  return result == PFM_SUCCESS ? 0 : -1;
}
