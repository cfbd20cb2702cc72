import Glibc

/// By what a file is known again, whatever it is named: of one path there may be several, by builds and containers.
struct FileIdentity: Hashable {
  let device: UInt64
  let inode: UInt64
  private let size: Int64
  private let changed: Int64
  private let changedNanoseconds: Int64

  /// Of the file that a path leads to; nil where there is none.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    device = UInt64(information.st_dev)
    inode = UInt64(information.st_ino)
    size = Int64(information.st_size)
    changed = Int64(information.st_ctim.tv_sec)
    changedNanoseconds = Int64(information.st_ctim.tv_nsec)
  }
}
