import ArgumentParser
import Glibc
import Quantities
import Recording

/// A running process as users name it: by its id, or by its program.
struct RunningProcess {
  private struct Candidate {
    var pid: Int32
    var parent: Int32
    var name: String
    /// What ps shows: of a program that was started by another name, such as a link's, that one.
    var shownName: String
  }

  /// That there is none is no error of usage, which the argument parser would make of it.
  private let found: Result<Int32, Failure>

  /// - Throws: Only what is wrong however the machine is.
  @Sendable init(argument: String) throws {
    guard let pid = Int32(argument) else {
      found = Self.find(argument)
      return
    }
    guard pid > 0 else {
      throw ValidationError("a process must be above zero; `ps` lists processes.")
    }
    found = .success(pid)
  }

  /// Nil where there is none.
  var pid: Int32? { try? found.get() }

  /// - Throws: `Failure` that says what to do where there is none.
  func get() throws(Failure) -> Int32 { try found.get() }

  /// The process; of a program that runs as several, the one of which the others are children.
  private static func find(_ argument: String) -> Result<Int32, Failure> {
    func failure(_ message: String) -> Result<Int32, Failure> {
      .failure(Failure(status: Exit.usage, message: message))
    }
    let all = candidates()
    let byFile = all.filter { $0.name == argument }
    let named = byFile.isEmpty ? all.filter { $0.shownName == argument } : byFile
    let pids = Set(named.map(\.pid))
    // Children are recorded with their parents.
    let first = named.filter { !pids.contains($0.parent) }
    if first.count == 1 { return .success(first[0].pid) }
    guard !first.isEmpty else {
      return failure(
        "no process is called “\(argument)”: "
          + NearestName.hint(argument, among: Set(all.map(\.name))))
    }
    let list = first.map { String($0.pid) }.joined(separator: ", ")
    return failure("\(first.count) processes are called “\(argument)”: give one of \(list)")
  }

  /// Programs by their files' names: the kernel's own name for a process is cut to 15 bytes.
  private static func candidates() -> [Candidate] {
    let own = getpid()
    return KernelFile.numbers(in: "/proc").compactMap { pid in
      guard pid != own, let statistics = ProcessStatistics(pid: pid), statistics.state != "Z" else {
        return nil
      }
      let name =
        programName(pid: pid) ?? (ProcessProbe.isKernelThread(pid: pid) ? nil : statistics.name)
      return name.map {
        Candidate(
          pid: pid, parent: statistics.parentPid, name: $0, shownName: statistics.name)
      }
    }
  }

  /// The name of a process's file, where this user may see it.
  static func programName(pid: Int32) -> String? {
    guard let name = KernelFile.link("/proc/\(pid)/exe")?.split(separator: "/").last else {
      return nil
    }
    return String(name.hasSuffix(" (deleted)") ? name.dropLast(10) : name)
  }
}
