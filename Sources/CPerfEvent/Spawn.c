#define _GNU_SOURCE
#include "CPerfEvent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int drop_privilege(const struct lull_command *command) {
  if (!command->drops_privilege) return 0;
  if (initgroups(command->user, command->gid) < 0) return -1;
  if (setgid(command->gid) < 0) return -1;
  return setuid(command->uid);
}

static void report_and_exit(int fd) {
  int error = errno;
  ssize_t ignored = write(fd, &error, sizeof error);
  (void)ignored;
  _exit(error == ENOENT ? 127 : 126);
}

static int highest_descriptor(void) {
  int highest = 1023;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return highest;
  highest = 2;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int number = atoi(entry->d_name);
    if (number > highest) highest = number;
  }
  closedir(folder);
  return highest;
}

/* Closes what an exec would close. Whoever closes the last descriptor of a tracepoint's event waits for 20 to 200 ms,
   and that is not to be the command as it begins. */
static void close_recorders(int highest, int gate, int failure) {
  for (int fd = 3; fd <= highest; fd++) {
    if (fd == gate || fd == failure) continue;
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && flags & FD_CLOEXEC) close(fd);
  }
}

int lull_spawn(const struct lull_command *command, struct lull_child *child) {
  int gate[2], failure[2];
  if (pipe2(gate, O_CLOEXEC) < 0) return -errno;
  if (pipe2(failure, O_CLOEXEC) < 0) {
    int error = errno;
    close(gate[0]);
    close(gate[1]);
    return -error;
  }
  int highest = highest_descriptor();
  pid_t pid = fork();
  if (pid < 0) {
    int error = errno;
    close(gate[0]);
    close(gate[1]);
    close(failure[0]);
    close(failure[1]);
    return -error;
  }
  if (pid == 0) {
    // Threads of a pool have signals blocked, and an exec would hand that on.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    close(gate[1]);
    close(failure[0]);
    close_recorders(highest, gate[0], failure[1]);
    if (drop_privilege(command) < 0) report_and_exit(failure[1]);
    char go;
    ssize_t n;
    do n = read(gate[0], &go, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1) _exit(125);
    execvpe(command->argv[0], command->argv, command->envp);
    report_and_exit(failure[1]);
  }
  close(gate[0]);
  close(failure[1]);
  child->pid = pid;
  child->gate_fd = gate[1];
  child->error_fd = failure[0];
  return 0;
}

int lull_release(struct lull_child *child) {
  char go = 1;
  ssize_t n;
  do n = write(child->gate_fd, &go, 1);
  while (n < 0 && errno == EINTR);
  close(child->gate_fd);
  child->gate_fd = -1;
  int error = 0;
  do n = read(child->error_fd, &error, sizeof error);
  while (n < 0 && errno == EINTR);
  close(child->error_fd);
  child->error_fd = -1;
  return n == sizeof error ? -error : 0;
}

void lull_abandon(struct lull_child *child) {
  if (child->gate_fd >= 0) close(child->gate_fd);
  if (child->error_fd >= 0) close(child->error_fd);
  child->gate_fd = -1;
  child->error_fd = -1;
}

int lull_reap(pid_t pid, int wait, int *status, struct rusage *usage) {
  pid_t reaped;
  do reaped = wait4(pid, status, wait ? 0 : WNOHANG, usage);
  while (reaped < 0 && errno == EINTR);
  if (reaped < 0) return -errno;
  return reaped == pid ? 1 : 0;
}

static int wake_descriptor = -1;
static volatile sig_atomic_t counts[65];
/* What would end the recorder, and leave the command unobserved. SIGXFSZ only has to be caught: the write that is too
   much fails then, as on a full disk. None is ignored but SIGPIPE, since a program that is started would inherit
   that. */
static const int handled[] = {SIGINT,    SIGTERM, SIGHUP,  SIGPIPE, SIGQUIT, SIGUSR1, SIGUSR2,  SIGXFSZ,
                              SIGXCPU,   SIGALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGVTALRM, SIGSTKFLT};
enum { HANDLED = sizeof handled / sizeof *handled };
static struct sigaction previous[HANDLED];

static int keeps_ignoring(int number) {
  /* A shell's background jobs ignore the keyboard, which is not theirs; the recorder is stopped by it all the same. */
  return number != SIGINT && number != SIGQUIT && number != SIGTERM && number != SIGPIPE && number != SIGXFSZ;
}

static void count_signal(int number) {
  int error = errno;
  counts[number]++;
  char byte = 0;
  ssize_t ignored = write(wake_descriptor, &byte, 1);
  (void)ignored;
  errno = error;
}

int lull_signals_install(int wake_fd) {
  wake_descriptor = wake_fd;
  for (int i = 0; i < HANDLED; i++) {
    counts[handled[i]] = 0;
    struct sigaction action = {0};
    action.sa_handler = handled[i] == SIGPIPE ? SIG_IGN : count_signal;
    action.sa_flags = SA_RESTART;
    if (sigaction(handled[i], NULL, &previous[i]) < 0) return -errno;
    // What was started with nohup stays deaf to the hang-up.
    if (keeps_ignoring(handled[i]) && previous[i].sa_handler == SIG_IGN) continue;
    if (sigaction(handled[i], &action, NULL) < 0) return -errno;
  }
  return 0;
}

void lull_signals_restore(void) {
  for (int i = 0; i < HANDLED; i++) sigaction(handled[i], &previous[i], NULL);
}

int lull_signals_count(int signal) {
  return signal > 0 && signal < 65 ? (int)counts[signal] : 0;
}

int lull_wake_pipe(int fds[2]) { return pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0; }

int lull_end_with_parent(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) == 0 ? 0 : -errno;
}

int lull_memory_file(const char *name) {
  int file = memfd_create(name, MFD_CLOEXEC);
  return file < 0 ? -errno : file;
}
