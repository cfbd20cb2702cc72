#ifndef LULL_CZSTD_SHIM_H
#define LULL_CZSTD_SHIM_H

#include <zstd.h>

#endif
