#ifndef LULL_CCURL_H
#define LULL_CCURL_H

#include <stddef.h>

/* What is sent by POST, and where. */
typedef struct {
  const char *_Nonnull url;
  /* Lines such as "Content-Type: text/plain". */
  const char *_Nonnull const *_Nullable headers;
  size_t header_count;
  const void *_Nonnull body;
  size_t length;
  /* Seconds that it may take in all. */
  long timeout;
} lull_http_request;

/* What came back. */
typedef struct {
  /* 0 where there was no answer. */
  long status;
  /* Why there was none, by libcurl. */
  char error[256];
  /* The first bytes of the answer's body. */
  unsigned char body[4096];
  size_t length;
} lull_http_answer;

/* Sends it by libcurl, which is loaded at the first call: 0, or -1 where that is not installed. */
int lull_http_post(const lull_http_request *_Nonnull request, lull_http_answer *_Nonnull answer);

#endif
