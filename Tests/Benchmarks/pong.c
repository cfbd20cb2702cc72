/* A byte goes to and fro between two threads over a TCP connection on the loopback device, all on one CPU: nothing but
   waits, wakeups and transfers. Prints the microseconds of a round trip. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static int near, far;
static long rounds;

static void *answer(void *nothing) {
  char byte;
  for (long round = 0; round < rounds; round++) {
    if (recv(far, &byte, 1, 0) != 1 || send(far, &byte, 1, 0) != 1) exit(1);
  }
  return nothing;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int count, char **words) {
  rounds = count > 1 ? atol(words[1]) : 200000;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);

  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  bind(listener, (struct sockaddr *)&address, size);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&address, &size);
  near = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(near, (struct sockaddr *)&address, size)) return 1;
  far = accept(listener, NULL, NULL);
  int yes = 1;
  setsockopt(near, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);

  pthread_t other;
  pthread_create(&other, NULL, answer, NULL);
  char byte = 1;
  double start = now();
  for (long round = 0; round < rounds; round++) {
    if (send(near, &byte, 1, 0) != 1 || recv(near, &byte, 1, 0) != 1) return 1;
  }
  printf("%.3f\n", (now() - start) / (double)rounds);
  return 0;
}
