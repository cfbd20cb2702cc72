import ArgumentParser
import Glibc
import Quantities
import Recording

/// A running process as users name it: by its id, or by its program.
enum RunningProcess {
  private struct Candidate {
    var pid: Int32
    var parent: Int32
    var name: String
  }

  /// The process; of a program that runs as several, the one of which the others are children.
  @Sendable static func find(_ argument: String) throws -> Int32 {
    if let pid = Int32(argument) {
      guard pid > 0 else {
        throw ValidationError("--pid must be above zero; `ps` lists processes.")
      }
      return pid
    }
    let all = candidates()
    let named = all.filter { $0.name == argument }
    let pids = Set(named.map(\.pid))
    // Children are recorded with their parents.
    let first = named.filter { !pids.contains($0.parent) }
    if first.count == 1 { return first[0].pid }
    guard !first.isEmpty else {
      throw ValidationError(
        "no process is called '\(argument)': "
          + NearestName.hint(argument, among: Set(all.map(\.name))))
    }
    let list = first.map { String($0.pid) }.joined(separator: ", ")
    throw ValidationError("\(first.count) processes are called '\(argument)': give one of \(list).")
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
      return name.map { Candidate(pid: pid, parent: statistics.parentPid, name: $0) }
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
