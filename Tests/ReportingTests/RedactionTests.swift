import Testing

@testable import TraceModel

@Suite struct RedactionTests {
  @Test func `homes, build folders and people become placeholders, each its own`() {
    var names = NameRedactor(hostname: "buildbox.example.org")
    let pairs = [
      ("/home/alice/data/x.txt", "/home/user/data/x.txt"),
      ("/home/bob/data/x.txt", "/home/user2/data/x.txt"),
      ("/root/notes", "/home/user3/notes"),
      ("/home/alice/app/.build/debug/app", "/build/.build/debug/app"),
      ("/home/alice/app/Sources/App/main.swift", "/build/Sources/App/main.swift"),
      ("/ci/thing/data", "/build2/thing/data"),
      ("/usr/lib/libc.so.6", "/usr/lib/libc.so.6"), ("/proc/self/maps", "/proc/self/maps"),
      ("/dev/shm/x", "/dev/shm/x"), ("/tmp/alice.sock", "/tmp/user.sock"),
      ("--path=/home/bob/x,/usr/x", "--path=/home/user2/x,/usr/x"),
      ("cat /home/bob/x /home/alice/y", "cat /home/user2/x /home/user/y"),
      ("-I/home/bob/include", "-I/home/user2/include"), ("a/b/c", "a/b/c"), ("//anon", "//anon"),
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

  @Test func `a folder that is called as a placeholder keeps its name to itself`() {
    var names = NameRedactor(hostname: nil)
    for text in ["/ci/a", "/build/a", "/home/alice/a"] { _ = names.text(text) }
    names.seal()
    #expect(names.text("/ci/a") == "/build2/a")
    #expect(names.text("/build/a") == "/build/a")
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
}
