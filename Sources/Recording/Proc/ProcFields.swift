/// Scans the `Name:  value` lines of /proc files without making strings.
enum ProcFields {
  /// Calls with each line, its end left out.
  static func forEachLine(of bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: 10) ?? bytes.endIndex
      body(bytes[start..<end])
      start = end < bytes.endIndex ? end + 1 : end
    }
  }

  /// What follows a name that the line begins with.
  static func rest(after name: StaticString, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let length = name.utf8CodeUnitCount
    guard line.count > length else { return nil }
    let matches = name.withUTF8Buffer { wanted in
      line.prefix(length).elementsEqual(wanted)
    }
    return matches ? line.dropFirst(length) : nil
  }

  /// The number after a name that the line begins with.
  static func value(_ name: StaticString, in line: ArraySlice<UInt8>) -> UInt64? {
    rest(after: name, in: line).flatMap(number)
  }

  /// The hexadecimal mask of a line of that name.
  static func mask(_ name: StaticString, in line: ArraySlice<UInt8>) -> UInt64? {
    rest(after: name, in: line).flatMap { digits in
      UInt64(String(decoding: digits.drop { $0 == 9 || $0 == 32 }, as: UTF8.self), radix: 16)
    }
  }

  /// What follows a name in the first line that begins with it.
  static func field(_ name: StaticString, of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    forEachLine(of: bytes) { line in
      if found == nil { found = rest(after: name, in: line) }
    }
    return found
  }

  /// The value in bytes of a line that is in kB.
  static func kilobytes(_ name: StaticString, in bytes: ArraySlice<UInt8>) -> UInt64? {
    field(name, of: bytes).flatMap(number).map { $0 << 10 }
  }

  /// The first decimal number, after blanks.
  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var any = false
    for byte in bytes {
      if byte >= 48, byte <= 57 {
        value = value &* 10 &+ UInt64(byte - 48)
        any = true
      } else if any || (byte != 32 && byte != 9) {
        break
      }
    }
    return any ? value : nil
  }
}

/// The fields of /proc/PID/stat that Lull reads.
package struct ProcessStatistics: Equatable, Sendable {
  /// The thread's name, which may hold anything, parentheses and blanks too.
  package var name: String
  /// One letter: R, S, D, Z, T, …
  package var state: Character
  /// The parent.
  package var parentPid: Int32
  /// The kernel's PF_ bits.
  package var flags: UInt64
  /// Faults answered from memory.
  package var minorFaults: UInt64
  /// Faults that had to read storage.
  package var majorFaults: UInt64
  /// Time in the program, in clock ticks.
  package var userTicks: UInt64
  /// Time in the kernel, in clock ticks.
  package var systemTicks: UInt64
  /// How many threads there are.
  package var threads: UInt64
  /// When the process began, in clock ticks since the machine did.
  package var startTicks: UInt64
  /// Where its program's arguments are in its memory, another place for each that it begins to run; 0 without the right
  /// to trace it.
  package var argumentsStart: UInt64

  /// Whether it is stopped, by a signal or by who traces it (proc_pid_stat(5)).
  package var isStopped: Bool { state == "T" || state == "t" }

  /// Reads the line; nil when it is cut short.
  package init?(parsing bytes: ArraySlice<UInt8>) {
    // A name may hold ") ", so the last parenthesis ends it.
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    name = String(decoding: bytes[(open + 1)..<close], as: UTF8.self)
    let fields = bytes[(close + 1)...].split(whereSeparator: { $0 == 32 || $0 == 10 })
    guard fields.count >= 20, let letter = fields[0].first else { return nil }
    state = Character(UnicodeScalar(letter))
    func field(_ number: Int) -> UInt64 { ProcFields.number(fields[number - 3]) ?? 0 }
    parentPid = Int32(truncatingIfNeeded: field(4))
    flags = field(9)
    minorFaults = field(10)
    majorFaults = field(12)
    userTicks = field(14)
    systemTicks = field(15)
    threads = field(20)
    startTicks = field(22)
    argumentsStart = fields.count > 45 ? field(48) : 0
  }

  /// Reads the line of a process; nil when there is none.
  package init?(pid: Int32) {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/stat") else { return nil }
    self.init(parsing: bytes[...])
  }
}
