import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct FileTests {
  // A program that holds the C library itself is probed besides the machine's library.
  @Test(arguments: [
    ("lull_1:open64", true), ("lull_1:open64_2", true), ("lull_7r2:open64_2_ret", true),
    ("lull_1:renameat2_3", true), ("lull_1:mmap_2", false),
  ])
  func `probes in a second file are those of the first`(name: String, isKnown: Bool) {
    let event = EventAttribute(type: 2, config: 1, sampleType: [.base, .raw], ids: [1], name: name)
    #expect((EventDispatch.handler(for: event) != nil) == isKnown)
  }

  @Test func `a write belongs to the file its descriptor meant at that moment`() throws {
    let trace = try traceOf { builder in
      builder.open(
        time: second + 1, returning: second + 2, tid: 100, path: "/data/one", fd: 5, flags: 0o1101)
      builder.exitSyscall(time: second + 10, tid: 100, number: 1, result: 7, arguments: [5])
      builder.exitSyscall(time: second + 20, tid: 100, number: 3, result: 0, arguments: [5])
      builder.open(time: second + 30, returning: second + 31, tid: 100, path: "/data/two", fd: 5)
      builder.exitSyscall(time: second + 40, tid: 100, number: 18, result: 9, arguments: [5])
    }
    let writes = trace.fileOperations.filter { if case .write = $0.kind { true } else { false } }
    #expect(writes.map(\.path) == ["/data/one", "/data/two"])
    #expect(writes.map(\.bytes) == [7, 9])
    #expect(writes.allSatisfy { $0.isDisk })
    // By write and by pwrite64, which differ in nothing else.
    #expect(writes.map(\.call) == [1, 18])
    #expect(trace.subject.bytesWritten == 16)
  }

  @Test func `a write that stands for many is of no file where its number was of many`()
    throws
  {
    let event = "raw_syscalls:sys_exit"
    var capture = CaptureEvent(
      mode: .wrap, scope: .system, privilege: "root", commandLine: ["./program"], rootPid: 100,
      intervalNs: 100_000_000, unavailable: [], complete: true, lullVersion: "test")
    capture.sampled = [
      .init(
        source: event, fromNs: 2 * second, toNs: 4 * second, period: 251, count: 502, samples: 2)
    ]
    let trace = try traceOf { builder in
      try builder.synthetic(capture, time: second, pid: 100)
      try builder.descriptor(time: second, pid: 100, fd: 9, path: "/data/log")
      for index in UInt64(0)..<300 {
        builder.open(
          time: second + index * 10 * millisecond, tid: 100, path: "/data/\(index)", fd: 5)
      }
      builder.exitSyscall(time: second + 3, tid: 100, number: 1, result: 7, arguments: [9])
      for fd in [UInt64(5), 9] {
        builder.exitSyscall(
          time: 3 * second + fd, tid: 100, number: 1, result: 7, arguments: [fd], period: 251)
      }
    }
    let writes = trace.fileOperations.filter { $0.kind == .write }
    #expect(writes.map(\.path) == ["/data/log", nil, "/data/log"])
    #expect(writes.map(\.weight) == [1, 251, 251])
    let untold = trace.metadata.untoldWrites
    #expect(untold.writes == 251 && untold.bytes == 251 * 7 && untold.areOfMany)
  }

  @Test func `a pipe and an unknown descriptor are not disk`() throws {
    let trace = try traceOf { builder in
      try builder.descriptor(time: second + 1, pid: 100, fd: 1, path: "pipe:[5]", kind: .pipe)
      builder.exitSyscall(time: second + 10, tid: 100, number: 1, result: 7, arguments: [1])
      builder.exitSyscall(time: second + 10, tid: 100, number: 1, result: 7, arguments: [9])
    }
    #expect(trace.fileOperations.count == 2)
    #expect(!trace.fileOperations.contains { $0.isDisk })
  }

  // A program that waited 5 ms for its disk was told to have synced nothing.
  @Test func `syncs of more than one file are syncs, and msync that waits for nothing is none`()
    throws
  {
    let trace = try traceOf { builder in
      for (step, number) in [162, 306].enumerated() {
        builder.exitSyscall(time: second + UInt64(step), tid: 100, number: number, result: 0)
      }
      // MS_ASYNC, and MS_SYNC with MS_INVALIDATE.
      for (step, flags) in [UInt64(1), 6].enumerated() {
        builder.exitSyscall(
          time: second + 10 + UInt64(step), tid: 100, number: 26, result: 0,
          arguments: [4096, 8192, flags])
      }
    }
    #expect(trace.fileOperations.allSatisfy { $0.isDisk && $0.kind == .sync })
    #expect(
      trace.fileOperations.map(\.path) == [
        "(all files)", "(all files of a file system)", "(mapped files)",
      ])
  }

  @Test func `requests of Linux AIO are said not to be counted`() throws {
    let trace = try traceOf { builder in
      for step in UInt64(1)...3 {
        builder.exitSyscall(time: second + step, tid: 100, number: 209, result: 2)
      }
      builder.exitSyscall(time: second + 9, tid: 100, number: 209, result: -11)
    }
    #expect(trace.fileOperations.isEmpty)
    let said = trace.capture?.unavailable.filter { $0.signal == "Linux AIO" } ?? []
    #expect(said.count == 1 && said[0].reason.contains("6 requests by io_submit"), "\(said)")
  }

  @Test func `a file that was opened without a name is told as one in its folder`() throws {
    let trace = try traceOf { builder in
      for (step, fd) in [5, 6].enumerated() {
        let time = second * UInt64(1 + step)
        builder.exitSyscall(
          time: time + 2, tid: 100, number: 257, result: fd, arguments: [0, 0, 0o20_200_002])
        builder.open(
          time: time + 1, returning: time + 3, tid: 100, path: "/data", fd: fd, flags: 0o20_200_002)
        builder.exitSyscall(
          time: time + 10, tid: 100, number: 1, result: 7, arguments: [UInt64(fd)])
      }
      try builder.descriptor(time: second + 2, pid: 100, fd: 5, path: "/data/#1234")
      // By the time that it was looked for there was its folder only.
      try builder.descriptor(time: 2 * second + 2, pid: 100, fd: 6, path: "/data", kind: .other)
    }
    let writes = trace.fileOperations.filter { $0.kind == .write }
    #expect(writes.map(\.path) == ["/data/#1234", "/data/#"])
    #expect(writes.allSatisfy { $0.isDisk })
  }

  @Test func `a failed write wrote nothing`() throws {
    let trace = try traceOf { builder in
      builder.exitSyscall(time: second + 10, tid: 100, number: 1, result: -28, arguments: [1])
    }
    #expect(trace.fileOperations.isEmpty)
  }

  @Test func `reads of less than 64 KiB are file operations where Lull recorded them`() throws {
    for isPerfs in [false, true] {
      let builder = {
        var builder = TraceBuilder()
        if !isPerfs { try builder.capture(time: second, rootPid: 100) }
        builder.comm(time: second, pid: 100, tid: 100, name: "program")
        for (step, size) in [1, 65_535, 65_536, 5 << 30].enumerated() {
          for number in [0, 17] {
            builder.exitSyscall(
              time: second + UInt64(step * 10), tid: 100, number: number, result: size,
              arguments: [5])
          }
        }
        return builder
      }
      let trace = try builder().withFile { try Trace.load(path: $0) }
      let small: [UInt64] = isPerfs ? [] : [1, 1, 65_535, 65_535]
      #expect(trace.fileOperations.map(\.bytes) == small + [65_536, 65_536, 5 << 30, 5 << 30])
    }
  }

  // One file was two rows: by its whole path, and by its name from where the program worked.
  @Test func `a file that is named from where the program works is that of the whole path`()
    throws
  {
    let trace = try traceOf { builder in
      func works(in folder: String, at time: UInt64) throws {
        try builder.synthetic(
          ProcessEvent(pid: 100, kind: .moved, workingFolder: folder), time: time, pid: 100)
      }
      func save(_ path: String, at time: UInt64) {
        builder.open(time: time, tid: 100, path: path, fd: 3)
        builder.exitSyscall(time: time + 500, tid: 100, number: 257, result: 3)
        builder.exitSyscall(
          time: time + 2000, tid: 100, number: 1, result: 10, arguments: [3])
        builder.exitSyscall(time: time + 3000, tid: 100, number: 3, result: 0, arguments: [3])
      }
      // Nothing tells yet where that is.
      save("early", at: second)
      try works(in: "/home/x", at: second + 10_000)
      save("notes.txt", at: second + 20_000)
      save("/home/x/notes.txt", at: second + 30_000)
      save("../y/./z", at: second + 40_000)
      // Where a link leads only the file system could tell.
      save("link/../z", at: second + 50_000)
      builder.rename(time: second + 60_000, tid: 100, from: "notes.tmp", to: "notes.txt")
      builder.unlink(time: second + 61_000, tid: 100, path: "z")
      // It goes elsewhere, which is known when the recorder has looked.
      builder.exitSyscall(time: second + 70_000, tid: 100, number: 80, result: 0)
      save("somewhere", at: second + 80_000)
      try works(in: "/", at: second + 90_000)
      save("notes.txt", at: second + 100_000)
    }
    let writes = trace.fileOperations.filter { $0.kind == .write }.map(\.path)
    #expect(
      writes == [
        "early", "/home/x/notes.txt", "/home/x/notes.txt", "/home/y/z", "link/../z", "somewhere",
        "/notes.txt",
      ])
    #expect(
      trace.fileOperations.contains {
        $0.kind == .rename(from: "/home/x/notes.tmp") && $0.path == "/home/x/notes.txt"
      })
    #expect(trace.fileOperations.contains { $0.kind == .unlink && $0.path == "/home/x/z" })
  }

  @Test func `a sync lasts from its entry to its exit`() throws {
    let trace = try traceOf { builder in
      builder.open(time: second + 1, tid: 100, path: "/data/log", fd: 3)
      builder.enterSync(time: second + 1 * millisecond, tid: 100, fd: 3)
      builder.exitSyscall(
        time: second + 5 * millisecond, tid: 100, number: 74, result: 0, arguments: [3])
    }
    let sync = try #require(
      trace.fileOperations.first { if case .sync = $0.kind { true } else { false } })
    #expect(sync.path == "/data/log")
    #expect(sync.duration?.nanoseconds == 4_000_000)
  }
}

