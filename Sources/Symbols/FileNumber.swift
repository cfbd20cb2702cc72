import Glibc

/// By what a file is known that has no build id: the number by which the kernel tells its mappings, and its age.
package struct FileNumber {
  package let inode: UInt64
  /// Whether it is told by the same number wherever it is mapped: a file of layers (a container's) may have that of the
  /// layer it is in, and one of no device, as those of layers are, a number of another kind.
  package let isOfDevice: Bool
  /// When its contents were changed last, nanoseconds since 1970.
  package let modified: UInt64

  /// Of the file that a path leads to; nil where there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    // The major number (gnu_dev_major of sys/sysmacros.h), as far as Linux uses it.
    isOfDevice = status.st_dev >> 8 & 0xfff != 0
    modified =
      UInt64(clamping: status.st_mtim.tv_sec) &* 1_000_000_000
      &+ UInt64(clamping: status.st_mtim.tv_nsec)
  }
}
