/* Starts threads, or processes that run another program, one after another, or becomes another program again and again:
   prints the seconds that it took. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static pthread_barrier_t barrier;

static void *stay(void *nothing) {
  pthread_barrier_wait(&barrier);
  return nothing;
}

static void threads(int count) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_t *all = calloc((size_t)count, sizeof *all);
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  for (int index = 0; index < count; index++) {
    if (pthread_create(&all[index], &small, stay, NULL)) exit(1);
  }
  pthread_barrier_wait(&barrier);
  for (int index = 0; index < count; index++) pthread_join(all[index], NULL);
}

static void children(int count) {
  for (int index = 0; index < count; index++) {
    pid_t child = vfork();
    if (child == 0) {
      execl("/bin/true", "true", (char *)NULL);
      _exit(127);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child) exit(1);
  }
}

/* crowd threads|children|execs COUNT [START] */
int main(int count, char **words) {
  if (count < 3) return 64;
  int times = atoi(words[2]);
  double start = count > 3 ? atof(words[3]) : now();
  if (!strcmp(words[1], "threads")) threads(times);
  if (!strcmp(words[1], "children")) children(times);
  if (!strcmp(words[1], "execs") && times > 0) {
    char left[16], since[32];
    snprintf(left, sizeof left, "%d", times - 1);
    snprintf(since, sizeof since, "%.9f", start);
    execl(words[0], words[0], "execs", left, since, (char *)NULL);
    return 1;
  }
  printf("%.4f\n", now() - start);
  return 0;
}
