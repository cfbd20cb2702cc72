#ifndef LULL_CMALLOC_SHIM_H
#define LULL_CMALLOC_SHIM_H

#include <malloc.h>
#include <stdlib.h>

/// Has the allocator take memory from the system for a block of that size, which it then has to give.
static inline void lull_make_room(size_t size) {
  void *block = malloc(size);
  // A compiler leaves out a block that nobody looks at.
  __asm__ volatile("" : "+r"(block));
  free(block);
}

#endif
