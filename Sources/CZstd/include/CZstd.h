#ifndef LULL_CZSTD_H
#define LULL_CZSTD_H

#include <zstd.h>

/* What is used of libzstd. */
#define LULL_ZSTD_FUNCTIONS(FUNCTION)                                                             \
  FUNCTION(ZSTD_CCtx_setParameter)                                                                \
  FUNCTION(ZSTD_compressStream2)                                                                  \
  FUNCTION(ZSTD_createCStream)                                                                    \
  FUNCTION(ZSTD_createDStream)                                                                    \
  FUNCTION(ZSTD_decompress)                                                                       \
  FUNCTION(ZSTD_decompressStream)                                                                 \
  FUNCTION(ZSTD_freeCStream)                                                                      \
  FUNCTION(ZSTD_freeDStream)                                                                      \
  FUNCTION(ZSTD_getErrorName)                                                                     \
  FUNCTION(ZSTD_isError)

/* The library's functions by their names. */
typedef struct {
#define LULL_ZSTD_MEMBER(name) __typeof__(name) *_Nonnull name;
  LULL_ZSTD_FUNCTIONS(LULL_ZSTD_MEMBER)
#undef LULL_ZSTD_MEMBER
} lull_zstd_functions;

/* The library, loaded at the first call; NULL where it is not installed. */
const lull_zstd_functions *_Nullable lull_zstd(void);

#endif
