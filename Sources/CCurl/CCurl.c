#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/*
 * libcurl's functions and the numbers of its options (curl/curl.h). Its interface has been the same since version 7.16
 * (2006, libcurl.so.4), so that nobody needs its headers to build Lull, for the one request that this makes.
 */
typedef struct curl_handle curl_handle;
typedef struct curl_list curl_list;

enum {
  OPTION_TIMEOUT = 13,
  OPTION_POST = 47,
  OPTION_NOSIGNAL = 99,
  OPTION_WRITEDATA = 10001,
  OPTION_URL = 10002,
  OPTION_ERRORBUFFER = 10010,
  OPTION_POSTFIELDS = 10015,
  OPTION_HTTPHEADER = 10023,
  OPTION_WRITEFUNCTION = 20011,
  OPTION_POSTFIELDSIZE_LARGE = 30120,
  OPTION_PROTOCOLS = 181,
  PROTOCOLS_HTTP_HTTPS = 3,
  INFO_RESPONSE_CODE = 0x200002,
};

static struct {
  curl_handle *(*curl_easy_init)(void);
  int (*curl_easy_setopt)(curl_handle *, int, ...);
  int (*curl_easy_perform)(curl_handle *);
  int (*curl_easy_getinfo)(curl_handle *, int, ...);
  void (*curl_easy_cleanup)(curl_handle *);
  const char *(*curl_easy_strerror)(int);
  curl_list *(*curl_slist_append)(curl_list *, const char *);
  void (*curl_slist_free_all)(curl_list *);
} curl;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW);
  if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW);
  if (!library) return;
  is_loaded = true;
#define FIND(name)                                                                                \
  curl.name = (__typeof__(curl.name))dlsym(library, #name);                                       \
  is_loaded = is_loaded && curl.name;
  FIND(curl_easy_init)
  FIND(curl_easy_setopt)
  FIND(curl_easy_perform)
  FIND(curl_easy_getinfo)
  FIND(curl_easy_cleanup)
  FIND(curl_easy_strerror)
  FIND(curl_slist_append)
  FIND(curl_slist_free_all)
}

static size_t take(const char *bytes, size_t size, size_t count, void *context) {
  lull_http_answer *answer = context;
  size_t given = size * count;
  size_t room = answer->room - answer->length;
  size_t kept = given < room ? given : room;
  memcpy(answer->body + answer->length, bytes, kept);
  answer->length += kept;
  return given;
}

int lull_http_post(const lull_http_request *request, lull_http_answer *answer) {
  answer->status = 0;
  answer->length = 0;
  memset(answer->error, 0, LULL_HTTP_ERROR_BYTES);
  pthread_once(&once, load);
  if (!is_loaded) return -1;
  curl_handle *handle = curl.curl_easy_init();
  if (!handle) {
    strncpy(answer->error, "out of memory", LULL_HTTP_ERROR_BYTES - 1);
    return 0;
  }
  curl_list *headers = NULL;
  for (size_t i = 0; i < request->header_count; i++) {
    curl_list *longer = curl.curl_slist_append(headers, request->headers[i]);
    if (longer) headers = longer;
  }
  curl.curl_easy_setopt(handle, OPTION_URL, request->url);
  curl.curl_easy_setopt(handle, OPTION_PROTOCOLS, (long)PROTOCOLS_HTTP_HTTPS);
  curl.curl_easy_setopt(handle, OPTION_NOSIGNAL, 1L);
  curl.curl_easy_setopt(handle, OPTION_TIMEOUT, request->timeout);
  curl.curl_easy_setopt(handle, OPTION_POST, 1L);
  curl.curl_easy_setopt(handle, OPTION_POSTFIELDS, request->body);
  curl.curl_easy_setopt(handle, OPTION_POSTFIELDSIZE_LARGE, (long long)request->length);
  curl.curl_easy_setopt(handle, OPTION_HTTPHEADER, headers);
  curl.curl_easy_setopt(handle, OPTION_WRITEFUNCTION, take);
  curl.curl_easy_setopt(handle, OPTION_WRITEDATA, answer);
  curl.curl_easy_setopt(handle, OPTION_ERRORBUFFER, answer->error);
  int result = curl.curl_easy_perform(handle);
  if (result == 0) {
    curl.curl_easy_getinfo(handle, INFO_RESPONSE_CODE, &answer->status);
  } else if (!answer->error[0]) {
    strncpy(answer->error, curl.curl_easy_strerror(result), LULL_HTTP_ERROR_BYTES - 1);
  }
  /* libcurl keeps pointers to both until here. */
  curl.curl_easy_cleanup(handle);
  curl.curl_slist_free_all(headers);
  return 0;
}
