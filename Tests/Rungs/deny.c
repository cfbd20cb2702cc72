// deny [-e EPERM|ENOSYS|EACCES] [-n] [-p] [-l] CALL,… -- COMMAND: runs COMMAND with system calls refused, as a
// container's filter does. -n sets no_new_privs; -p refuses PTRACE_ATTACH and SEIZE (Yama 1); -l refuses netlink
// sockets (a hardened unit).
#define _GNU_SOURCE
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int count, char **words) {
  int error = EPERM, option, no_new_privileges = 0, refuses_ptrace = 0, refuses_netlink = 0;
  while ((option = getopt(count, words, "+e:npl")) != -1) {
    switch (option) {
      case 'e':
        error = !strcmp(optarg, "ENOSYS") ? ENOSYS : !strcmp(optarg, "EACCES") ? EACCES : EPERM;
        break;
      case 'n': no_new_privileges = 1; break;
      case 'p': refuses_ptrace = 1; break;
      case 'l': refuses_netlink = 1; break;
      default: return 2;
    }
  }
  if (optind >= count) return 2;
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, no_new_privileges);
  for (char *name = strtok(words[optind++], ","); name; name = strtok(NULL, ",")) {
    int number = seccomp_syscall_resolve_name(name);
    if (number != __NR_SCMP_ERROR) seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), number, 0);
  }
  if (refuses_ptrace) {
    int ptrace = seccomp_syscall_resolve_name("ptrace");
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), ptrace, 1, SCMP_A0(SCMP_CMP_EQ, PTRACE_ATTACH));
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), ptrace, 1, SCMP_A0(SCMP_CMP_EQ, PTRACE_SEIZE));
  }
  // AF_NETLINK is 16.
  if (refuses_netlink) {
    int socket = seccomp_syscall_resolve_name("socket");
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), socket, 1, SCMP_A0(SCMP_CMP_EQ, 16));
  }
  if (seccomp_load(filter)) return perror("deny"), 3;
  if (optind < count && !strcmp(words[optind], "--")) optind++;
  execvp(words[optind], words + optind);
  return perror(words[optind]), 127;
}
