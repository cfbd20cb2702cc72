#ifndef LULL_AGENT_FORM_H
#define LULL_AGENT_FORM_H

// Where the agent can be: with glibc, whose functions are known, as a library, and without a sanitizer, which stands in
// front of the same ones. Elsewhere a program links with it as well, and is recorded from outside.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LULL_HAS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LULL_HAS_SANITIZER
#endif
#endif

#if defined(__GLIBC__) && !defined(LULL_HAS_SANITIZER) && !defined(LULL_EMPTY_AGENT)
#define LULL_AGENT
#endif

#endif
