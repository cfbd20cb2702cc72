import CPreloadRing
import Files
import Glibc

/// The folder that a recording shares with the programs in it: how it goes on, and each process's rings.
final class PreloadFolder {
  let path: String
  private let control: UnsafeMutablePointer<lull_control>
  private let watch: Int32
  private let fifo: Int32
  private var seen: Set<String> = []
  /// Why it was not known at last which processes have begun.
  private(set) var failure: FolderError?

  /// Memory where there is some, since what is written there is nobody's disk writes.
  private static let places = [
    "/dev/shm", getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, "/tmp",
  ]
  .compactMap { $0 }

  /// A folder of its own in the first place that takes one, at last beside the trace; of a user whose process has it.
  init(_ options: RecordingOptions, for user: uid_t? = nil) throws(RecordingError) {
    Self.removeStale()
    var found: String?
    for place in Self.places + [Self.folder(of: options.outputPath)].compactMap(\.self)
    where found == nil {
      var name = Array("\(place)/lull-XXXXXX".utf8CString)
      if mkdtemp(&name) != nil {
        found = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    guard let path = found else {
      throw RecordingError(
        kind: .io,
        message: "no folder for the recording's rings can be made in "
          + Self.places.joined(separator: ", ") + ": \(KernelFile.errorText(errno))", errno: errno)
    }
    self.path = path
    Self.give(path, to: user)
    guard let memory = Self.create("\(path)/control") else {
      rmdir(path)
      throw RecordingError(
        kind: .io, message: "\(path)/control: \(KernelFile.errorText(errno))", errno: errno)
    }
    Self.give("\(path)/control", to: user)
    control = memory.bindMemory(to: lull_control.self, capacity: 1)
    control.pointee.version = UInt32(lull_preload_version)
    control.pointee.recording = 1
    control.pointee.stack_bytes = options.stackBytes
    control.pointee.recorder = getpid()
    control.pointee.tick_scale = ProcessorTicks.scale()
    if let own = TimeNamespace.own {
      control.pointee.time_namespace = own.inode
      control.pointee.clock_offset = own.offset
    }
    control.pointee.sample_interval = UInt32(clamping: options.sampleInterval)
    if case .command(let words) = options.target, TestHost.isStarted(by: words) {
      control.pointee.runs_tests = 1
    }
    withUnsafeMutableBytes(of: &control.pointee.library) { bytes in
      guard options.takesChildren, let library = PreloadLibrary.path?.utf8,
        library.count < bytes.count
      else { return }
      bytes.copyBytes(from: library)
    }
    mkfifo("\(path)/wake", 0o600)
    Self.give("\(path)/wake", to: user)
    fifo = open("\(path)/wake", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    _ = inotify_add_watch(watch, path, UInt32(IN_MOVED_TO))
  }

  deinit {
    munmap(control, Int(lull_page_bytes))
    for descriptor in descriptors { close(descriptor) }
  }

  private static func give(_ path: String, to user: uid_t?) {
    guard let user, geteuid() == 0 else { return InvokingUser.own(path) }
    _ = lchown(path, user, gid_t.max)
  }

  /// The folder that a file is in, whole: programs may work elsewhere.
  private static func folder(of path: String) -> String? {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard let whole = realpath(folder, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }

  /// Removes what recorders left that were killed.
  private static func removeStale() {
    for place in places {
      // Not every machine has each of them; of what stays the next recorder may find more.
      for name in (try? Folder.names(in: place)) ?? [] where name.hasPrefix("lull-") {
        let folder = "\(place)/\(name)"
        var information = stat()
        guard lstat(folder, &information) == 0, information.st_mode & S_IFMT == S_IFDIR,
          information.st_uid == geteuid(),
          let bytes = OwnedDescriptor(opening: "\(folder)/control")?.readToEnd(limit: 16),
          bytes.count >= 16
        else { continue }
        let recorder = bytes.withUnsafeBytes { $0.load(fromByteOffset: 12, as: Int32.self) }
        if recorder > 0, kill(recorder, 0) < 0, errno == ESRCH { Folder.remove(folder) }
      }
    }
  }

  private static func create(_ path: String) -> UnsafeMutableRawPointer? {
    let size = Int(lull_page_bytes)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard posix_fallocate(descriptor, 0, size) == 0 else { return nil }
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return memory == MAP_FAILED ? nil : memory
  }

  /// Become readable when a process begins, or a ring is half full.
  var descriptors: [Int32] { [watch, fifo].filter { $0 >= 0 } }

  /// The segments that came since this was asked for, oldest first.
  ///
  /// None where the folder cannot be listed; they are still new the next time.
  func newSegments() -> [String] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    for descriptor in descriptors { while read(descriptor, &bytes, bytes.count) > 0 {} }
    let present: [String]
    do throws(FolderError) {
      present = try Folder.names(in: path)
      failure = nil
    } catch {
      failure = error
      return []
    }
    // What was read is not there any longer.
    seen.formIntersection(present)
    var names: [(name: String, time: UInt64)] = []
    for name in present {
      // PID-TIME; what is still being made has another ending.
      guard let dash = name.firstIndex(of: "-"),
        let time = UInt64(name[name.index(after: dash)...]), seen.insert(name).inserted
      else { continue }
      names.append((name, time))
    }
    return names.sorted { $0.time < $1.time }.map { "\(path)/\($0.name)" }
  }

  /// What goes on running is not recorded any longer.
  func stop() { control.pointee.recording = 0 }

  func remove() { Folder.remove(path) }

  /// What a program needs in its environment to be recorded.
  func environment(adding old: [String: String]) -> [String: String] {
    guard let library = PreloadLibrary.path else { return old }
    var environment = old
    let others = old["LD_PRELOAD"].map { ":" + $0 } ?? ""
    environment["LD_PRELOAD"] = library + others
    environment["LULL_PRELOAD_FOLDER"] = path
    return environment
  }
}
