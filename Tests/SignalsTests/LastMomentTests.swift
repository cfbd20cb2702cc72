import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000

/// Measures a program, pid 100, that starts at 1 s, waits for events from 1.2 s on and ends at 31 s.
private func measure(
  commandLine: [String] = ["./program"], mode: CaptureEvent.Mode = .wrap,
  _ build: (inout TraceBuilder) throws -> Void
) throws -> SignalSet {
  var builder = TraceBuilder()
  try builder.capture(time: second, rootPid: 100, mode: mode, commandLine: commandLine)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "program")
  builder.switchIn(time: second, 100)
  builder.blockedStack(time: second * 12 / 10 - 1000, 100)
  try builder.stack(
    time: second * 12 / 10 - 1000, tid: 100,
    functions: ["ppoll", "__CFRunLoopServiceFileDescriptors", "main"], firstID: 1)
  builder.switchOut(time: second * 12 / 10, 100)
  try build(&builder)
  builder.switchIn(time: 31 * second - 1000, 100)
  builder.exit(time: 31 * second, pid: 100, tid: 100)
  try builder.process(time: 31 * second, pid: 100, kind: .exit, exitStatus: 0)
  let trace = try builder.withFile { try Trace.load(path: $0) }
  return try Measurement.measure(trace)
}

extension TraceBuilder {
  /// Opens a file, writes so many bytes to it (at an offset where one is given) and closes it.
  fileprivate mutating func save(
    _ path: String, _ bytes: Int, at time: UInt64, offsets: [UInt64] = []
  ) {
    open(time: time, tid: 100, path: path, fd: 9)
    exitSyscall(time: time + 500, tid: 100, number: 257, result: 9)
    if offsets.isEmpty {
      exitSyscall(time: time + 2000, tid: 100, number: 1, result: bytes, arguments: [9])
    }
    for (index, offset) in offsets.enumerated() {
      exitSyscall(
        time: time + 2000 + UInt64(index), tid: 100, number: 18, result: bytes,
        arguments: [9, 0, UInt64(bytes), offset])
    }
    exitSyscall(time: time + 9000, tid: 100, number: 3, result: 0, arguments: [9])
  }

  fileprivate mutating func mark(_ name: String, at time: UInt64) throws {
    try synthetic(
      MarkEvent(name: name, kind: .mark, how: "library", tid: 100), time: time, pid: 100)
  }
}

struct LastMomentTests {
  @Test func `what is first written after the background mark is late, the last change is not`()
    throws
  {
    let signals = try measure { builder in
      builder.save("/home/me/a", 3000, at: 5 * second)
      // An atomic save of a file that was saved before.
      builder.save("/home/me/b", 1000, at: 6 * second)
      try builder.mark("background", at: 20 * second)
      builder.save("/home/me/b.tmp", 1000, at: 21 * second)
      builder.rename(time: 21 * second + 20_000, tid: 100, from: "/home/me/b.tmp", to: "/home/me/b")
      builder.save("/home/me/new", 5000, at: 22 * second)
      // A few bytes more in a file that was saved before.
      builder.save("/home/me/a", 500, at: 23 * second)
      // After the last moment.
      builder.save("/home/me/later", 90_000, at: 29 * second)
    }
    let saves = try #require(signals.lateSaves)
    #expect(saves.bytes == 10_500 && saves.lateBytes == 5000 && saves.files == 3)
    #expect(saves.lateFiles == [.init(path: "/home/me/new", bytes: 5000)])
  }

  @Test func `a program that was never told to go has no last moment`() throws {
    let signals = try measure { $0.save("/home/me/a", 3000, at: 5 * second) }
    #expect(signals.lateSaves == nil)
  }

  @Test func `what is saved as the program quits is told apart`() throws {
    let signals = try measure { builder in
      builder.save("/home/me/.cache/a", 3000, at: 5 * second)
      // Two seconds and more before it ends.
      builder.signal(time: 28 * second, number: 15, to: 100)
      builder.save("/home/me/.cache/a", 7000, at: 28 * second + second / 2)
    }
    let file = try #require(signals.disk?.files.first)
    #expect(file.bytesWritten == 10_000 && file.quittingBytes == 7000)
  }

  @Test func `temporary files are left that are neither removed nor moved`() throws {
    let signals = try measure { builder in
      builder.save("/tmp/left", 3000, at: 5 * second)
      builder.save("/tmp/removed", 3000, at: 6 * second)
      builder.unlink(time: 7 * second, tid: 100, path: "/tmp/removed")
      builder.save("/tmp/work/part", 3000, at: 7 * second)
      builder.unlink(time: 7 * second + 100_000, tid: 100, path: "part")
      builder.save("/tmp/moved", 3000, at: 8 * second)
      builder.rename(time: 9 * second, tid: 100, from: "/tmp/moved", to: "/home/me/moved")
      builder.save("/home/me/kept", 3000, at: 10 * second)
    }
    let files = try #require(signals.temporaryFiles)
    #expect(files.made == 4 && files.left == [.init(path: "/tmp/left", bytes: 3000)])
  }

  @Test func `what the command line names is no temporary file, wherever it is`() throws {
    let words = ["clone", "http://host/tmp/x", "/var/tmp/work/clone/", "--log=/tmp/log", "/tmp"]
    let signals = try measure(commandLine: words) { builder in
      builder.save("/var/tmp/work/clone/a/b", 3000, at: 5 * second)
      builder.save("/tmp/log", 3000, at: 6 * second)
      builder.save("/tmp/left", 3000, at: 7 * second)
      builder.save("/var/tmp/work/clones", 3000, at: 8 * second)
    }
    let files = try #require(signals.temporaryFiles)
    #expect(files.made == 2 && files.left.map(\.path) == ["/tmp/left", "/var/tmp/work/clones"])
  }

