import Glibc
import PerfData

/// Tells when the control group of a process is frozen and when it is let go on.
///
/// No event tells it of version 1's freezer; a look is one or two reads of files that stay open.
final class FreezeWatch {
  private let pid: Int32
  private let groups: OwnedDescriptor?
  private var known: [UInt8] = []
  private var states: [OwnedDescriptor] = []
  private var buffer = [UInt8](repeating: 0, count: 1024)
  private var isFrozen = false
  private var nextLook: UInt64 = 0

  private static let interval: UInt64 = 100_000_000

  init(pid: Int32) {
    self.pid = pid
    groups = OwnedDescriptor(opening: "/proc/\(pid)/cgroup")
  }

  /// Whether it is frozen now, where that has changed since the last look.
  private func look(now: UInt64) -> Bool? {
    guard now >= nextLook, let groups else { return nil }
    nextLook = now + Self.interval
    guard let count = groups.readAgain(into: &buffer) else { return nil }
    if buffer[..<count] != known[...] {
      // The first look, or the process was put into another group.
      known = Array(buffer[..<count])
      let text = String(decoding: known, as: UTF8.self)
      states = Self.files(cgroups: text, mounts: KernelFile.text("/proc/self/mounts") ?? "")
        .compactMap { OwnedDescriptor(opening: $0) }
    }
    var found = false
    for state in states {
      guard let count = state.readAgain(into: &buffer) else { continue }
      found = found || Self.isFrozen(String(decoding: buffer[..<count], as: UTF8.self))
    }
    guard found != isFrozen else { return nil }
    isFrozen = found
    return found
  }

  /// cgroup.events of version 2 (since Linux 5.2), freezer.state of version 1.
  static func files(cgroups: String, mounts: String) -> [String] {
    ControlGroup.groups(of: "freezer", cgroups: cgroups, mounts: mounts).map {
      $0.directory + ($0.isFirst ? "/freezer.state" : "/cgroup.events")
    }
  }

  static func isFrozen(_ text: String) -> Bool {
    text.split(separator: "\n").contains { $0 == "FROZEN" || $0 == "frozen 1" }
  }
}

extension FreezeWatch: RecordingSource {
  func collect(_ round: Round) throws(PerfDataError) {
    if look(now: round.now) != nil { try tell(round) }
  }

  func beginPart(_ round: Round) throws(PerfDataError) { if isFrozen { try tell(round) } }

  private func tell(_ round: Round) throws(PerfDataError) {
    let mark = MarkEvent(name: isFrozen ? "frozen" : "thawed", how: "cgroup")
    try round.sink.append(mark, pid: pid, time: round.now)
  }
}
