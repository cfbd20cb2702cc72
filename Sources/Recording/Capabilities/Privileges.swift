import Glibc

/// The rights that we run with.
package struct Privileges: Sendable, Equatable {
  /// Capabilities that matter here, by the kernel's numbers.
  package enum Capability: Int, Sendable, CaseIterable {
    case readAll = 2
    case trace = 19
    case admin = 21
    case syslog = 34
    case perfmon = 38

    /// The name as `setcap` has it.
    package var name: String {
      switch self {
      case .readAll: "cap_dac_read_search"
      case .trace: "cap_sys_ptrace"
      case .admin: "cap_sys_admin"
      case .syslog: "cap_syslog"
      case .perfmon: "cap_perfmon"
      }
    }
  }

  /// The effective user.
  package var user: UInt32
  /// The effective capabilities' bits.
  package var effective: UInt64
  /// Whether a seccomp filter is at work.
  package var isFiltered: Bool

  /// Reads those of this thread.
  package static func current() -> Privileges {
    parse(KernelFile.text("/proc/thread-self/status") ?? "", user: geteuid())
  }

  static func parse(_ status: String, user: UInt32) -> Privileges {
    var result = Privileges(user: user, effective: 0, isFiltered: false)
    for line in status.split(separator: "\n") {
      let parts = line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })
      guard parts.count == 2 else { continue }
      if parts[0] == "CapEff" { result.effective = UInt64(parts[1], radix: 16) ?? 0 }
      if parts[0] == "Seccomp" { result.isFiltered = parts[1] == "2" }
    }
    return result
  }

  /// Whether a capability is in effect.
  package func has(_ capability: Capability) -> Bool {
    effective >> UInt64(capability.rawValue) & 1 != 0
  }

  /// Whether all performance events are allowed, as far as capabilities say.
  package var mayMonitor: Bool { has(.perfmon) || has(.admin) }

  /// Whether memory may be locked beyond all limits: CAP_IPC_LOCK.
  var mayLock: Bool { effective >> 14 & 1 != 0 }

  /// In words, for reports.
  package var text: String {
    if user == 0 {
      return mayMonitor ? "as root" : "as root without CAP_PERFMON (a container?)"
    }
    let held = Capability.allCases.filter { has($0) }.map(\.name)
    return held.isEmpty
      ? "as user \(user) without capabilities"
      : "as user \(user) with \(held.joined(separator: ", "))"
  }
}
