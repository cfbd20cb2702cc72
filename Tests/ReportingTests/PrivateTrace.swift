import PerfData
import TestSupport

/// A trace full of what nobody wants to share.
enum PrivateTrace {
  /// What must not be in a redacted copy, as bytes of text.
  static let secrets = [
    "alice", "secrethost", "secretproject", "bobsmith", "93.184.216.34", "hunter2-in-a-stack",
    "acme-corp", "customers", "merger", "notes.txt", "initech", "swordfish", "bluebook", "in-frame",
    "in-a-reg",
  ]
  static let remote: [UInt8] = [93, 184, 216, 34]

  static func write(to path: String) throws {
    var trace = TraceBuilder()
    trace.features.hostname = "secrethost.example"
    trace.features.commandLine = [
      "lull", "record", "--", "/ci/secretproject/.build/debug/app", "--data=/home/alice/data",
      "-pswordfish", "initech",
    ]
    let second: UInt64 = 1_000_000_000
    let executable = "/ci/secretproject/.build/debug/app"
    try trace.capture(
      time: second, rootPid: 100,
      commandLine: [
        executable, "--connect", "93.184.216.34:443", "-o/home/bobsmith/out", "--customer=initech",
      ])
    try trace.process(time: second, pid: 100, executable: executable)
    trace.comm(time: second, pid: 100, tid: 100, name: "alice-app", isExec: true)
    trace.mmap(time: second, pid: 100, start: 0x400000, length: 0x1000, path: executable)
    try trace.descriptor(time: second, pid: 100, fd: 7, path: "/home/bobsmith/notes.txt")
    try trace.counter(time: second * 5, name: "instructions", value: 1e9)
    for index in 0..<40 as Range<UInt64> {
      let time = second + index * 100_000_000
      trace.switchTask(
        time: time, from: 100, to: 0, prevState: 1, fromName: "alice-app", toName: "swapper")
      let text = Array("hunter2-in-a-stack ".utf8)
      trace.blockedStack(
        time: time + 1, 100, callchain: [0x400100, word("in-frame")],
        registers: [word("in-a-reg"), 0x7ffc_0000_0000, 0x400100],
        stack: Array((0..<20).flatMap { _ in text }.prefix(256)))
      trace.waking(time: time + 50_000_000, by: 0, of: 100, context: .hardInterrupt)
      trace.switchIn(time: time + 50_001_000, 100)
      trace.footprint(time: time + 50_002_000, pid: 100, anonymous: 1_000_000 + index * 4096)
    }
    try network(&trace, second)
    trace.open(time: second * 3, tid: 100, path: "/home/alice/data/notes.txt", fd: 5)
    for index in 0..<8 as Range<UInt64> {
      let fd: UInt64 = index.isMultiple(of: 2) ? 5 : 7
      trace.exitSyscall(
        time: second * 3 + 10_000 + index * 1000, tid: 100, number: 1, result: 512,
        arguments: [fd, 0, 512])
    }
    trace.open(time: second * 4, tid: 100, path: "/srv/acme-corp/customers.db", fd: 8)
    trace.open(time: second * 5, tid: 100, path: "merger/plan of it.txt", fd: 9)
    trace.open(time: second * 5 + 1_000_000, tid: 100, path: "bluebook.pdf", fd: 10)
    trace.exit(time: second * 6, pid: 100, tid: 100)
    try trace.write(to: path)
  }

  /// Eight letters as they are in memory.
  private static func word(_ text: String) -> UInt64 {
    text.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func network(_ trace: inout TraceBuilder, _ second: UInt64) throws {
    let peers: [(socket: UInt64, local: [UInt8], remote: [UInt8], port: Int)] = [
      (1, [192, 168, 1, 77], remote, 443), (2, [127, 0, 0, 1], [127, 0, 0, 1], 8080),
      (3, [192, 168, 1, 77], [192, 168, 1, 78], 5432),
    ]
    for peer in peers {
      let time = second * 2 + peer.socket * 1_000_000
      for (from, to) in [(7, 2), (2, 1)] {
        trace.socketState(
          time: time + UInt64(to), tid: 100, socket: peer.socket, from: from, to: to,
          local: peer.local, remote: peer.remote, remotePort: peer.port)
      }
      trace.send(time: time + 10_000, tid: 100, socket: peer.socket, bytes: 100)
      trace.receive(time: time + 20_000, tid: 100, socket: peer.socket, bytes: 5000)
    }
  }
}
