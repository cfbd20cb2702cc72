#include "form.h"
#include "lull_agent.h"

#ifdef LULL_AGENT
#include "../LullPreload/interpose.h"
#include "../LullPreload/segments.h"

#include <string.h>

// What a program that is recorded starts is recorded too: by the library that is preloaded, which the environment names
// then as it does in what Lull starts itself.

static const char library_name[] = "LD_PRELOAD=", folder_name[] = LULL_PRELOAD_FOLDER "=";

static const char *value_of(char *const *environment, const char *name) {
  for (; *environment; environment++) {
    if (strncmp(*environment, name, strlen(name)) == 0) return *environment + strlen(name);
  }
  return NULL;
}

size_t lull_room_for_library(char *const *environment) {
  if (!environment || !lull_agent_is_recording() || !lull_control || !lull_control->library[0]) return 0;
  const char *others = value_of(environment, library_name);
  // It is the library's already, or there is no room.
  if (value_of(environment, folder_name) || (others && strlen(others) > LULL_MOST_LIBRARIES)) return 0;
  size_t count = 0;
  while (environment[count]) count++;
  return count + 3;
}

char *const *lull_with_library(char *const *environment, char **entries, char *text) {
  const char *others = value_of(environment, library_name);
  size_t count = 0;
  for (; *environment; environment++) {
    if (strncmp(*environment, library_name, sizeof library_name - 1) != 0) entries[count++] = *environment;
  }
  entries[count++] = text;
  text = lull_append(lull_append(text, library_name), lull_control->library);
  if (others && *others) text = lull_append(lull_append(text, ":"), others);
  entries[count++] = ++text;
  lull_append(lull_append(text, folder_name), lull_folder());
  entries[count] = NULL;
  return entries;
}
#endif
