import Foundation
import PerfData
import Quantities
import Testing

@testable import Recording

/// What is told of processes where no event tells of programs.
@Suite(.serialized) struct ProcessBookTests {
  /// The executables and names that a trace tells of a command, and the trace's permissions.
  private func told(
    _ words: [String], wait: useconds_t, programs teller: ProgramTeller = .looks,
    then: (ProcessBook, pid_t, Round) throws -> Void = { _, _, _ in }
  ) throws -> (events: [ProcessEvent], times: [UInt64], mode: mode_t) {
    let path = Scratch.path()
    defer { unlink(path) }
    let command = try WrappedCommand(words, environment: ["PATH": "/usr/bin:/bin"])
    defer {
      command.signal(SIGKILL)
      _ = command.reap(waiting: true)
    }
    let attribute = SyntheticEvent.process.attribute(ids: [1])
    let writer = try PerfDataWriter(
      path: path, attributes: [attribute], features: FileFeatures())
    let sink = TraceSink(writer: writer, synthetic: [attribute])
    let book = ProcessBook(
      root: command.pid, interval: TimeSpan(nanoseconds: 1_000_000), programs: teller)
    try book.begin(command.pid, parentPid: getpid(), kind: .start, time: 1, to: sink)
    #expect(command.release(program: words[0]) == nil)
    try book.released(command.pid, command: words[0], at: 2, to: sink)
    for _ in 0..<3 {
      usleep(wait)
      try book.sample(Round(now: SystemInfo.monotonicNanoseconds(), sink: sink))
    }
    try then(book, command.pid, Round(now: SystemInfo.monotonicNanoseconds(), sink: sink))
    try sink.flushWhole()
    try writer.finish(features: FileFeatures())
    var status = stat()
    #expect(stat(path, &status) == 0)
    let file = try PerfDataFile(path: path)
    let samples = try file.orderedRecords().filter { $0.type == RecordType.sample }.map {
      try file.sample($0)
    }
    let events = try samples.compactMap { try $0.raw.map { try ProcessEvent(decoding: $0) } }
    return (events, samples.map(\.time), status.st_mode & 0o777)
  }

  @Test func `a command has its name and file from its beginning`() throws {
    let (events, times, mode) = try told(["sleep", "30"], wait: 1_000)
    #expect(events.map(\.kind) == [.start, .exec])
    // However late it is looked for.
    #expect(times == [1, 2])
    let program = try #require(events.last)
    #expect(program.executable.hasSuffix("/sleep") && program.commandLine == ["sleep", "30"])
    #expect(program.isSwift == false)
    // It holds what was on programs' stacks.
    #expect(mode == 0o600)
  }

  @Test func `a command that is over before it is looked for began when it was let go`() throws {
    let (events, times, _) = try told(["true"], wait: 1_000)
    #expect(events.map(\.kind) == [.start, .exec] && times == [1, 2], "\(events)")
    #expect(events.last?.executable.hasSuffix("/true") == true, "\(events)")
  }

  @Test func `a program that a shell becomes is seen`() throws {
    let (events, _, _) = try told(["sh", "-c", "sleep 0.05; exec sleep 30"], wait: 100_000)
    let files = events.filter { $0.kind == .exec }.map(\.executable)
    #expect(files.count == 2 && files.last?.hasSuffix("/sleep") == true, "\(files)")
  }

  // The shell becomes the second program at 50 ms, and is looked at at 100, 200 and 300.
  private static let becoming = "sleep 0.05; exec sleep"

  @Test(arguments: ["30", "0.2"])
  func `a program that tells of itself began when it says, even if it is over`(
    seconds: String
  ) throws {
    let (events, times, _) = try told(
      ["sh", "-c", "\(Self.becoming) \(seconds)"], wait: 100_000, programs: .programs
    ) { book, pid, round in
      try book.observe(.processExecuted(pid: pid, name: "sleep", time: 50), round)
      // Of what was told nothing is left to tell.
      try book.tellAllSighted(to: round.sink)
    }
    #expect(events.map(\.kind) == [.start, .exec, .exec] && times == [1, 2, 50], "\(times)")
    #expect(events.last?.executable.hasSuffix("/sleep") == true, "\(events)")
    #expect(events.last?.commandLine == ["sleep", seconds])
  }

