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

/// The program that a process runs.
struct RunningProgram: Equatable {
  /// Empty where it may not be known, as that of another user's rights.
  let file: String
  /// Where its arguments are: what they are a program may change (setproctitle), as often as it likes.
  private let place: UInt64
  /// What it is called by its first argument.
  private let firstArgument: String

  /// - Returns: Nil if the process has ended.
  init?(pid: Int32) {
    guard var file = Self.file(pid) else { return nil }
    var (place, arguments): (UInt64, [UInt8]) = (0, [])
    // In the midst of an exec the file is the new one already, and there are no arguments yet.
    for _ in 0..<Self.mostReadings {
      place = ProcessStatistics(pid: pid)?.argumentsStart ?? 0
      arguments = KernelFile.bytes("/proc/\(pid)/cmdline") ?? []
      guard let after = Self.file(pid) else { return nil }
      if after == file, !arguments.isEmpty { break }
      file = after
      usleep(100)
    }
    (self.file, self.place) = (file, place)
    firstArgument = String(decoding: arguments.prefix { $0 != 0 }, as: UTF8.self)
  }

  static func == (a: RunningProgram, b: RunningProgram) -> Bool {
    a.file == b.file && a.place == b.place
  }

  private static let mostReadings = 10

  private static func file(_ pid: Int32) -> String? {
    KernelFile.link("/proc/\(pid)/exe") ?? (errno == EACCES ? "" : nil)
  }

  /// Whether it may be asked for by that name of the kernel's: that of its file, or of a link to it.
  ///
  /// A script's is among its arguments, as is that of a program that another was told to run (`timeout 5 server`): who
  /// looks for one compares the kernel's name itself.
  func isCalled(_ name: String) -> Bool {
    Self.short(file) == name || Self.short(firstArgument) == name
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
    guard let statistics = ProcessStatistics(pid: pid),
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
