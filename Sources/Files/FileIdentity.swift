#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// By what a file is known again, whatever it is named: of one path there may be several, by builds and containers.
///
/// Archives give their files the same time of contents each time, and a file that takes another's place may get its
/// number: one that is the same in all of these is the same.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int64
  /// When its contents were changed last, nanoseconds since 1970.
  package let modified: UInt64
  /// When it was changed itself, its name and rights with it, nanoseconds since 1970.
  package let changed: UInt64

  /// Of the file that a path leads to; nil where there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  /// Whether the kernel tells its mappings by the same number wherever it is mapped: a file of layers (a container's)
  /// may have that of the layer it is in, and one of no device (major number 0), as those of layers are, a number of
  /// another kind.
  package var isOfDevice: Bool {
    // gnu_dev_major of sys/sysmacros.h, as far as Linux uses it.
    device >> 8 & 0xfff != 0
  }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }
}
