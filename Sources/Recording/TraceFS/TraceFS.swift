import CPerfEvent
import Glibc

/// The kernel's trace file system, wherever it is mounted, or a private mount of it.
package struct TraceFS: Sendable {
  /// Where the files are read.
  package enum Origin: Sendable, Equatable {
    /// It was mounted there already.
    case mounted(path: String)
    /// A mount of our own that is attached nowhere and ends with the program.
    case detached
  }

  /// Where the files are read.
  package let origin: Origin

  private let directory: OwnedDescriptor

  /// Why there is no trace file system for us, and what would help.
  package struct Absence: Error {
    var kind: RecordingError.Kind
    var cause: String
    var fix: String?
    var errno: Int32
    /// Whether there is one, which may not be read.
    var isRefused = false
  }

  /// Opens the trace file system, which stays as it was for everybody else.
  ///
  /// One that is mounted is used; else it is mounted detached from the directory tree, which
  /// needs CAP_SYS_ADMIN.
  package static func locate() throws(RecordingError) -> TraceFS {
    switch search() {
    case .success(let found): return found
    case .failure(let absence):
      throw RecordingError(
        kind: absence.kind,
        message: absence.cause + (absence.fix.map { ": run as root, or \($0)" } ?? ""),
        errno: absence.errno)
    }
  }

  /// Opens the trace file system, or says why not in parts.
  package static func search() -> Result<TraceFS, Absence> {
    var refusal: (path: String, cause: Int32)?
    for path in candidates(mounts: KernelFile.text("/proc/self/mounts") ?? "") {
      guard let directory = OwnedDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY) else {
        if errno != ENOENT, refusal == nil { refusal = (path, errno) }
        continue
      }
      // An empty mount point, or one whose files are not for us, is of no use. Found by opening:
      // `access` would leave the capabilities of the program's file out of account.
      if OwnedDescriptor(opening: probed, in: directory) != nil {
        return .success(TraceFS(origin: .mounted(path: path), directory: directory))
      }
      if errno != ENOENT, refusal == nil { refusal = (path, errno) }
    }
    let mounted = lull_tracefs_detached_mount()
    if mounted >= 0 {
      let directory = OwnedDescriptor(mounted)
      if OwnedDescriptor(opening: probed, in: directory) != nil {
        return .success(TraceFS(origin: .detached, directory: directory))
      }
      if refusal == nil { refusal = ("a private mount of tracefs", errno) }
    }
    return .failure(absence(refusal: refusal, mountError: mounted < 0 ? -mounted : 0))
  }

  private static let probed = "events/header_page"

  /// The places to look, in order, given the text of /proc/self/mounts.
  static func candidates(mounts: String) -> [String] {
    var found: [String] = []
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 3 else { continue }
      let path = unescaped(fields[1])
      switch fields[2] {
      case "tracefs": found.append(path)
      case "debugfs": found.append(path + "/tracing")
      default: break
      }
    }
    for path in ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"]
    where !found.contains(path) { found.append(path) }
    return found
  }

  /// Blanks and backslashes are octal in /proc/self/mounts.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func absence(
    refusal: (path: String, cause: Int32)?, mountError: Int32
  ) -> Absence {
    if let refusal {
      let isPath = refusal.path.hasPrefix("/")
      return Absence(
        kind: .permission,
        cause: "\(refusal.path) may not be read (\(KernelFile.errorText(refusal.cause)))",
        fix: isPath
          ? "let your group read it with `sudo mount -o remount,gid=\(getegid()),mode=0750"
            + " \(refusal.path)`" : nil,
        errno: refusal.cause, isRefused: true)
    }
    if mountError == ENODEV {
      return Absence(
        kind: .unsupported,
        cause: "this kernel has no tracefs: it was built without CONFIG_TRACING, so tracepoints"
          + " cannot be recorded", errno: mountError)
    }
    return Absence(
      kind: .permission,
      cause: "tracefs is not mounted and may not be mounted here"
        + " (\(KernelFile.errorText(mountError)))",
      fix: "mount it with `sudo mount -t tracefs -o gid=\(getegid()),mode=0750 tracefs"
        + " /sys/kernel/tracing` (into a container: `-v /sys/kernel/tracing:/sys/kernel/tracing`)",
      errno: mountError)
  }

  /// The number by which `perf_event_open` knows a tracepoint; nil when there is none.
  package func eventID(_ system: String, _ name: String) -> UInt64? {
    guard let text = try? read("events/\(system)/\(name)/id") else { return nil }
    return UInt64(text.prefix { $0.isNumber })
  }

  /// The layout of a tracepoint's payload; nil when there is no such tracepoint.
  package func format(_ system: String, _ name: String) -> String? {
    try? read("events/\(system)/\(name)/format")
  }

  /// The text of `events/header_page`, empty when it cannot be read.
  package var headerPage: String { (try? read("events/header_page")) ?? "" }

  /// The text of `events/header_event`, empty when it cannot be read.
  package var headerEvent: String { (try? read("events/header_event")) ?? "" }

  /// Whether a file may be written.
  package func isWritable(_ path: String) -> Bool {
    opened(toAppend: path) != nil
  }

  /// A file that commands can be appended to.
  func opened(toAppend path: String) -> OwnedDescriptor? {
    OwnedDescriptor(opening: path, in: directory, flags: O_WRONLY | O_APPEND)
  }

  /// A file to be read, or to be locked by.
  func opened(_ path: String) -> OwnedDescriptor? { OwnedDescriptor(opening: path, in: directory) }

  /// The text of a file, its path relative to the file system's root.
  package func read(_ path: String) throws(RecordingError) -> String {
    guard let file = OwnedDescriptor(opening: path, in: directory),
      let bytes = file.readToEnd()
    else { throw refused("read", path, errno) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends one command to a file such as `uprobe_events`, in one `write`.
  package func append(_ text: String, to path: String) throws(RecordingError) {
    guard let file = opened(toAppend: path) else { throw refused("open", path, errno) }
    let bytes = Array(text.utf8)
    var count: Int
    repeat {
      count = Glibc.write(file.number, bytes, bytes.count)
    } while count < 0
      && errno == EINTR
    if count < 0 { throw refused("write `\(text)` to", path, errno) }
    if count != bytes.count {
      throw RecordingError(
        kind: .io, message: "only \(count) of \(bytes.count) bytes were written to tracefs \(path)")
    }
  }

  private func refused(_ action: String, _ path: String, _ cause: Int32) -> RecordingError {
    let advice: String
    let kind: RecordingError.Kind
    switch cause {
    case EACCES, EPERM:
      (advice, kind) = ("run as root", .permission)
    case ENOENT:
      (advice, kind) = ("this kernel does not have it", .unsupported)
    case EBUSY:
      (advice, kind) = ("an event of it is still in use: try again when that has ended", .io)
    default:
      (advice, kind) = ("tracefs error_log may tell more", .io)
    }
    return RecordingError(
      kind: kind,
      message: "cannot \(action) tracefs \(path) (\(KernelFile.errorText(cause))): \(advice)",
      errno: cause)
  }
}
