#ifndef LULL_AGENT_INTERFACE_H
#define LULL_AGENT_INTERFACE_H

#include <stdbool.h>

// Whether recorders can ask this program to be recorded, and whether one does.
bool lull_agent_is_ready(void);
bool lull_agent_is_recording(void);

#endif
