import Glibc
import PerfData

/// Who tells which program a process runs.
enum ProgramTeller {
  /// Events tell of every exec as it happens.
  case events
  /// Nobody: it is looked at, and told as it is seen.
  case looks
  /// Programs themselves, once they are loaded. What is seen before that waits for their word; who finds that no word
  /// comes says so.
  case programs
}

/// The file and arguments that a process runs.
struct RunningProgram: Equatable {
  /// Empty where it may not be known, as that of another user's rights.
  let file: String
  private let arguments: [UInt8]

  /// - Returns: Nil if the process has ended.
  init?(pid: Int32) {
    if let file = KernelFile.link("/proc/\(pid)/exe") {
      self.file = file
    } else if errno == EACCES {
      file = ""
    } else {
      return nil
    }
    arguments = KernelFile.bytes("/proc/\(pid)/cmdline") ?? []
  }

  /// Whether the kernel may have named it so as it began: by its file, or by the script or link that was asked for.
  func isCalled(_ name: String) -> Bool {
    let arguments = arguments.split(separator: 0).prefix(4).map {
      String(decoding: $0, as: UTF8.self)
    }
    return ([file] + arguments).contains { Self.short($0) == name }
  }

  /// The kernel's names have 15 bytes (TASK_COMM_LEN).
  private static func short(_ path: String) -> String {
    String(
      decoding: path.utf8.split(separator: UInt8(ascii: "/")).last?.prefix(15) ?? [], as: UTF8.self)
  }
}

/// A program that was seen before it was told.
struct SightedProgram {
  let program: RunningProgram
  /// When it was seen first, on the monotonic clock, in nanoseconds.
  let since: UInt64
  /// The kernel's name for the process as it was seen.
  let name: String
  let parent: Int32
  /// What is to be said of it: it may be over by then.
  let description: ProcessEvent

  init?(_ program: RunningProgram, pid: Int32, at time: UInt64) {
    guard let statistics = ProcessStatistics(pid: pid), statistics.state != "Z",
      var description = ProcessProbe.describe(pid: pid, kind: .exec)
    else { return nil }
    description.threads = nil
    if ProcessProbe.isSecure(pid: pid) { description.endedEvents = true }
    self.program = program
    since = time
    name = statistics.name
    parent = statistics.parentPid
    self.description = description
  }

  func isCalled(_ name: String) -> Bool { self.name == name || program.isCalled(name) }
}
