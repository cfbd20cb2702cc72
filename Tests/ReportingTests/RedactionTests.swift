import Foundation
import PerfData
import TestSupport
import Testing

@testable import TraceModel

@Suite struct RedactionTests {
  @Test func `homes, build folders and people become placeholders, each its own`() {
    var names = NameRedactor(hostname: "buildbox.example.org")
    let pairs = [
      ("/home/alice/data/x.txt", "/home/user/data/n.txt"),
      ("/home/bob/data/x.txt", "/home/user2/data/n.txt"),
      ("/root/notes", "/home/user3/n2"),
      ("/home/alice/app/.build/debug/app", "/build/.build/debug/n3"),
      ("/home/alice/app/Sources/App/main.swift", "/build/Sources/n4/main.swift"),
      ("/ci/thing/data", "/build2/n5/data"),
      ("/srv/acme-corp/customers.db", "/srv/n6/n7.db"),
      ("/srv/acme-corp/customers.db-wal", "/srv/n6/n7.db-wal"),
      ("/var/log/acme/2026.log", "/var/log/n8/2026.log"),
      ("/opt/acme/bin/tool", "/opt/n8/bin/n9"),
      ("/opt/swift/usr/lib/libx.so", "/opt/swift/usr/lib/libx.so"),
      ("/usr/local/acme", "/usr/local/n8"),
      ("/usr/lib/libc.so.6", "/usr/lib/libc.so.6"), ("/proc/self/maps", "/proc/self/maps"),
      ("/dev/shm/x", "/dev/shm/n"), ("/tmp/alice.sock", "/tmp/n10.sock"),
      ("--path=/home/bob/x,/usr/x", "--path=/home/user2/n,/usr/x"),
      ("cat /home/bob/x /home/alice/y", "cat /home/user2/n /home/user/n11"),
      ("-I/home/bob/include", "-I/home/user2/n12"), ("a/b/c", "a/b/c"), ("//anon", "//anon"),
      ("buildbox up, buildbox.example.org too", "host up, host too"), ("malice", "malice"),
      ("[heap]", "[heap]"), ("", ""), ("/", "/"), ("socket:[123]", "socket:[123]"),
    ]
    for (text, _) in pairs { _ = names.text(text) }
    names.seal()
    for (text, expected) in pairs { #expect(names.text(text) == expected) }
    // Redacting what is redacted changes nothing.
    var again = NameRedactor(hostname: "host")
    for (_, text) in pairs { _ = again.text(text) }
    again.seal()
    for (_, text) in pairs { #expect(again.text(text) == text) }
  }

  @Test func `paths with blanks, and those from the working directory on, are paths too`() {
    var names = NameRedactor(hostname: nil)
    let files = [
      ("/srv/acme corp/the plan.txt", "/srv/n/n2.txt"), ("secret/plan.txt", "n3/n4.txt"),
      ("socket:[12]", "socket:[12]"), ("[heap]", "[heap]"), ("plan.txt", "n4.txt"),
      ("anon_inode:inotify", "anon_inode:inotify"),
    ]
    for (text, _) in files { _ = names.opened(text) }
    names.seal()
    for (text, expected) in files { #expect(names.opened(text) == expected) }
  }

  @Test func `of a command line options, numbers and programs are left`() {
    var names = NameRedactor(hostname: "buildbox")
    _ = names.name("MyServer")
    let pairs = [
      ("swift", "swift"), ("run", "run"), ("MyServer", "MyServer"), ("--", "--"), ("-rf", "-rf"),
      ("--port=8080", "--port=8080"), ("--every", "--every"), ("500ms", "500ms"), ("-j8", "-j8"),
      ("--customer=initech", "--customer=n"), ("initech", "n"), ("-pswordfish", "-pn2"),
      ("TOKEN=swordfish", "TOKEN=n2"), ("--out=plans/swordfish.txt", "--out=n3/n2.txt"),
      ("https://bob:swordfish@initech.com/x?y=z", "https://n4:n2@n.com/n5=n6"),
      ("echo swordfish > /tmp/initech; true", "n7 n2 > /tmp/n; n8"), ("10.1.2.3:80", "10.0.0.1:80"),
      ("[2606:2800::1]:443", "[2001:db8::1]:443"), ("buildbox", "n9"),
    ]
    for (text, _) in pairs { _ = names.argument(text) }
    names.seal()
    for (text, expected) in pairs { #expect(names.argument(text) == expected) }
    // Once more it changes nothing.
    var again = NameRedactor(hostname: "host")
    _ = again.name("MyServer")
    for (_, text) in pairs { _ = again.argument(text) }
    again.seal()
    for (_, text) in pairs { #expect(again.argument(text) == text) }
  }

  // `--token 998877665544` was kept, as every number was.
  @Test func `a number that may be a secret is none that is kept`() {
    var names = NameRedactor(hostname: nil)
    let line = [
      "--token", "998877665544", "--pin", "1234", "--port", "8080", "--api-key=4321",
      "SSN=123456789",
      "c3dvcmRmaXNo==", "-p1234567", "SELECT 1 FROM t WHERE pin = 1234 AND ssn='078051120'",
      "--jobs=8",
      "99887766ab", "--threads", "12",
    ]
    _ = names.arguments(line)
    names.seal()
    let shown = names.arguments(line)
    let text = shown.joined(separator: " ")
    for secret in [
      "998877665544", "1234", "4321", "123456789", "c3dvcmRmaXNo", "078051120", "99887766ab",
    ] {
      #expect(!text.contains(secret), "\(secret): \(text)")
    }
    for kept in [0, 2, 4, 5, 11, 13, 14] { #expect(shown[kept] == line[kept]) }
    #expect(shown[6].hasPrefix("--api-key=") && shown[7].hasPrefix("SSN="))
  }

  @Test func `of events that Lull does not know numbers alone are understood`() throws {
    func format(_ system: String, _ fields: String...) throws -> TracepointFormat {
      let text = "name: event\nID: 7\nformat:\n" + fields.map { "\tfield:\($0)\n" }.joined()
      return try #require(TracepointFormat(parsing: text, system: system))
    }
    let number = "unsigned int fd;\toffset:8;\tsize:4;\tsigned:0;"
    let name = "char comm[16];\toffset:12;\tsize:16;\tsigned:0;"
    let text = "__data_loc char[] msg;\toffset:28;\tsize:4;\tsigned:0;"
    // As tcp:tcp_probe has it, which is no address of 4 or 16 bytes.
    let bytes = "__u8 saddr[28];\toffset:28;\tsize:28;\tsigned:0;"
    let address = "__be32 daddr;\toffset:28;\tsize:4;\tsigned:0;"
    #expect(EventDispatch.isUnderstood(try format("mine", number, name)))
    for field in [text, bytes, address] {
      #expect(!EventDispatch.isUnderstood(try format("mine", number, field)), "\(field)")
    }
    #expect(EventDispatch.isUnderstood(try format("lull_12", number, text)))
  }

  @Test func `a folder that is called as a placeholder keeps its name to itself`() {
    var names = NameRedactor(hostname: nil)
    for text in ["/ci/a", "/build/a", "/home/alice/a"] { _ = names.text(text) }
    names.seal()
    #expect(names.text("/ci/a") == "/build2/n")
    #expect(names.text("/build/a") == "/build/n")
  }

  @Test func `addresses keep their kind, and different ones stay different`() {
    var names = NameRedactor(hostname: nil)
    let pairs = [
      ("93.184.216.34:443", "192.0.2.1:443"), ("8.8.8.8", "192.0.2.2"),
      ("93.184.216.34", "192.0.2.1"), ("127.0.0.1:80", "127.0.0.1:80"),
      ("0.0.0.0:80", "0.0.0.0:80"), ("192.168.1.7", "10.0.0.1"), ("172.20.0.1", "10.0.0.2"),
      ("::1", "::1"), ("2606:2800::1", "2001:db8::1"), ("fe80::1234", "fe80::1"),
      ("[2606:2800::1]:443", "[2001:db8::1]:443"), ("::ffff:8.8.8.8", "::ffff:192.0.2.2"),
      ("6.3.1", "6.3.1"), ("12:30:45", "12:30:45"), ("224.0.0.251", "224.0.0.251"),
    ]
    for (text, expected) in pairs { #expect(names.text(text) == expected) }
    var addresses = AddressRedactor()
    var seen: Set<[UInt8]> = []
    for index in 0..<5000 {
      seen.insert(addresses.bytes([9, 0, UInt8(index / 256), UInt8(index % 256)]))
    }
    #expect(seen.count == 5000)
  }

  @Test func `where a program works is not told, and what it names from there stays one file`()
    throws
  {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    var builder = TraceBuilder()
    let second: UInt64 = 1_000_000_000
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100, executable: "/home/alice/app")
    try builder.synthetic(
      ProcessEvent(pid: 100, kind: .moved, workingFolder: "/home/alice/secret"), time: second + 1,
      pid: 100)
    for (index, path) in ["plan.txt", "/home/alice/secret/plan.txt"].enumerated() {
      let time = 2 * second + UInt64(index) * 10_000
      builder.open(time: time, tid: 100, path: path, fd: 3)
      builder.exitSyscall(time: time + 500, tid: 100, number: 257, result: 3)
      builder.exitSyscall(time: time + 2000, tid: 100, number: 1, result: 10, arguments: [3])
      builder.exitSyscall(time: time + 3000, tid: 100, number: 3, result: 0, arguments: [3])
    }
    let copy = folder.path + "/copy"
    try builder.withFile { try Redaction.redact(tracePath: $0, to: copy) }
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: copy)), as: UTF8.self)
    #expect(!text.contains("alice") && !text.contains("secret"))
    let files = try Trace.load(path: copy).fileOperations.filter { $0.kind == .write }.map(\.path)
    #expect(files.count == 2 && Set(files).count == 1, "\(files)")
  }

  /// Nothing tells what such a record says, so nobody can say that it names no one.
  @Test(arguments: [60, 200] as [UInt32])
  func `a trace that is not understood whole is not called fit to be shared`(type: UInt32) throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    func redacted(with extra: [UInt8]) throws -> String {
      var builder = TraceBuilder()
      try builder.capture(time: 1_000_000_000, rootPid: 100)
      try builder.process(time: 1_000_000_000, pid: 100, executable: "/home/alice/app")
      builder.comm(time: 1_000_000_001, pid: 100, tid: 100, name: "app", isExec: true)
      builder.append(extra)
      builder.exit(time: 2_000_000_000, pid: 100, tid: 100)
      return try builder.withFile { path in
        let copy = "\(folder.path)/copy-\(extra.count)"
        try Redaction.redact(tracePath: path, to: copy)
        return copy
      }
    }
    #expect(FileManager.default.fileExists(atPath: try redacted(with: [])))
    // Type, misc, size; then what may be a name.
    var record = withUnsafeBytes(of: type.littleEndian) { Array($0) } + [0, 0, 40, 0]
    record += Array("/home/alice/secret-plan".utf8) + [UInt8](repeating: 0, count: 9)
    let error = #expect(throws: TraceError.self) { try redacted(with: record) }
    #expect(error?.description.contains("1 record of type \(type)") == true, "\(error as Any)")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/copy-\(record.count)"))
  }
}
