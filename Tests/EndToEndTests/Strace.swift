import Foundation
import Testing

/// What strace saw a program do to one file.
struct FileActivity: Equatable {
  var writes = 0
  var bytes = 0
  var syncs = 0
}

enum Strace {
  /// Runs a command under strace and sums up its writes and syncs by path.
  static func files(of command: [String], scratch: Scratch) throws -> [String: FileActivity] {
    let log = scratch.file("strace.log")
    let calls = "write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,rename"
    let result = try Command.run(
      ["strace", "-f", "-y", "-s", "0", "-e", "trace=\(calls)", "-o", log] + command)
    try #require(result.status == 0, "strace: \(result.errors)")
    return parse(try String(contentsOfFile: log, encoding: .utf8))
  }

  /// Lines such as `1234  write(6</a/b>, ""..., 33) = 33`, whole or split in unfinished and resumed.
  static func parse(_ log: String) -> [String: FileActivity] {
    var files: [String: FileActivity] = [:]
    var unfinished: [Substring: Substring] = [:]
    for line in log.split(separator: "\n") {
      guard let space = line.firstIndex(of: " ") else { continue }
      let thread = line[..<space]
      var call = line[space...].drop { $0 == " " }
      if call.hasSuffix("<unfinished ...>") {
        unfinished[thread] = call
        continue
      }
      let result = call.range(of: " = ", options: .backwards)
        .flatMap { Int(call[$0.upperBound...].prefix { $0.isNumber || $0 == "-" }) }
      if call.hasPrefix("<...") { call = unfinished.removeValue(forKey: thread) ?? call }
      if call.hasPrefix("rename("), result == 0 {
        move(call, in: &files)
        continue
      }
      guard let result, result >= 0, let open = call.firstIndex(of: "("),
        let start = call.range(of: "</"), let end = call[start.upperBound...].firstIndex(of: ">")
      else { continue }
      let path = "/" + call[start.upperBound..<end]
      if call[..<open].contains("sync") {
        files[path, default: FileActivity()].syncs += 1
      } else {
        files[path, default: FileActivity()].writes += 1
        files[path, default: FileActivity()].bytes += result
      }
    }
    return files
  }

  /// `rename("/a", "/b")`: what was written to a temporary file is the final one's.
  private static func move(_ call: Substring, in files: inout [String: FileActivity]) {
    let names = call.split(separator: "\"").filter { $0.hasPrefix("/") }.map(String.init)
    guard names.count == 2, let moved = files.removeValue(forKey: names[0]) else { return }
    files[names[1], default: FileActivity()].writes += moved.writes
    files[names[1], default: FileActivity()].bytes += moved.bytes
    files[names[1], default: FileActivity()].syncs += moved.syncs
  }
}

@Suite struct StraceTests {
  @Test func `whole and split lines are summed by path`() {
    let log = """
      10 write(6</a/b>, ""..., 33) = 33
      11 fsync(7</a/c> <unfinished ...>
      10 write(1<pipe:[4]>, ""..., 5) = 5
      11 <... fsync resumed>) = 0
      10 pwrite64(6</a/b>, ""..., 4, 516) = 4
      10 write(6</a/b>, ""..., 4) = -1 ENOSPC (No space left on device)
      10 write(8</a/t>, ""..., 9) = 9
      10 rename("/a/t", "/a/d") = 0
      """
    #expect(
      Strace.parse(log) == [
        "/a/b": FileActivity(writes: 2, bytes: 37), "/a/c": FileActivity(syncs: 1),
        "/a/d": FileActivity(writes: 1, bytes: 9),
      ])
  }
}
