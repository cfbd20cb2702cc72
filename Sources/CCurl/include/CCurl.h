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

/* What came back. The texts are in memory of the caller's: an array of thousands would be as many fields in Swift. */
typedef struct {
  /* 0 where there was no answer. */
  long status;
  /* Why there was none, by libcurl: LULL_HTTP_ERROR_BYTES with the zero at its end. */
  char *_Nonnull error;
  /* The first bytes of the answer's body, as many as there is room for. */
  unsigned char *_Nonnull body;
  size_t room;
  size_t length;
} lull_http_answer;

/* As much as libcurl may write (CURL_ERROR_SIZE). */
enum { LULL_HTTP_ERROR_BYTES = 256 };

/* Sends it by libcurl, which is loaded at the first call: 0, or -1 where that is not installed. */
int lull_http_post(const lull_http_request *_Nonnull request, lull_http_answer *_Nonnull answer);

#endif
