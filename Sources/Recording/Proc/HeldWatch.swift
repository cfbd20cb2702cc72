import Glibc
import PerfData

/// Tells which locks on files, and which of logind's inhibitors, the recorded processes hold.
///
/// A lock that is held for less than the distance of two looks may be missed; one that is held while its process is
/// stopped is not.
final class HeldWatch {
  /// What is held, as it can be told from others.
  struct Entry: Hashable {
    var pid: Int32
    var kind: HeldEvent.Kind
    var isExclusive: Bool
    /// Device and inode of a lock, with its sort; the name of an inhibitor's file.
    var identifier: String
    /// What is inhibited.
    var what = ""
  }

  private let processes: ProcessBook
  private let inhibitors: String
  private let locks = OwnedDescriptor(opening: "/proc/locks")
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var lastLocks: [UInt8] = []
  private var foundLocks: Set<Entry> = []
  private var foundInhibitors: Set<Entry> = []
  private var names: [Entry: String] = [:]
  private var nextLook: UInt64 = 0
  private var nextInhibitors: UInt64 = 0

  private static let interval: UInt64 = 200_000_000
  private static let inhibitorInterval: UInt64 = 1_000_000_000

  init(of processes: ProcessBook, inhibitors: String = "/run/systemd/inhibit") {
    self.processes = processes
    self.inhibitors = inhibitors
  }

  /// The locks of /proc/locks that these processes hold; those that wait for one are none.
  static func locks(_ text: String, of isRecorded: (Int32) -> Bool) -> Set<Entry> {
    var found: Set<Entry> = []
    for line in text.split(separator: "\n") {
      // "1: POSIX  ADVISORY  WRITE 4711 fe:00:5482612 0 EOF"; a waiting one has "->" behind its number.
      let fields = line.split(separator: " ")
      guard fields.count >= 6, ["POSIX", "FLOCK"].contains(fields[1]), let pid = Int32(fields[4]),
        isRecorded(pid)
      else { continue }
      found.insert(
        Entry(
          pid: pid, kind: .fileLock, isExclusive: fields[3] == "WRITE",
          identifier: "\(fields[1]) \(fields[5])"))
    }
    return found
  }

  /// An inhibitor of logind's, by its file (systemd's logind-inhibit.c); nil where it is none that holds things up.
  static func inhibitor(_ text: String, file: String) -> Entry? {
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      values[line[..<equals]] = line[line.index(after: equals)...]
    }
    guard let pid = values["PID"].flatMap({ Int32($0) }), let what = values["WHAT"] else {
      return nil
    }
    return Entry(
      pid: pid, kind: .inhibitor, isExclusive: values["MODE"] == "block", identifier: file,
      what: String(what))
  }

  private func lookAtLocks() -> Set<Entry> {
    guard let count = locks?.readAgain(into: &buffer) else { return [] }
    if buffer[..<count] == lastLocks[...] { return foundLocks }
    lastLocks = Array(buffer[..<count])
    let seen = processes.seen
    return Self.locks(String(decoding: lastLocks, as: UTF8.self)) { seen.contains($0) }
  }

  private func lookAtInhibitors() -> Set<Entry> {
    var found: Set<Entry> = []
    for name in KernelFile.names(in: inhibitors) where !name.hasSuffix(".ref") {
      guard let text = KernelFile.text("\(inhibitors)/\(name)"),
        let entry = Self.inhibitor(text, file: name), processes.seen.contains(entry.pid)
      else { continue }
      found.insert(entry)
    }
    return found
  }

  /// The path of a locked file, among those that the process has open.
  private func name(of entry: Entry) -> String {
    if entry.kind == .inhibitor { return entry.what }
    let place = entry.identifier.split(separator: " ").last.map(String.init) ?? ""
    for fd in KernelFile.numbers(in: "/proc/\(entry.pid)/fd") {
      var information = stat()
      guard stat("/proc/\(entry.pid)/fd/\(fd)", &information) == 0,
        place.hasSuffix(":\(information.st_ino)"),
        let file = DescriptorTable.inspect(pid: entry.pid, fd: Int(fd))
      else { continue }
      return file.path
    }
    return "a file (\(place))"
  }

  private func tell(
    _ found: Set<Entry>, before: Set<Entry>, _ round: Round
  ) throws(PerfDataError) {
    for (entries, isHeld) in [
      (found.subtracting(before), true), (before.subtracting(found), false),
    ] {
      for entry in entries.sorted(by: { ($0.pid, $0.identifier) < ($1.pid, $1.identifier) }) {
        let name = names[entry] ?? self.name(of: entry)
        names[entry] = isHeld ? name : nil
        try round.sink.append(
          HeldEvent(
            kind: entry.kind, name: name, isExclusive: entry.isExclusive, isHeld: isHeld,
            identifier: entry.identifier), pid: entry.pid, time: round.now)
      }
    }
  }
}

extension HeldWatch: RecordingSource {
  func collect(_ round: Round) throws(PerfDataError) {
    guard round.now >= nextLook else { return }
    nextLook = round.now + Self.interval
    let found = lookAtLocks()
    try tell(found, before: foundLocks, round)
    foundLocks = found
    guard round.now >= nextInhibitors else { return }
    nextInhibitors = round.now + Self.inhibitorInterval
    let inhibited = lookAtInhibitors()
    try tell(inhibited, before: foundInhibitors, round)
    foundInhibitors = inhibited
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    try tell(foundLocks.union(foundInhibitors), before: [], round)
  }
}
