import Foundation
import Testing

/// A place with its rights: root's on a machine of its own, or fewer, as a container or a plain user has them.
///
/// Its name is that of `Tests/Rungs/rung`, which makes it.
enum Rung: String, CaseIterable, CustomTestStringConvertible {
  case root
  /// Process ids of its own, and else all of root's: a privileged container.
  case processes = "pidns"
  /// A plain user.
  case user
  /// Containers: process ids of their own, no tracefs, and the system calls refused that Docker refuses.
  case dockerUser = "docker-user"
  case dockerRoot = "docker-root"
  case dockerENOSYS = "docker-enosys"
  case dockerPerfmon = "docker-perfmon"
  /// A pod that has no capability.
  case kubernetes = "k8s"
  /// A hardened unit.
  case systemd
  /// Where perf events are for nobody.
  case paranoid4
  /// Where no process may be attached to.
  case yama

  var testDescription: String { rawValue }

  /// Where a program is recorded from within, since no event of the kernel's is to be had.
  static let lesser = allCases.filter { ![.root, .processes].contains($0) }

  /// What a command is to be put behind to run there, and to write into a folder.
  func words(writingTo folder: Scratch) -> [String] {
    [Self.script, rawValue, folder.path]
  }

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Rungs/rung").path

  static let needsTools: Comment =
    "needs root, setpriv, unshare, bubblewrap and, to refuse system calls, cc with libseccomp-dev"

  /// Whether the kernel lets a plain user open events of own programs.
  static let userHasEvents: Bool = {
    let file = URL(fileURLWithPath: "/proc/sys/kernel/perf_event_paranoid")
    let text = (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }
    return (text?.split(separator: "\n").first).flatMap { Int($0) }.map { $0 <= 2 } ?? false
  }()

  static let areThere: Bool = {
    guard Machine.isRoot, let scratch = try? Scratch() else { return false }
    return allCases.allSatisfy { rung in
      (try? Command.run(rung.words(writingTo: scratch) + ["true"]))?.status == 0
    }
  }()
}
