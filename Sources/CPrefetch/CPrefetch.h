#ifndef LULL_CPREFETCH_H
#define LULL_CPREFETCH_H

/// Asks the processor to fetch what is at an address, which need not be mapped: it is read soon.
static inline void lull_prefetch(const void *_Nullable address) { __builtin_prefetch(address); }

#endif
