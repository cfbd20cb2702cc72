import CPerfEvent
import Glibc
import PerfData

/// Reads files again after the recorded processes wrote them, so that a report can tell whether a rewrite changed them.
///
/// The kernel hands over the very file that was closed (fanotify), whatever it is named by now. What is read comes from
/// the page cache; no more is read than a share of a core in a hundred affords.
final class ContentWatcher {
  /// Larger files are not looked at.
  static let largestFile = 4 << 20
  private static let bytesPerSecond = 4 << 20
  private static let mostFiles = 512
  private static let shortestWait: UInt64 = 20_000_000
  /// File systems that stand for storage, as in the report.
  private static let fileSystems: Set<String> = [
    "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay", "zfs", "bcachefs", "jfs",
  ]

  private let processes: ProcessBook
  /// Nil where the kernel does not allow it.
  private let descriptor: OwnedDescriptor?
  private let problem: String?
  private var blocks: [String: BlockHashes] = [:]
  private var budget = bytesPerSecond
  private var refilled: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: BlockHashes.blockBytes * 16)

  /// Watches the file systems of storage, for what these processes write.
  init(processes: ProcessBook) {
    self.processes = processes
    let fd = lull_contents_open()
    guard fd >= 0 else {
      descriptor = nil
      problem = KernelFile.errorText(-fd)
      return
    }
    descriptor = OwnedDescriptor(fd)
    problem = nil
    var devices: Set<dev_t> = []
    for line in (KernelFile.text("/proc/self/mounts") ?? "").split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2, Self.fileSystems.contains(String(fields[2])) else { continue }
      let path = String(fields[1])
      var status = stat()
      guard stat(path, &status) == 0, devices.insert(status.st_dev).inserted else { continue }
      _ = lull_contents_mark(fd, path)
    }
  }

  /// What the files hold that the recorded processes closed since the last look, each with the time from which it
  /// holds.
  private func look(
    _ descriptor: OwnedDescriptor, now: UInt64
  ) -> [(event: ContentEvent, pid: Int32, time: UInt64)] {
    refill(now)
    var found: [(event: ContentEvent, pid: Int32, time: UInt64)] = []
    var files = [lull_closed_file](repeating: lull_closed_file(fd: -1, pid: 0), count: 64)
    // A machine that writes without end must not keep the recorder from its rings.
    for _ in 0..<16 {
      let count = lull_contents_read(descriptor.number, &files, files.count)
      guard count > 0 else { break }
      for file in files.prefix(Int(count)) where file.fd >= 0 {
        let opened = OwnedDescriptor(file.fd)
        guard processes.seen.contains(file.pid), let (event, time) = read(opened) else { continue }
        found.append((event, file.pid, time))
      }
    }
    return found
  }

  private func refill(_ now: UInt64) {
    let passed = min(now &- refilled, 1_000_000_000)
    refilled = now
    budget = min(
      Self.bytesPerSecond, budget + Int(passed) * Self.bytesPerSecond / 1_000_000_000)
  }

  private func read(_ file: OwnedDescriptor) -> (ContentEvent, UInt64)? {
    guard let state = FileState(of: file), state.hasName,
      let path = KernelFile.link("/proc/self/fd/\(file.number)")
    else { return nil }
    // Whatever it was renamed to before this moment is its name.
    let time = SystemInfo.monotonicNanoseconds()
    let size = state.size
    let old = blocks.removeValue(forKey: path)
    guard size <= Self.largestFile, size <= budget, blocks.count < Self.mostFiles else {
      return nil
    }
    budget -= size
    // Of a file that is written meanwhile no state was read that it ever had; it will be closed once more.
    guard let new = BlockHashes(of: file, bytes: size, buffer: &buffer),
      FileState(of: file) == state
    else { return nil }
    blocks[path] = new
    return (
      ContentEvent(
        path: path, size: UInt64(new.size), changedBytes: old.map { new.changedBytes(since: $0) },
        isEqual: old.map { $0 == new }), time
    )
  }
}

extension ContentWatcher: RecordingSource {
  var unavailable: [CaptureEvent.Unavailable] {
    guard let problem else { return [] }
    return [
      .init(
        .fileContents,
        "whether rewrites change a file is not known: fanotify cannot be used (\(problem))")
    ]
  }

  /// Nothing just after a look, as a busy machine closes files all the time.
  func descriptors(now: UInt64) -> [Int32] {
    now &- refilled >= Self.shortestWait ? [descriptor].compactMap { $0?.number } : []
  }

  func collect(_ round: Round) throws(PerfDataError) {
    guard let descriptor else { return }
    for reading in look(descriptor, now: round.now) {
      try round.sink.append(reading.event, pid: reading.pid, time: reading.time)
    }
  }
}

/// What a regular file's inode says of its content.
private struct FileState: Equatable {
  let size: Int
  let hasName: Bool
  /// When it was written last, as seconds and nanoseconds.
  private let seconds: Int, nanoseconds: Int

  /// Nil for what is no regular file.
  init?(of file: OwnedDescriptor) {
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int(status.st_size)
    hasName = status.st_nlink > 0
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
