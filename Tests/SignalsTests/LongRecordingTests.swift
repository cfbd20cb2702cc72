import TestSupport
import Testing

@testable import Signals
@testable import TraceModel

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// A day in the life of a program whose worst minutes are known.
///
/// Every 10 s it wakes for a millisecond, and every minute it writes 1,000 bytes and sends 200. Minute 300 computes for
/// 8 s, minute 700 blocks for 40 s, minute 900 wakes a hundred times more, minute 1100 sends a megabyte and minute 1300
/// writes three.
private enum Day {
  static let minutes = 1440
  /// Five ticks of a millisecond and one of 8 s.
  static let computedSeconds = 8.005
  /// 1 ms before the wait, 40 s of it and 1 ms after it, less the 100 ms that are no hang.
  static let blockedSeconds = 39.902
  static let computing = 300
  static let blocking = 700
  static let waking = 900
  static let sending = 1100
  static let writing = 1300

  static func trace() throws -> Trace {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    try builder.descriptor(time: second, pid: 100, fd: 5, path: "/data/log")
    builder.socketState(time: second + 2, tid: 100, socket: 0xaa, from: 7, to: 2)
    builder.socketState(time: second + 3, tid: 0, socket: 0xaa, from: 2, to: 1)
    builder.switchIn(time: second, 100)
    var ran: UInt64 = 1
    func sleep(until time: UInt64, in functions: [String], id: Int = 1) throws {
      let begin = second + ran * millisecond
      builder.blockedStack(time: begin - 1000, 100)
      try builder.stack(time: begin - 1000, tid: 100, functions: functions, firstID: id)
      builder.switchOut(time: begin, 100)
      builder.waking(
        time: second + time * millisecond, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: second + time * millisecond, 100)
      ran = time + 1
    }
    let loop = ["ppoll", "__CFRunLoopServiceFileDescriptors", "main"]
    for minute in 0..<minutes {
      for tick in 0..<6 {
        let time = UInt64(minute * 60_000 + tick * 10_000 + 5000)
        if minute == blocking, tick > 1 { continue }
        try sleep(until: time, in: loop)
        guard tick == 1 else { continue }
        let now = second + time * millisecond + 1000
        builder.exitSyscall(
          time: now, tid: 100, number: 1, result: minute == writing ? 3_000_000 : 1000,
          arguments: [5])
        builder.send(
          time: now, tid: 100, socket: 0xaa, bytes: minute == sending ? 1_000_000 : 200)
        switch minute {
        case computing: ran = time + 8000
        case blocking: try sleep(until: time + 40_001, in: ["pread", "load()"], id: 10)
        case waking:
          for step in UInt64(1)...100 { try sleep(until: time + step * 50, in: loop) }
        default: break
        }
      }
    }
    builder.exit(
      time: second + UInt64(minutes) * 60 * second, pid: 100, tid: 100)
    return try builder.withFile { try Trace.load(path: $0) }
  }
}

@Suite struct `Long recordings` {
  @Test func `the worst minutes of a day are found, and a report on one holds that minute alone`()
    throws
  {
    let trace = try Day.trace()
    let signals = try Measurement.measure(trace)
    let worst = Dictionary(uniqueKeysWithValues: signals.worstMinutes.map { ($0.signal, $0) })
    func start(_ signal: String) -> Double? { worst[signal]?.start }
    func value(_ signal: String) -> Double { worst[signal]?.value ?? 0 }
    #expect(start("cpu") == Double(Day.computing) * 60)
    #expect(start("mainThread") == Double(Day.blocking) * 60)
    #expect(start("wakeups") == Double(Day.waking) * 60)
    #expect(start("network") == Double(Day.sending) * 60)
    #expect(start("disk") == Double(Day.writing) * 60)
    #expect(abs(value("cpu") - Day.computedSeconds) < 1e-6)
    #expect(abs(value("mainThread") - Day.blockedSeconds) < 1e-6)
    #expect(value("wakeups") == 106 && value("network") == 1_000_000 && value("disk") == 3_000_000)

    let minute = try Measurement.measure(
      trace.limited(
        to: TraceWindow(
          from: Double(Day.computing) * 60, to: Double(Day.computing + 1) * 60)))
    #expect(abs((minute.cpu?.totalSeconds ?? 0) - Day.computedSeconds) < 1e-6)
    #expect(minute.wakeups?.total == 6)
    #expect(minute.disk?.bytesWritten == 1000)
  }
}