  @Test func `a program that does not tell of itself began when it was seen`() throws {
    let start = SystemInfo.monotonicNanoseconds()
    var end: UInt64 = 0
    let (events, times, _) = try told(
      ["sh", "-c", "\(Self.becoming) 30"], wait: 100_000, programs: .programs
    ) { book, pid, round in
      end = round.now
      try book.tellSighted(pid, to: round.sink)
      // What it says much later says nothing new.
      try book.observe(.processExecuted(pid: pid, name: "sleep", time: end + 1), round)
    }
    #expect(events.map(\.kind) == [.start, .exec, .exec])
    let seen = try #require(times.last)
    #expect(seen > start && seen < end, "\(times)")
  }

  @Test func `of two programs after another each is told with its own word`() throws {
    let (events, times, _) = try told(
      ["sh", "-c", "sleep 0.05; exec sh -c 'sleep 0.1; exec sleep 30'"], wait: 100_000,
      programs: .programs
    ) { book, pid, round in
      try book.observe(.processExecuted(pid: pid, name: "sh", time: 50), round)
      try book.observe(.processExecuted(pid: pid, name: "sleep", time: 60), round)
    }
    #expect(times == [1, 2, 50, 60])
    #expect(events.map(\.commandLine.last).suffix(2) == ["sleep 0.1; exec sleep 30", "30"])
  }

  @Test func `a program that is told to run another is not taken for it`() throws {
    let script = Scratch.path()
    defer { unlink(script) }
    try Data("sleep 0.1; exec \"$@\"\n".utf8).write(to: URL(fileURLWithPath: script))
    let (events, times, _) = try told(
      ["sh", "-c", "sleep 0.05; exec sh \(script) sleep 30"], wait: 100_000, programs: .programs
    ) { book, pid, round in
      try book.observe(.processExecuted(pid: pid, name: "sleep", time: 60), round)
    }
    #expect(times == [1, 2, 60])
    #expect(events.last?.commandLine == ["sleep", "30"])
    #expect(events.last?.executable.hasSuffix("/sleep") == true)
  }

  // A word that comes once the program is over names no file; its mapping does.
  @Test func `the file of a program that is over is the first that it maps`() throws {
    let (events, times, _) = try told(["sh", "-c", "exit"], wait: 1_000, programs: .programs) {
      book, _, round in
      let pid = pid_t.max
      try book.observe(.processBegan(pid: pid, parentPid: getpid(), time: 10), round)
      try book.observe(.processExecuted(pid: pid, name: "ls", time: 20), round)
      try book.observe(.fileMapped(pid: pid, path: "/usr/bin/ls", inode: nil, time: 21), round)
      try book.observe(
        .fileMapped(pid: pid, path: "/usr/lib/libc.so.6", inode: nil, time: 22), round)
    }
    #expect(times == [1, 2, 10, 20, 20])
    let program = try #require(events.last)
    #expect(program.executable == "/usr/bin/ls" && program.isSwift == false)
    #expect(program.codeBytes == ElfFile(path: "/usr/bin/ls")?.codeBytes)
  }

  // Python writes over what the kernel shows as its arguments, in its own memory.
  @Test(arguments: [ProgramTeller.looks, .programs])
  func `a program that writes over its arguments is no other`(teller: ProgramTeller) throws {
    let script = """
      import ctypes, time
      start = int(open("/proc/self/stat").read().rsplit(") ", 1)[1].split()[45])
      for name in range(8):
          ctypes.memmove(start, b"worker %d" % name, 8)
          time.sleep(0.05)
      time.sleep(30)
      """
    let (events, times, _) = try told(
      ["/usr/bin/python3", "-c", script], wait: 100_000, programs: teller
    ) { book, pid, round in
      let shown = try String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)
      #expect(shown.hasPrefix("worker "))
      try book.tellAllSighted(to: round.sink)
    }
    #expect(events.map(\.kind) == [.start, .exec] && times == [1, 2], "\(events)")
  }

  @Test func `a program of the same file is another where it is only looked at`() throws {
    let (events, _, _) = try told(
      ["sh", "-c", "sleep 0.05; exec sh -c 'sleep 30; true'"], wait: 100_000)
    #expect(events.map(\.kind) == [.start, .exec, .exec], "\(events)")
    #expect(events.last?.commandLine.last == "sleep 30; true")
  }
}
