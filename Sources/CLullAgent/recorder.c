#include "form.h"

// What is preloaded into other programs is a part of this one.

#ifdef LULL_AGENT
#include "../LullPreload/agent.c"
#include "../LullPreload/events.c"
#include "../LullPreload/files.c"
#include "../LullPreload/filters.c"
#include "../LullPreload/handlers.c"
#include "../LullPreload/inherited.c"
#include "../LullPreload/locks.c"
#include "../LullPreload/paths.c"
#include "../LullPreload/processes.c"
#include "../LullPreload/raw.c"
#include "../LullPreload/record.c"
#include "../LullPreload/samples.c"
#include "../LullPreload/segments.c"
#include "../LullPreload/signals.c"
#include "../LullPreload/sockets.c"
#include "../LullPreload/stacks.c"
#include "../LullPreload/streams.c"
#include "../LullPreload/sums.c"
#include "../LullPreload/threads.c"
#include "../LullPreload/ticks.c"
#include "../LullPreload/waits.c"
#include "../LullPreload/wakes.c"
#endif