struct SocketTests {
  // Who looks for older connections takes some time, in which the program goes on.
  @Test(arguments: [3, 5] as [UInt64])
  func `a connection that begins while older ones are looked for is one`(look: UInt64) throws {
    let trace = try traceOf { builder in
      builder.socketState(time: second, tid: 100, socket: 0xee, from: 7, to: 10, remotePort: 0)
      builder.socketState(time: second + 1, tid: 100, socket: 0xff, from: 7, to: 2)
      builder.socketState(time: second + 2, tid: 100, socket: 0xff, from: 2, to: 1)
      builder.socketState(time: second + look, tid: 100, socket: 0xee, from: 10, to: 10)
      builder.socketState(time: second + look, tid: 100, socket: 0xff, from: 1, to: 1)
      // Once it is over, it may be told by who looked before.
      builder.socketState(time: second + 4, tid: 100, socket: 0xff, from: 1, to: 7)
    }
    #expect(trace.connections.count == 1 && trace.listeners.count == 1)
    let connection = try #require(trace.connections.first)
    #expect(connection.opened?.nanoseconds == second + 1)
    #expect(connection.closed?.nanoseconds == second + 4)
  }

  // Of fifteen connections one was nobody's where the machine had other work.
  @Test func `a connection that was set up while another program had the CPU is the acceptor's`()
    throws
  {
    let trace = try traceOf { builder in
      builder.socketState(
        time: second, tid: 100, socket: 0xee, from: 7, to: 10, localPort: 80, remotePort: 0)
      // The first is seen as its peer closes it, the second whole; neither carries anything.
      builder.exitSyscall(time: second + 10, tid: 100, number: 43, result: 5, arguments: [3])
      builder.socketState(
        time: second + 20, tid: 0, socket: 0xf1, from: 1, to: 8, localPort: 80, remotePort: 4001)
      builder.socketState(
        time: second + 30, tid: 0, socket: 0xf2, from: 12, to: 3, localPort: 80, remotePort: 4002)
      builder.socketState(
        time: second + 31, tid: 0, socket: 0xf2, from: 3, to: 1, localPort: 80, remotePort: 4002)
      builder.exitSyscall(time: second + 40, tid: 100, number: 43, result: 6, arguments: [3])
    }
    let own = trace.connections.filter { $0.pid == 100 }
    #expect(own.map(\.remote).sorted() == ["198.51.100.7:4001", "198.51.100.7:4002"])
  }

