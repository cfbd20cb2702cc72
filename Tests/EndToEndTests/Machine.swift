import Foundation
import Testing

/// What the machine the tests run on has and allows.
enum Machine {
  static let isRoot = geteuid() == 0
  static let hasStrace = tool("strace") != nil
  static let hasPerf = tool("perf") != nil
  static let hasReadelf = tool("readelf") != nil

  /// What runs a command in a PID namespace of its own.
  static let newPIDNamespace = ["unshare", "-m", "-p", "-f", "--mount-proc"]
  static let hasPIDNamespaces = (try? Command.run(newPIDNamespace + ["true"]))?.status == 0

  /// The reason the tests that record are left out.
  static let needsRoot: Comment = "recording needs root here"
  static let needsStrace: Comment = "compares with strace, which is not installed"
  static let needsReadelf: Comment = "compares with readelf, which is not installed"
  static let needsPerf: Comment = "compares with perf, which is not installed"

  /// Whether programs in the kernel can record here.
  static let recordsInKernel: Bool = {
    guard isRoot, let scratch = try? Scratch() else { return false }
    let words = [lull, "record", "-q", "--no-report", "--recorder", "kernel", "-o"]
    return (try? Command.run(words + [scratch.file("t"), "--", "true"]))?.status == 0
  }()
  /// The usual recorder, and that by perf's events alone, which is the same where no program may run in the kernel.
  static let usualAndPerf = ["auto", "perf"]
  /// By what recorder programs are recorded where a test does not say: another than the usual one with
  /// `LULL_TEST_RECORDER=perf`, to see what it tells otherwise.
  static let recorder: [String] =
    ProcessInfo.processInfo.environment["LULL_TEST_RECORDER"].map { ["--recorder", $0] } ?? []
  static let needsKernelPrograms: Comment = "programs in the kernel cannot record here"

  /// Whether the suites run that need a quiet machine to hold every time.
  static let isQuiet = ProcessInfo.processInfo.environment["LULL_END_TO_END"] != nil
  static let needsQuiet: Comment = "set LULL_END_TO_END on a quiet machine: it compares times"

  /// The first executable of that name on the search path.
  static func tool(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }

  /// A program of this package, built beside the test bundle.
  static func built(_ name: String) -> String {
    let folders =
      [ownFolder]
      + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 } ?? name
  }

  static let lull = built("lull")
  static let workload = built("lull-workload")
  static let asyncWorkload = built("lull-workload-async")
  /// The same as the first, with LullAgent in it.
  static let agentWorkload = built("lull-workload-agent")

  private static var ownFolder: String {
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: path).deletingLastPathComponent().path
  }
}

/// A directory on a real file system that is gone when the test ends.
final class Scratch {
  let path: String

  /// Not in the temporary directory by default: it may be a tmpfs, where nothing counts as a disk write.
  init(in folder: String = "/var/tmp") throws {
    var template = Array("\(folder)/lull-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Under sudo Lull records as another user, who must be able to write here.
    chmod(path, 0o777)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Builds a program of C; gives its path.
  func program(_ name: String, _ source: String, _ options: [String] = []) throws -> String {
    let text = file(name + ".c")
    try Data(source.utf8).write(to: URL(fileURLWithPath: text))
    let built = try Command.run(["cc", "-O1"] + options + ["-o", file(name), text])
    try #require(built.status == 0, "\(built.errors)")
    return file(name)
  }
}
