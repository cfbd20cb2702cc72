import Glibc

/// By what the kernel tells a mapped file that has no build id.
struct FileNumber {
  let inode: UInt64
  /// Whether it is told by the same number wherever it is mapped: a file of layers (a container's) may have that of the
  /// layer it is in, and one of no device, as those of layers are, a number of another kind.
  let isOfDevice: Bool

  /// Of the file that a path leads to; nil where there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    // The major number (gnu_dev_major of sys/sysmacros.h), as far as Linux uses it.
    isOfDevice = status.st_dev >> 8 & 0xfff != 0
  }
}
