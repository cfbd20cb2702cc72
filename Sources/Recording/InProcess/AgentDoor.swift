import CPreloadRing
import Files
import Glibc

/// Where a running program that links `LullAgent` is asked to be recorded from within.
///
/// It is a page of memory that the program has mapped from a file of its user's. Until somebody asks there is nothing
/// else in the program, which finds the question at the next of its calls that the agent stands in front of.
final class AgentDoor {
  /// The program's user.
  let user: uid_t
  /// What the recording began with.
  private(set) var processes: [PreloadProcess] = []
  /// Children with the same door that are not to be recorded, with theirs.
  var strangers: Set<Int32> = []
  private let pid: Int32
  private let place: Place
  /// As long as it is open nobody else can ask.
  private let file: OwnedDescriptor
  private let door: UnsafeMutablePointer<lull_door>
  private var number: UInt32 = 0

  /// Takes the door of a process for this recorder.
  init(of pid: Int32) throws(RecordingError) {
    guard let place = Place(of: pid) else {
      throw RecordingError(
        kind: .unsupported,
        message: "process \(pid) has no agent, which a program has that imports LullAgent")
    }
    guard let file = OwnedDescriptor(opening: place.path, flags: O_RDWR | O_NOFOLLOW) else {
      throw RecordingError(
        kind: .permission,
        message: "the agent of process \(pid) answers its own user alone (\(place.path):"
          + " \(KernelFile.errorText(errno)))", errno: errno)
    }
    var information = stat()
    guard fstat(file.number, &information) == 0, information.st_ino == place.inode,
      information.st_size == Int(lull_page_bytes), information.st_uid == Self.user(of: pid),
      let memory = mmap(
        nil, Int(lull_page_bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0),
      memory != MAP_FAILED
    else {
      throw RecordingError(
        kind: .unsupported, message: "the agent of process \(pid) is not at \(place.path)")
    }
    door = memory.bindMemory(to: lull_door.self, capacity: 1)
    self.pid = pid
    self.place = place
    self.file = file
    user = information.st_uid
    // What was opened is given back by deinit from here on.
    guard door.pointee.pid == pid else {
      throw RecordingError(
        kind: .unsupported,
        message: "process \(pid) has the agent of process \(door.pointee.pid), whose child it is")
    }
    guard door.pointee.version == UInt32(lull_preload_version) else {
      throw RecordingError(
        kind: .unsupported, message: "the agent of process \(pid) is of another version of Lull")
    }
    Self.removeStale(beside: place.path)
    guard lull_door_lock(file.number) == 0 else {
      throw RecordingError(
        kind: .io,
        message: "process \(pid) is being recorded by another recorder"
          + " (process \(door.pointee.recorder)): wait until that has ended, or stop it",
        errno: EBUSY)
    }
  }

  deinit { munmap(door, Int(lull_page_bytes)) }

  /// Removes what programs left that were killed.
  private static func removeStale(beside path: String) {
    var namespace = stat()
    guard let slash = path.lastIndex(of: "/"), stat("/proc/self/ns/pid", &namespace) == 0 else {
      return
    }
    // Of what stays the next recorder may find more.
    for name in (try? Folder.names(in: String(path[..<slash]))) ?? [] {
      // PID-NAMESPACE; of other namespaces nothing is known.
      let parts = name.split(separator: "-")
      guard parts.count == 2, let pid = Int32(parts[0]), pid > 0,
        parts[1] == String(namespace.st_ino), kill(pid, 0) < 0, errno == ESRCH
      else { continue }
      unlink("\(path[..<slash])/\(name)")
    }
  }

  /// Whether a process has an agent of its own.
  static func isThere(of pid: Int32) -> Bool { Place(of: pid) != nil }

  /// Whether a child has the same door: it was made by a fork, and runs the same program.
  func isShared(with child: Int32) -> Bool { Place(of: child)?.inode == place.inode }

  private static func user(of pid: Int32) -> uid_t? {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/status"),
      let field = ProcFields.field("Uid:", of: bytes[...])
    else { return nil }
    // Real, effective, saved, that of files.
    let numbers = field.split { $0 == 9 || $0 == 32 }
    return numbers.count > 1 ? ProcFields.number(numbers[1]).map { uid_t(clamping: $0) } : nil
  }

  /// Asks, and gives the threads that there are.
  ///
  /// What each does is looked at after that: who ends a call by then takes the recording up, and tells of what follows.
  /// Looked at before, one that goes on to its next wait until the program is asked would be known by none of them.
  func ask(_ pids: [Int32], into folder: PreloadFolder) -> Set<Int32> {
    withUnsafeMutableBytes(of: &door.pointee.folder) { bytes in
      bytes.copyBytes(from: folder.path.utf8.prefix(bytes.count - 1))
      bytes[min(folder.path.utf8.count, bytes.count - 1)] = 0
    }
    door.pointee.recorder = getpid()
    repeat {
      number = UInt32.random(in: 1..<LULL_DOOR_OVER)
    } while number == door.pointee.answered
    let now = SystemInfo.monotonicNanoseconds()
    door.pointee.asked = now
    lull_door_ask(door, number)
    processes = pids.map { pid in
      let threads = ProcessProbe.threadIDs(pid: pid).compactMap { EarlierThread(pid: pid, tid: $0) }
      return PreloadProcess(pid, threads.map { $0.began(at: now) }, at: now)
    }
    return Set(processes.flatMap(\.earlier.keys))
  }

  /// Whether the program has taken up the recording.
  var isAnswered: Bool { lull_door_answer(door) == number }

  /// Has a thread that runs without making calls take the recording up.
  func nudge(_ tid: Int32) {
    guard door.pointee.takes_signal != 0 else { return }
    _ = lull_nudge(pid, tid, LULL_SAMPLE_SIGNAL)
  }

  func end() { if number != 0 { lull_door_end(door, number) } }

  /// The file of a process's door, as its mappings name it.
  private struct Place {
    var path: String
    var inode: UInt64

    init?(of pid: Int32) {
      guard let text = KernelFile.text("/proc/\(pid)/maps") else { return nil }
      let line = text.split(separator: "\n").first { $0.contains("/\(LULL_DOOR_FOLDER)") }
      // start-end perms offset dev inode path
      guard
        let fields = line?.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true),
        fields.count == 6, let inode = UInt64(fields[4])
      else { return nil }
      let path = fields[5].drop { $0 == " " }
      guard !path.hasSuffix(" (deleted)") else { return nil }
      self.path = String(path)
      self.inode = inode
    }
  }
}
