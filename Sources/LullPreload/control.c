#include "segments.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

// The recorder's folder: what it says there, and how it is woken.

static char folder[lull_folder_bytes];
const struct lull_control *lull_control;

const char *lull_folder(void) { return folder; }

bool lull_takes_part(void) {
#ifdef LULL_AGENT
  return lull_door->version;
#else
  return lull_control;
#endif
}

static const struct lull_control *map_control(const char *path) {
  long descriptor = lull_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0);
  if (descriptor < 0) return NULL;
  const struct lull_control *control = lull_map(descriptor, lull_page_bytes, PROT_READ);
  lull_kernel(SYS_close, descriptor, 0, 0, 0, 0, 0);
  return control;
}

bool lull_find_recorder(const char *given) {
  if (!given || strlen(given) >= sizeof folder - 1) return false;
  char path[sizeof folder + 16];
  lull_append(folder, given);
  lull_append(lull_append(path, folder), "/control");
  lull_control = map_control(path);
  if (lull_control && lull_control->version != lull_preload_version) lull_control = NULL;
  // A recorder that was killed, or that counts processes otherwise, leaves its folder to nobody.
  if (lull_control && lull_kernel(SYS_kill, lull_control->recorder, 0, 0, 0, 0, 0) == -ESRCH) lull_control = NULL;
#ifdef LULL_AGENT
  // Threads may still look at the one of an earlier recording.
  static struct lull_control copy;
  if (lull_control) {
    void *mapped = (void *)lull_control;
    copy = *lull_control;
    lull_control = &copy;
    lull_kernel(SYS_munmap, (long)mapped, lull_page_bytes, 0, 0, 0, 0);
  }
#endif
  lull_compare_clocks();
  lull_begin_ticks();
  return lull_control != NULL;
}

// Has the recorder look at once, since the ring is half full; what it takes is seen then.
void lull_wake(struct agent *agent) {
  uint64_t tail = __atomic_load_n(&agent->slot->tail, __ATOMIC_ACQUIRE);
  if (agent->head - tail < lull_ring_bytes / 2) {
    agent->wake_at = tail + lull_ring_bytes / 2;
    return;
  }
  agent->wake_at = agent->head + lull_ring_bytes / 4;
  char path[sizeof folder + 16];
  lull_append(lull_append(path, folder), "/wake");
  long fifo = lull_kernel(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
  if (fifo < 0) return;
  lull_kernel(SYS_write, fifo, (long)"", 1, 0, 0, 0);
  lull_kernel(SYS_close, fifo, 0, 0, 0, 0, 0);
}