  @Test(arguments: [CaptureEvent.Mode.wrap, .attach])
  func `where output went before the recording is nobody's writing beside the executable`(
    mode: CaptureEvent.Mode
  ) throws {
    let signals = try measure(mode: mode) { builder in
      for (descriptor, path) in [(1, "/srv/app/log"), (2, "/srv/app/own"), (5, "/srv/app/own")] {
        try builder.descriptor(
          time: second + 1, pid: 100, fd: descriptor, path: path)
        builder.exitSyscall(
          time: 3 * second + UInt64(descriptor), tid: 100, number: 1, result: 40,
          arguments: [UInt64(descriptor)])
      }
    }
    let files = try #require(signals.disk).files.sorted { $0.path < $1.path }
    #expect(files.map(\.path) == ["/srv/app/log", "/srv/app/own"])
    // What it has open as something else too it opened itself.
    #expect(files.map(\.isGiven) == [true, false])
  }

  /// Ten writes of 40 bytes, each in a block of its own, and then ten in one block.
  @Test func `blocks that were touched are counted against those that the bytes would fill`() throws
  {
    let signals = try measure { builder in
      builder.save("/home/me/s", 40, at: 5 * second, offsets: (0..<10).map { $0 * 40_960 })
      builder.save("/home/me/t", 40, at: 9 * second, offsets: (0..<10).map { $0 * 40 })
    }
    let locality = try #require(signals.writeLocality)
    #expect(locality.spells == 2 && locality.touchedBlocks == 11 && locality.neededBlocks == 2)
    #expect(
      locality.files.first == .init(path: "/home/me/s", touchedBlocks: 10, neededBlocks: 1))
  }

  @Test(arguments: [true, false])
  func `what is synced between is written twice`(syncs: Bool) throws {
    let signals = try measure { builder in
      builder.open(time: 5 * second, tid: 100, path: "/home/me/s", fd: 9)
      builder.exitSyscall(time: 5 * second + 500, tid: 100, number: 257, result: 9)
      for index in UInt64(1)...2 {
        let time = 5 * second + index * 1_000_000
        builder.exitSyscall(
          time: time, tid: 100, number: 18, result: 40, arguments: [9, 0, 40, index * 40])
        if syncs {
          builder.exitSyscall(time: time + 90_000, tid: 100, number: 74, result: 0, arguments: [9])
        }
      }
    }
    let locality = try #require(signals.writeLocality)
    #expect(locality.spells == (syncs ? 2 : 1) && locality.touchedBlocks == (syncs ? 2 : 1))
  }

  @Test func `a write across the edge of a block touches two`() throws {
    let signals = try measure { $0.save("/home/me/s", 200, at: 5 * second, offsets: [4000]) }
    #expect(signals.writeLocality?.touchedBlocks == 2 && signals.writeLocality?.neededBlocks == 1)
  }

  @Test func `locks are held from one look to another`() throws {
    func event(_ isHeld: Bool, _ identifier: String) -> HeldEvent {
      HeldEvent(
        kind: .fileLock, name: "/home/me/db", isExclusive: true, isHeld: isHeld,
        identifier: identifier)
    }
    let signals = try measure { builder in
      try builder.synthetic(event(true, "1"), time: 5 * second, pid: 100)
      try builder.synthetic(event(true, "2"), time: 6 * second, pid: 100)
      try builder.synthetic(event(false, "1"), time: 8 * second, pid: 100)
    }
    #expect(
      signals.held == [
        HeldSignal(name: "/home/me/db", start: 4, end: 7),
        HeldSignal(name: "/home/me/db", start: 5, end: nil),
      ])
  }

  @Test func `a sound device and Bluetooth sockets are accessories, for as long as they are held`()
    throws
  {
    let signals = try measure { builder in
      builder.open(time: 5 * second, tid: 100, path: "/dev/snd/pcmC0D0p", fd: 11)
      builder.exitSyscall(time: 15 * second, tid: 100, number: 3, result: 0, arguments: [11])
      // AF_BLUETOOTH is 31.
      builder.send(time: 6 * second, tid: 100, socket: 77, bytes: 20, family: 31, protocol: 0)
      builder.send(time: 8 * second, tid: 100, socket: 77, bytes: 20, family: 31, protocol: 0)
    }
    #expect(signals.accessories.map(\.name) == ["/dev/snd/pcmC0D0p", "Bluetooth socket"])
    #expect(signals.accessories.map { $0.seconds.rounded() } == [10, 2])
  }

  @Test func `property lists are told by what they hold`() throws {
    let signals = try measure { builder in
      for (index, format) in [DescriptorEvent.binaryFormat, DescriptorEvent.textFormat].enumerated()
      {
        try builder.synthetic(
          DescriptorEvent(
            pid: 100, fd: 20 + index, path: "/opt/\(index).plist", kind: .regular,
            size: UInt64(1000 * (index + 1)), format: format), time: 5 * second, pid: 100)
      }
    }
    #expect(
      signals.propertyLists == [
        PropertyListUse(path: "/opt/1.plist", size: 2000, isBinary: false),
        PropertyListUse(path: "/opt/0.plist", size: 1000, isBinary: true),
      ])
  }
}
