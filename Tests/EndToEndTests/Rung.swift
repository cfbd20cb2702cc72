import Foundation
import Testing

/// A place with fewer rights than root's on a machine of its own, as a container or a plain user has them.
enum Rung: String, CaseIterable, CustomTestStringConvertible {
  /// As the tests run.
  case root
  /// A plain user.
  case user
  /// A container's program that is not root's: process ids of its own, no tracefs, the system calls refused that Docker
  /// refuses.
  case dockerUser = "docker-user"

  var testDescription: String { rawValue }

  static let unprivileged: [Rung] = [.user, .dockerUser]

  /// What a command is to be put behind to run there.
  var words: [String] {
    get throws {
      let user = [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all",
      ]
      switch self {
      case .root: return []
      case .user: return user
      case .dockerUser:
        let bounds = "-all,+chown,+dac_override,+fowner,+setgid,+setuid,+kill"
        return [
          "unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c",
          "umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec \"$@\"", "rung",
          try Self.refusing, Self.refused, "--",
        ] + user + ["--bounding-set", bounds]
      }
    }
  }

  /// Of the calls that Docker's default profile refuses, those that a recorder might make.
  private static let refused = [
    "bpf", "fanotify_init", "fsconfig", "fsmount", "fsopen", "fspick", "io_uring_setup", "mount",
    "move_mount",
    "open_tree", "perf_event_open", "pidfd_getfd", "setns", "syslog", "umount2", "unshare",
    "userfaultfd",
  ].joined(separator: ",")

  static let needsTools: Comment =
    "needs setpriv, unshare and, to refuse system calls, cc with libseccomp-dev"

  static var areThere: Bool { unprivileged.allSatisfy { $0.isThere } }

  /// Whether it can be had here.
  var isThere: Bool {
    switch self {
    case .root: true
    case .user: Machine.tool("setpriv") != nil
    case .dockerUser:
      Machine.tool("setpriv") != nil && Machine.tool("unshare") != nil
        && (try? Self.refusing) != nil
    }
  }

  /// A program that runs another with system calls refused, built once.
  private static var refusing: String { get throws { try built.get().path } }

  private struct Refusing {
    let folder: Scratch
    let path: String
  }

  private nonisolated(unsafe) static let built = Result { () throws -> Refusing in
    let folder = try Scratch()
    let program = Refusing(folder: folder, path: folder.file("refusing"))
    try Data(source.utf8).write(to: URL(fileURLWithPath: folder.file("refusing.c")))
    let result = try Command.run([
      "cc", "-O1", "-o", program.path, folder.file("refusing.c"), "-lseccomp",
    ])
    guard result.status == 0 else { throw CommandFailure(words: ["cc"], reason: result.status) }
    chmod(program.path, 0o755)
    return program
  }

  /// `refusing CALL,… -- COMMAND`, with EPERM as Docker does.
  private static let source = """
    #include <errno.h>
    #include <seccomp.h>
    #include <string.h>
    #include <unistd.h>
    int main(int count, char **words) {
      scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
      seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
      for (char *name = strtok(words[1], ","); name; name = strtok(NULL, ",")) {
        int number = seccomp_syscall_resolve_name(name);
        if (number != __NR_SCMP_ERROR) seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
      }
      if (count < 4 || seccomp_load(filter)) return 3;
      execvp(words[3], words + 3);
      return 127;
    }
    """
}
