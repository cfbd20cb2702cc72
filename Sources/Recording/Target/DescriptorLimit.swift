import Glibc

/// How many descriptors the recorder may have open: each recorded thread takes one for each event and CPU.
enum DescriptorLimit {
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  /// What the recorder has open beside events.
  private static let others: rlim_t = 256

  /// Takes all that may be had without privileges. A command that was started before keeps its own limit.
  static func raise() {
    guard var limit = current else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }

  /// Takes more where these are not enough, which needs CAP_SYS_RESOURCE; false where so many cannot be had.
  static func raise(toHold events: Int) -> Bool {
    guard var limit = current else { return true }
    let needed = rlim_t(events) + others
    guard needed > limit.rlim_max else { return true }
    guard
      let most = KernelFile.text("/proc/sys/fs/nr_open").flatMap({ text in
        rlim_t(text.prefix { $0.isNumber })
      })
    else { return false }
    limit.rlim_max = most
    limit.rlim_cur = most
    return setrlimit(resource, &limit) == 0 && needed <= most
  }

  private static var current: rlimit? {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? limit : nil
  }
}
