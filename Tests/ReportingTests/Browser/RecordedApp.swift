import PerfData
import Rules
import Signals
import TestSupport
import TraceModel

@testable import Reporting

/// An invented app with a run loop and a little of everything: hangs, bursts, writes, a growing footprint.
enum RecordedApp {
  /// The report and the timeline of half a minute.
  static func analysis(name: String = "app") throws -> (report: Report, timeline: Timeline) {
    var builder = TraceBuilder()
    let start: UInt64 = 1_000_000_000
    func milliseconds(_ count: Int) -> UInt64 { start + UInt64(count) * 1_000_000 }
    try builder.capture(time: start, rootPid: 100)
    try builder.process(time: start, pid: 100, executable: "/opt/\(name)")
    builder.comm(time: start, pid: 100, tid: 100, name: name, isExec: true)
    builder.switchIn(time: start, 100)
    try builder.descriptor(time: start, pid: 100, fd: 5, path: "/data/state.json")
    builder.socketState(time: milliseconds(50), tid: 100, socket: 77, from: 7, to: 2)
    builder.socketState(time: milliseconds(80), tid: 100, socket: 77, from: 2, to: 1)
    for second in 0..<30 {
      let base = second * 1000 + 100
      try wait(&builder, at: milliseconds(base), until: milliseconds(base + 400))
      var event = base + 410
      if second % 7 == 3 {
        try lock(&builder, at: milliseconds(base + 405), until: milliseconds(base + 705))
        event += 300
      }
      builder.exitSyscall(
        time: milliseconds(event), tid: 100, number: 1, result: 2000 + second,
        arguments: [5, 0, 2000])
      if second % 5 == 0 {
        builder.send(time: milliseconds(event + 5), tid: 100, socket: 77, bytes: 500)
        builder.receive(time: milliseconds(event + 10), tid: 100, socket: 77, bytes: 9000)
      }
      builder.footprint(
        time: milliseconds(event + 15), pid: 100,
        anonymous: UInt64(10_000_000 + second * 500_000))
      try wait(&builder, at: milliseconds(event + 30), until: milliseconds(base + 995))
    }
    builder.exit(time: milliseconds(30_150), pid: 100, tid: 100)
    return try builder.withFile { path in
      let trace = try Trace.load(path: path)
      let signals = try Measurement.measure(trace)
      var report = ReportBuilder.build(
        trace: trace, signals: signals, evaluation: Evaluator.evaluate(signals),
        generatorVersion: "test")
      report.trace.path = "app.perf.data"
      return (report, try Timeline.measure(trace, signals: signals))
    }
  }

  /// A wait in the run loop.
  static func wait(
    _ builder: inout TraceBuilder, at time: UInt64, until end: UInt64
  ) throws {
    try builder.stack(
      time: time, tid: 100,
      functions: ["poll", "__CFRunLoopServiceFileDescriptors", "__CFRunLoopRun", "main"],
      firstID: 10, isProgram: false)
    builder.blockedStack(time: time, 100)
    builder.switchOut(time: time, 100)
    builder.waking(time: end - 5000, by: 0, of: 100, context: .hardInterrupt)
    builder.switchIn(time: end, 100)
  }

  /// A wait for a lock that another thread holds.
  private static func lock(
    _ builder: inout TraceBuilder, at time: UInt64, until end: UInt64
  ) throws {
    try builder.stack(
      time: time, tid: 100, functions: ["futex_wait_queue", "Store.flush()", "main"], firstID: 20)
    // The innermost is the kernel's, by which the cause is known.
    try builder.synthetic(
      SymbolEvent(id: 20, function: "futex_wait_queue", module: "kernel", isKernel: true),
      time: time, pid: 100, tid: 100)
    builder.blockedStack(time: time, 100)
    builder.switchOut(time: time, 100)
    builder.waking(time: end - 5000, by: 101, of: 100)
    builder.switchIn(time: end, 100)
  }
}