  @Test func `transfers belong to the connection of their socket`() throws {
    let trace = try traceOf { builder in
      builder.socketState(time: second + 1, tid: 100, socket: 0xff, from: 7, to: 2)
      builder.socketState(time: second + 2, tid: 0, socket: 0xff, from: 2, to: 1)
      builder.send(time: second + 3, tid: 100, socket: 0xff, bytes: 100)
      builder.receive(time: second + 4, tid: 100, socket: 0xff, bytes: 2000)
      builder.receive(time: second + 5, tid: 100, socket: 0xff, bytes: 50, flags: 2)
      builder.receive(time: second + 6, tid: 100, socket: 0xff, bytes: -11)
      builder.socketState(time: second + 9, tid: 100, socket: 0xff, from: 1, to: 7)
    }
    #expect(trace.connections.count == 1)
    #expect(trace.connections[0].remote == "198.51.100.7:443")
    #expect(trace.connections[0].closed != nil)
    #expect(trace.transfers.map(\.bytes) == [100, 2000])
    #expect(trace.transfers.allSatisfy { $0.connection == 0 })
    #expect(trace.subject.bytesSent == 100 && trace.subject.bytesReceived == 2000)
  }

  // Since Linux 6.16 the end of a process is told before its files are closed.
  @Test func `what a process closes as it ends is its last act`() throws {
    let trace = try traceOf { builder in
      for socket in [0xf0, 0xf1, 0xf2] as [UInt64] {
        builder.socketState(time: second + 1, tid: 100, socket: socket, from: 7, to: 2)
        builder.socketState(time: second + 2, tid: 0, socket: socket, from: 2, to: 1)
      }
      builder.socketState(time: second + 3, tid: 100, socket: 0xf0, from: 1, to: 4)
      builder.exit(time: second + 5, pid: 100, tid: 100)
      builder.socketState(time: second + 6, tid: 100, socket: 0xf1, from: 1, to: 4)
      // Another process had it too.
      builder.socketState(time: second + 7, tid: 0, socket: 0xf2, from: 8, to: 9)
      for socket in [0xf0, 0xf1, 0xf2] as [UInt64] {
        builder.socketState(time: second + 9, tid: 0, socket: socket, from: 4, to: 7)
      }
    }
    #expect(trace.connections.map(\.finished?.nanoseconds) == [3, 5, 7].map { second + $0 })
    #expect(trace.connections.map(\.closed?.nanoseconds) == [9, 9, 9].map { second + $0 })
  }

