import TestSupport
import Testing
import TraceModel

@testable import Signals

@Suite struct TimelineTests {
  /// A run-loop program of `turns` turns, 10 ms apart, each 1 ms long.
  private static func trace(turns: Int, _ body: (Trace) throws -> Void) throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    try builder.process(time: 1_000_000_000, pid: 100, executable: "/opt/app")
    builder.comm(time: 1_000_000_000, pid: 100, tid: 100, name: "app", isExec: true)
    var time: UInt64 = 1_000_000_000
    builder.switchIn(time: time, 100)
    for turn in 0..<turns {
      // The waits without a stack are taken for what those with one are.
      if turn < 10 {
        try builder.stack(
          time: time + 1_000_000, tid: 100,
          functions: ["__CFRunLoopServiceFileDescriptors", "main"], firstID: 10)
        builder.blockedStack(time: time + 1_000_000, 100)
      }
      builder.switchOut(time: time + 1_000_000, 100)
      builder.waking(
        time: time + 10_000_000, by: 0, of: 100,
        context: turn.isMultiple(of: 2) ? .hardInterrupt : .softInterrupt)
      builder.switchIn(time: time + 10_000_000, 100)
      builder.footprint(time: time, pid: 100, anonymous: UInt64(turn) * 4096)
      time += 10_000_000
    }
    builder.exit(time: time + 1_000_000, pid: 100, tid: 100)
    try builder.withFile { try body(Trace.load(path: $0)) }
  }

  @Test func `the main lane adds up to what was measured`() throws {
    try Self.trace(turns: 500) { trace in
      let signals = try Measurement.measure(trace)
      let timeline = try Timeline.measure(trace, signals: signals)
      let main = try #require(signals.mainThread)
      let lane = try #require(timeline.lanes.first)
      #expect(lane.kind == .thread && lane.role == "main")
      var encoder = GridEncoder(
        quantum: UInt64(lane.quantum), channels: lane.channels.count, budget: .max)
      let thread = try #require(trace.threads(of: 100).first)
      let canvas = TimelineCanvas(SubjectView(trace))
      for interval in WaitInference.infer(thread.intervals) {
        encoder.add(
          from: canvas.time(interval.start), to: canvas.time(interval.end),
          channel: ThreadLanes.channel(of: interval.state))
      }
      encoder.finish()
      let grid = DecodedGrid(encoder)
      func seconds(_ channel: String) -> Double {
        Double(grid.total(lane.channels.firstIndex(of: channel) ?? -1)) / 1e6
      }
      #expect(abs(seconds("running") - main.runningSeconds) < 0.001)
      #expect(abs(seconds("idle") - main.idleSeconds) < 0.001)
      #expect(main.runningSeconds > 0.4)
    }
  }

  @Test func `equal traces give equal timelines, and their size does not grow with their length`()
    throws
  {
    var sizes: [Int] = []
    for turns in [500, 5000] {
      try Self.trace(turns: turns) { trace in
        let signals = try Measurement.measure(trace)
        let first = try Timeline.measure(trace, signals: signals)
        #expect(first == (try Timeline.measure(trace, signals: signals)))
        #expect(first.footprint.count <= EventLanes.mostPoints)
        for lane in first.lanes {
          let budget = lane.role == "main" ? Timeline.mainBudget : Timeline.otherBudget
          #expect(lane.data.utf8.count <= budget * 4 / 3 + 4)
        }
        sizes.append(first.lanes.reduce(0) { $0 + $1.data.utf8.count })
      }
    }
    #expect(sizes[1] < 500_000 && sizes[0] > 0)
  }
}
