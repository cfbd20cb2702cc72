import Glibc
import Testing

@testable import Recording

/// A process that reads from a pipe, until that is closed or some lines are there.
final class WaitingTarget {
  let pid: pid_t
  private let end: Int32

  init(_ command: [String] = ["cat"]) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    end = ends[1]
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var child: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    let result = posix_spawnp(&child, command[0], &actions, nil, &words, environ)
    for word in words { free(word) }
    posix_spawn_file_actions_destroy(&actions)
    close(ends[0])
    try #require(result == 0)
    pid = child
    waitUntil(in: Self.read)
  }

  private func waitUntil(in call: Int) {
    while KernelFile.text("/proc/\(pid)/syscall")?.hasPrefix("\(call) ") != true {
      usleep(1000)
    }
  }

  /// Gives a line to it, after which it sleeps.
  func goOn() {
    write(end, "x\n", 2)
    waitUntil(in: Self.sleep)
  }

  #if arch(arm64)
    private static let read = 63, sleep = 115
  #else
    private static let read = 0, sleep = 230
  #endif

  func finish() {
    close(end)
    waitpid(pid, nil, 0)
  }
}
