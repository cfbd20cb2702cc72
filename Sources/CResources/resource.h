#ifndef LULL_RESOURCE_H
#define LULL_RESOURCE_H

#include "CResources.h"

/* The toolchain's clang has #embed in every standard. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* The function that gives an array of bytes. */
#define RESOURCE(name) \
  lull_resource lull_resource_##name(void) { return (lull_resource){name, sizeof name}; }

#endif
