import Glibc

/// A release of the kernel, as far as it decides what there is.
package struct KernelVersion: Comparable, Sendable {
  package var major: Int
  package var minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads what `uname -r` prints.
  package init(_ release: String) {
    let numbers = release.split(whereSeparator: { !$0.isNumber }).prefix(2).map { Int($0) ?? 0 }
    self.init(numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0)
  }

  /// The one that runs here.
  package static var current: KernelVersion {
    KernelVersion(SystemInfo.features().osRelease ?? "")
  }

  package static func < (left: KernelVersion, right: KernelVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
