import Glibc

/// Why something could not be opened, and the smallest step that would help.
struct Refusal {
  var cause: String
  var error: String?
  var fix: String?

  /// The kernel's name for an error number.
  static func name(of number: Int32) -> String {
    let names: [Int32: String] = [
      EACCES: "EACCES", EPERM: "EPERM", ENOENT: "ENOENT", ENOSYS: "ENOSYS", ENODEV: "ENODEV",
      EOPNOTSUPP: "EOPNOTSUPP", EINVAL: "EINVAL", EMFILE: "EMFILE", ENFILE: "ENFILE",
      ENOMEM: "ENOMEM", EBUSY: "EBUSY", ESRCH: "ESRCH", E2BIG: "E2BIG", EROFS: "EROFS",
      ENOSPC: "ENOSPC",
    ]
    return names[number] ?? "errno \(number)"
  }
}

/// Explains refusals by what is known of the machine.
struct Explanation {
  var privileges: Privileges
  var paranoidLevel: Int?
  var kernel: KernelVersion
  /// Where the program is, for `setcap`.
  var program: String
  /// Whether even counting an own program's context switches was refused.
  var refusesEverything: Bool

  /// The advice that gives the right to tracepoints.
  var raiseFix: String {
    if privileges.user == 0 || privileges.isFiltered { return containerFix }
    let sudo = "run `sudo \(program) …`, which runs your command as you"
    // CAP_PERFMON came with Linux 5.8.
    guard kernel >= KernelVersion(5, 8) else { return sudo }
    // Whoever may run a file with these rights may read what root's processes hold.
    let copy = "/usr/local/bin/lull-perf"
    return sudo + ", or once, for your group alone,"
      + " `sudo install -g $(id -gn) -m 0750 \(program) \(copy) && sudo setcap"
      + " cap_perfmon,cap_sys_ptrace,cap_syslog,cap_dac_read_search=ep \(copy)`"
  }

  /// The advice for a container: what is added to it is its root's, and tracepoints are listed in tracefs.
  private var containerFix: String {
    "record from the host, `sudo lull record --pid PID`, or start the container as root with"
      + " `--cap-add=PERFMON --cap-add=SYS_PTRACE --cap-add=SYSLOG"
      + " -v /sys/kernel/tracing:/sys/kernel/tracing`"
  }

  /// Why perf_event_open said no.
  func event(_ cause: Int32, needsCapability: Bool, userLevel: Int = 1) -> Refusal {
    let error = Refusal.name(of: cause)
    switch cause {
    case EACCES, EPERM:
      if refusesEverything, privileges.isFiltered {
        return Refusal(
          cause: "a seccomp filter refuses perf_event_open", error: error, fix: containerFix)
      }
      if privileges.mayMonitor {
        return Refusal(
          cause: "refused in spite of the right to monitor: kernel lockdown or a security"
            + " module forbids it", error: error,
          fix: "see `cat /sys/kernel/security/lockdown` and the kernel's log")
      }
      let level = paranoidLevel.map { " (kernel.perf_event_paranoid is \($0))" } ?? ""
      if needsCapability {
        return Refusal(
          cause: "tracepoints' data need CAP_PERFMON\(level)", error: error, fix: raiseFix)
      }
      return Refusal(
        cause: "refused without CAP_PERFMON\(level)", error: error,
        fix: privileges.user == 0
          ? raiseFix : "`sudo sysctl kernel.perf_event_paranoid=\(userLevel)`, or \(raiseFix)")
    case ENOSYS:
      return privileges.isFiltered
        ? Refusal(
          cause: "a seccomp filter hides perf_event_open", error: error, fix: containerFix)
        : Refusal(
          cause: "the kernel was built without performance events", error: error,
          fix: "use a kernel with CONFIG_PERF_EVENTS")
    case ENOENT, ENODEV, EOPNOTSUPP:
      return Refusal(cause: "this kernel or machine does not have the event", error: error)
    case EMFILE, ENFILE:
      return Refusal(cause: "no more descriptors", error: error, fix: "raise `ulimit -n`")
    case EINVAL:
      return Refusal(
        cause: "this kernel does not know an option that is needed", error: error,
        fix: "use a newer kernel")
    default:
      return Refusal(cause: KernelFile.errorText(cause), error: error)
    }
  }

  /// Why a ring buffer could not be mapped.
  func ring(_ cause: Int32, kilobytes: Int) -> Refusal {
    guard cause == EPERM else {
      return Refusal(
        cause: "mapping failed: \(KernelFile.errorText(cause))", error: Refusal.name(of: cause))
    }
    let limit = KernelFile.integer("/proc/sys/kernel/perf_event_mlock_kb") ?? 0
    return Refusal(
      cause: "locked memory is limited to \(limit) kB a CPU (kernel.perf_event_mlock_kb) and"
        + " `ulimit -l`", error: Refusal.name(of: cause),
      fix: "`sudo sysctl kernel.perf_event_mlock_kb=\(max(kilobytes, limit))`, or"
        + " raise `ulimit -l`")
  }
}