  @Test(
    arguments: [
      ([127, 0, 0, 1], "127.0.0.1:80", true), ([192, 0, 2, 1], "192.0.2.1:80", false),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "[::1]:80", true),
      (
        [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "[2001:db8::1]:80",
        false
      ),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1], "127.0.0.1:80", true),
    ] as [([UInt8], String, Bool)])
  func `addresses are written as RFC 5952 says`(bytes: [UInt8], text: String, loopback: Bool) {
    #expect(SocketAddress.text(bytes: bytes, port: 80) == text)
    #expect(SocketAddress.isLoopback(bytes: bytes) == loopback)
  }
}

struct SubjectTests {
  private func process(_ pid: Int32, _ executable: String, cpu: Double, isSwift: Bool)
    -> ProcessModel
  {
    ProcessModel(
      pid: pid, parentPid: 1, name: executable, executable: "/bin/\(executable)", commandLine: [],
      isSwift: isSwift, swiftVersion: nil, exitStatus: nil, signal: nil,
      start: Timestamp(nanoseconds: 1), end: nil, threadCount: 1, children: [],
      peakResidentBytes: nil, cpuSeconds: cpu)
  }

  private func capture(root: Int, hint: String? = nil) -> CaptureEvent {
    CaptureEvent(
      mode: .wrap, scope: .system, privilege: "root", commandLine: [], rootPid: root,
      subjectHint: hint, intervalNs: 1, unavailable: [], complete: true, lullVersion: "test")
  }

  @Test func `a driver's Swift process is the subject, its compilers are not`() throws {
    let processes = [
      process(1, "swift-test", cpu: 1, isSwift: true),
      process(2, "swift-frontend", cpu: 50, isSwift: true),
      process(3, "MyTests.xctest", cpu: 2, isSwift: true),
      process(4, "git", cpu: 9, isSwift: false),
    ]
    let subject = try SubjectChoice.choose(
      among: processes, capture: capture(root: 1), asked: nil)
    #expect(subject.pid == 3)
  }

  @Test func `the process that ran tests is the subject, however little it used`() throws {
    let processes = [
      process(1, "swift-test", cpu: 1, isSwift: true),
      process(2, "swift-help", cpu: 3, isSwift: true),
      process(3, "MyTests.xctest", cpu: 2, isSwift: true),
      process(4, "MyTests.xctest", cpu: 1, isSwift: true),
    ]
    let subject = try SubjectChoice.choose(
      among: processes, capture: capture(root: 1), asked: nil, hosts: [1, 4])
    #expect(subject.pid == 4)
  }

