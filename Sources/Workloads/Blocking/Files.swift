import Foundation

/// Files on a disk, opened so that reading and syncing them waits for the device.
struct Files {
  let chunk = 64 << 10
  let direct: Int32
  let written: Int32
  let buffer: UnsafeMutableRawPointer
  /// A file to be read whole.
  let whole: URL
  private let position: UnsafeMutablePointer<Int>
  private let chunks = 64

  init(_ directory: String) throws {
    // glibc's O_DIRECT is hidden behind _GNU_SOURCE; the number is the kernel's.
    #if arch(arm64)
      let past: Int32 = 0o200000
    #else
      let past: Int32 = 0o40000
    #endif
    buffer = .allocate(byteCount: chunk, alignment: 4096)
    buffer.initializeMemory(as: UInt8.self, repeating: 7, count: chunk)
    position = .allocate(capacity: 1)
    position.initialize(to: 0)
    let path = directory + "/read"
    let filled = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    for _ in 0..<chunks { _ = write(filled, buffer, chunk) }
    fsync(filled)
    close(filled)
    whole = URL(fileURLWithPath: path)
    direct = open(path, O_RDONLY | past | O_CLOEXEC)
    written = open(directory + "/written", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    guard filled >= 0, direct >= 0, written >= 0 else { throw CocoaError(.fileReadUnknown) }
  }

  /// Makes the next reader of the whole file wait for the device.
  func dropFromCache() { _ = posix_fadvise(direct, 0, 0, POSIX_FADV_DONTNEED) }

  func nextChunk() -> Int {
    position.pointee = (position.pointee + 1) % chunks
    return position.pointee
  }
}
