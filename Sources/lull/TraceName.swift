import ArgumentParser
import Glibc
import Reporting

/// Where a recording goes when its user does not say.
enum TraceName {
  /// `<program>-<yyyymmdd-hhmmss>.perf.data` in the current directory, not taken yet.
  static func choose(program: String) -> String {
    let base = base(program: program)
    var candidate = base + ".perf.data"
    var number = 2
    while access(candidate, F_OK) == 0 {
      candidate = "\(base)-\(number).perf.data"
      number += 1
    }
    return candidate
  }

  /// `<program>-<yyyymmdd-hhmmss>`.
  static func base(program: String) -> String {
    let name = program.split(separator: "/").last.map(String.init) ?? "program"
    let safe = String(
      name.unicodeScalars.prefix(64).map { scalar -> Character in
        let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
        return isPlain || "._-+".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
      })
    return (safe.hasPrefix("-") || safe.hasPrefix(".") ? "_" + safe : safe) + "-" + stamp()
  }

  /// The folder of a whole path.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The kernel's name of a process, or its pid where there is none.
  static func program(pid: Int32) -> String {
    guard let file = fopen("/proc/\(pid)/comm", "re") else { return "pid\(pid)" }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 64)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return "pid\(pid)" }
    let bytes = buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The local time, `<yyyymmdd-hhmmss>`.
  static func stamp() -> String {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    var buffer = [CChar](repeating: 0, count: 32)
    strftime(&buffer, buffer.count, "%Y%m%d-%H%M%S", &local)
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
