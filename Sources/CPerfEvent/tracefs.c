#define _GNU_SOURCE
#include "tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* The numbers are the same on every architecture (Linux 5.2). */
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_fsconfig
#define SYS_fsconfig 431
#endif
#ifndef SYS_fsmount
#define SYS_fsmount 432
#endif
enum { OPEN_CLOSE_ON_EXEC = 1, CONFIGURE_CREATE = 6, MOUNT_CLOSE_ON_EXEC = 1 };

static int mount_by_new_interface(void) {
  int context = (int)syscall(SYS_fsopen, "tracefs", OPEN_CLOSE_ON_EXEC);
  if (context < 0) return -errno;
  int result;
  if (syscall(SYS_fsconfig, context, CONFIGURE_CREATE, NULL, NULL, 0) < 0) {
    result = -errno;
  } else {
    result = (int)syscall(SYS_fsmount, context, MOUNT_CLOSE_ON_EXEC, 0);
    if (result < 0) result = -errno;
  }
  close(context);
  return result;
}

/* A message of one byte with room for a descriptor. */
struct carrier {
  char byte;
  struct iovec payload;
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
};

static void prepare(struct carrier *carrier) {
  memset(carrier, 0, sizeof *carrier);
  carrier->payload = (struct iovec){.iov_base = &carrier->byte, .iov_len = 1};
  carrier->message = (struct msghdr){.msg_iov = &carrier->payload, .msg_iovlen = 1,
                                     .msg_control = carrier->control.bytes,
                                     .msg_controllen = sizeof carrier->control.bytes};
}

/* In the forked child: mounts tracefs in a namespace of its own and sends the directory. */
static int mount_and_send(int channel) {
  if (unshare(CLONE_NEWNS) < 0) return errno;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return errno;
  if (mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) < 0) return errno;
  int directory = open("/sys/kernel/tracing", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return errno;
  struct carrier carrier;
  prepare(&carrier);
  struct cmsghdr *header = CMSG_FIRSTHDR(&carrier.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &directory, sizeof directory);
  return sendmsg(channel, &carrier.message, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

static int receive_directory(int channel) {
  struct carrier carrier;
  prepare(&carrier);
  ssize_t count;
  do count = recvmsg(channel, &carrier.message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  struct cmsghdr *header = count == 1 ? CMSG_FIRSTHDR(&carrier.message) : NULL;
  if (header == NULL || header->cmsg_type != SCM_RIGHTS) return -EPERM;
  int directory;
  memcpy(&directory, CMSG_DATA(header), sizeof directory);
  return directory;
}

/* Kernels before 5.2: only a namespace can hide a mount, and only another process may change its
   own without the recorded command inheriting it. */
static int mount_in_child(void) {
  int channel[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0) return -errno;
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    close(channel[0]);
    close(channel[1]);
    return -error;
  }
  if (child == 0) _exit(mount_and_send(channel[1]) & 0xff);
  close(channel[1]);
  int directory = receive_directory(channel[0]);
  close(channel[0]);
  int status = 0;
  pid_t waited;
  do waited = waitpid(child, &status, 0);
  while (waited < 0 && errno == EINTR);
  if (directory < 0 && waited == child && WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return -WEXITSTATUS(status);
  return directory;
}

int lull_tracefs_detached_mount(void) {
  int directory = mount_by_new_interface();
  return directory == -ENOSYS ? mount_in_child() : directory;
}

int64_t lull_filesystem_type(const char *path) {
  struct statfs information;
  if (statfs(path, &information) < 0) return -errno;
  return (int64_t)(uint32_t)information.f_type;
}