  @Test func `a build's subject is the build, itself or from a shell`() throws {
    // swift-build is a link to the file of swift-package, which is a driver.
    var build = process(2, "swift-package", cpu: 1, isSwift: true)
    build.name = "swift-build"
    var compiler = process(3, "swift-frontend", cpu: 50, isSwift: true)
    compiler.start = Timestamp(nanoseconds: 2)
    let shell = process(1, "sh", cpu: 0.1, isSwift: false)
    for (processes, root) in [([build, compiler], 2), ([shell, build, compiler], 1)] {
      let subject = try SubjectChoice.choose(
        among: processes, capture: capture(root: root), asked: nil)
      #expect(subject.pid == 2)
    }
    let package = process(2, "swift-package", cpu: 1, isSwift: true)
    let plugin = process(4, "plugin", cpu: 0.1, isSwift: true)
    let subject = try SubjectChoice.choose(
      among: [package, compiler, plugin], capture: capture(root: 2), asked: nil)
    #expect(subject.pid == 4)
  }

  // Of `swift build; echo $(date)` the `date` was scored.
  @Test(
    arguments: [(0.01, 0.01, "date", 2), (0.01, 5, "date", 4), (2, 0.01, "date", 4)]
      as [(Double, Double, String, Int32)])
  func `what only happens beside a build is not the subject`(
    cpu: Double, life: Double, name: String, expected: Int32
  ) throws {
    let shell = process(1, "sh", cpu: 0.1, isSwift: false)
    var build = process(2, "swift-build", cpu: 1, isSwift: true)
    build.end = build.start + TimeSpan(seconds: 10)
    let compiler = process(3, "swift-frontend", cpu: 9, isSwift: true)
    var command = process(4, name, cpu: cpu, isSwift: false)
    command.end = command.start + TimeSpan(seconds: life)
    let processes = [shell, build, compiler, command]
    let subject = try SubjectChoice.choose(
      among: processes, capture: capture(root: 1), asked: nil)
    #expect(subject.pid == expected)
    command.executable = "/package/.build/debug/date"
    let built = try SubjectChoice.choose(
      among: [shell, build, compiler, command], capture: capture(root: 1), asked: nil)
    #expect(built.pid == 4)
  }

  // Of a script of git's commands the `rm` at its end was scored.
  @Test func `git is a program like any other where nothing is built`() throws {
    let shell = process(1, "sh", cpu: 0.1, isSwift: false)
    let git = process(2, "git", cpu: 3, isSwift: false)
    let last = process(3, "rm", cpu: 1, isSwift: false)
    for (others, expected) in [
      ([], 2), ([process(4, "swift-build", cpu: 1, isSwift: false)], 3),
      ([process(4, "swift-test", cpu: 1, isSwift: false)], 3),
    ] as [([ProcessModel], Int32)] {
      let subject = try SubjectChoice.choose(
        among: [shell, git, last] + others, capture: capture(root: 1), asked: nil)
      #expect(subject.pid == expected, "\(others)")
    }
  }

  // Of a loop in a shell `seq` was scored, which had lived for a millisecond.
  @Test(arguments: [(0.2, 5, 1), (5, 5, 2), (0.2, 0.1, 2)] as [(Double, Double, Int32)])
  func `a script whose commands are short is the subject itself`(
    life: Double, cpu: Double, expected: Int32
  ) throws {
    var shell = process(1, "bash", cpu: cpu, isSwift: false)
    shell.end = shell.start + TimeSpan(seconds: 6)
    var command = process(2, "seq", cpu: 1, isSwift: false)
    command.end = command.start + TimeSpan(seconds: life)
    let subject = try SubjectChoice.choose(
      among: [shell, command], capture: capture(root: 1), asked: nil)
    #expect(subject.pid == expected)
  }

  @Test func `the command itself is the subject, whatever it starts`() throws {
    let processes = [
      process(1, "server", cpu: 0.1, isSwift: false), process(2, "child", cpu: 9, isSwift: true),
    ]
    let found = try SubjectChoice.choose(
      among: processes, capture: capture(root: 1), asked: nil)
    #expect(found.pid == 1)
    let asked = try SubjectChoice.choose(
      among: processes, capture: capture(root: 1), asked: "child")
    #expect(asked.pid == 2)
    #expect(throws: TraceError.self) {
      try SubjectChoice.choose(among: processes, capture: capture(root: 1), asked: "absent")
    }
  }
}
