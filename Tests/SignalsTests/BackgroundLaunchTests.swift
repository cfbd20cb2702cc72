import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// Launches of a program, pid 100, that starts at 1 s and is marked as in the background.
struct BackgroundLaunchTests {
  /// It runs for 0.2 s, is marked, runs for 0.3 s more in which it sends 700 bytes, receives 40 and writes 3000, and is
  /// quiet from 1.5 s on until it runs for a second at 10 s.
  private func launch(
    markedAt marked: UInt64 = 1200 * millisecond, eventLoop: Bool = true,
    mode: CaptureEvent.Mode = .wrap, stops: Bool = false
  ) throws -> SignalSet {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100, mode: mode)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    builder.switchIn(time: second, 100)
    if stops {
      builder.signal(time: marked, number: 19, to: 100)
    } else {
      try builder.synthetic(
        MarkEvent(name: "background", how: "library", tid: 100), time: marked, pid: 100)
    }
    builder.send(time: 1300 * millisecond, tid: 100, socket: 9, bytes: 700)
    builder.receive(time: 1310 * millisecond, tid: 100, socket: 9, bytes: 40)
    for (time, bytes) in [(UInt64(1), UInt64(9_000_000)), (2, 11_000_000), (5, 30_000_000)] {
      builder.footprint(time: time * second + 490 * millisecond, pid: 100, anonymous: bytes)
    }
    if eventLoop {
      builder.blockedStack(time: 1499 * millisecond, 100)
      try builder.stack(
        time: 1499 * millisecond, tid: 100,
        functions: ["ppoll", "__CFRunLoopServiceFileDescriptors", "main"], firstID: 1)
    }
    builder.switchOut(time: 1500 * millisecond, 100)
    builder.waking(time: 10 * second, by: 0, of: 100, context: .hardInterrupt)
    builder.switchIn(time: 10 * second, 100)
    builder.send(time: 10 * second + 1, tid: 100, socket: 9, bytes: 5000)
    builder.exit(time: 11 * second, pid: 100, tid: 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    return try Measurement.measure(trace)
  }

  @Test(arguments: [true, false])
  func `it is what the program did until it was quiet for a second`(eventLoop: Bool) throws {
    let signals = try launch(eventLoop: eventLoop)
    let launch = try #require(signals.backgroundLaunch)
    #expect(abs(launch.seconds - 0.5) < 1e-6 && abs(launch.cpuSeconds - 0.5) < 1e-6, "\(launch)")
    #expect(launch.bytes == 740)
    #expect(launch.footprintBytes == 9_000_000)
  }

  @Test func `one that had been in use for a second was not launched in the background`() throws {
    #expect(try launch(markedAt: 3 * second).backgroundLaunch == nil)
    #expect(try launch(markedAt: 2400 * millisecond).backgroundLaunch != nil)
  }

  @Test func `one that was stopped, and one that ran already, were not seen to be launched`() throws
  {
    #expect(try launch(stops: true).backgroundLaunch == nil)
    let attached = try launch(mode: .attach)
    #expect(attached.backgroundLaunch == nil && !attached.isSeenStarting)
    #expect(try launch().isSeenStarting)
  }
}
