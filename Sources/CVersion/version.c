#include "version.h"

#ifndef LULL_COMMIT
#define LULL_COMMIT ""
#endif

const char *lull_commit(void) { return LULL_COMMIT; }
