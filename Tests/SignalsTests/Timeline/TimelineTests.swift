import Foundation
import PerfData
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

  @Test(arguments: [true, false])
  func `the disk's lane tells apart the syncs of which it is not known how long they took`(
    isTimed: Bool
  ) throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    try builder.process(time: 1_000_000_000, pid: 100)
    builder.open(time: 1_001_000_000, tid: 100, path: "/data/store", fd: 4, flags: 0o101)
    if isTimed { builder.enterSync(time: 1_002_000_000, tid: 100, fd: 4) }
    builder.exitSyscall(
      time: 1_009_000_000, tid: 100, number: 74, result: 0, arguments: [4])
    builder.exit(time: 1_100_000_000, pid: 100, tid: 100)
    try builder.withFile { path in
      let trace = try Trace.load(path: path)
      let timeline = try Timeline.measure(trace, signals: try Measurement.measure(trace))
      let lane = try #require(timeline.lanes.first { $0.kind == .disk })
      #expect(lane.channels.contains("syncsUntimed") == !isTimed)
    }
  }

  /// A thread that computes in `spin()` and waits in `load()` for a file, five times; its first is parked throughout.
  private static func worker(_ body: (Trace) throws -> Void) throws {
    let second: UInt64 = 1_000_000_000
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "worker")
    for turn in UInt64(1)...5 {
      let at = second + turn * 300_000_000
      builder.waking(time: at, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: at, 100)
      builder.sample(
        "cpu-clock", time: at + 50_000_000, tid: 100, callchain: [CallchainContext.user, 0x1010])
      try builder.stack(
        time: at + 50_000_000, tid: 100, functions: ["spin()", "main"], firstID: Int(turn) * 100)
      builder.blockedStack(time: at + 120_000_000, 100)
      try builder.stack(
        time: at + 120_000_000, tid: 100, functions: ["pread", "load()", "main"],
        firstID: Int(turn) * 100 + 50)
      builder.switchOut(time: at + 120_000_000, 100)
    }
    builder.exit(time: 3 * second, pid: 100, tid: 100)
    try builder.withFile { try body(Trace.load(path: $0)) }
  }

  /// What `FlameMoments` packs: beginning and end in seconds, node, seconds.
  private static func unpacked(
    _ moments: FlameMoments
  ) throws -> [(start: Double, end: Double, node: Int, seconds: Double)] {
    var bytes = ArraySlice(try #require(Data(base64Encoded: moments.data)))
    func number() -> Int {
      var (value, shift) = (0, 0)
      while let byte = bytes.popFirst() {
        value |= Int(byte & 127) << shift
        shift += 7
        if byte < 128 { break }
      }
      return value
    }
    var result: [(Double, Double, Int, Double)] = []
    var cell = 0
    while !bytes.isEmpty {
      cell += number()
      let end = cell + number()
      let scale = Double(moments.quantum) / 1e6
      result.append((Double(cell) * scale, Double(end) * scale, number(), Double(number()) / 1e6))
    }
    return result
  }

  @Test func `a flame graph's moments add up to it, and each is where it was`() throws {
    try Self.worker { trace in
      let timeline = try Timeline.measure(trace, signals: Measurement.measure(trace))
      let all = try #require(timeline.flames.first { $0.title == "All threads" })
      let moments = try Self.unpacked(all.moments)
      var seconds = [Double](repeating: 0, count: all.parents.count)
      for moment in moments { seconds[moment.node] += moment.seconds }
      for node in seconds.indices.reversed() where all.parents[node] >= 0 {
        seconds[all.parents[node]] += seconds[node]
      }
      for node in seconds.indices { #expect(abs(seconds[node] - all.seconds[node]) < 0.001) }
      // Four waits of 180 ms, each from 120 ms after the thread had begun to run.
      let waits = moments.filter { $0.end > $0.start && $0.start > 0.1 }
      #expect(waits.count >= 4)
      for (index, wait) in waits.prefix(4).enumerated() {
        #expect(abs(wait.start - (0.3 * Double(index + 1) + 0.12)) < 0.001, "\(wait)")
        #expect(abs(wait.seconds - 0.18) < 0.001)
        let blamed = all.blamed[wait.node]
        #expect(blamed >= 0 && all.frames[blamed].function == "pread")
      }
      // CPU time alone has neither.
      let cpu = try #require(timeline.flames.first { $0.title == "CPU time of all threads" })
      #expect(cpu.causes == ["running"])
      #expect(Set(cpu.frames.map(\.function)) == ["spin()", "main"])
      #expect(abs(cpu.seconds[0] - 0.6) < 0.01)
    }
  }

  @Test func `however many moments there are, few are kept`() throws {
    var sums = FlameMomentSums(duration: 3600)
    for index in 0..<200_000 {
      sums.add(0.001, from: Double(index) * 0.018, lasting: 0.001, at: index % 7)
    }
    let kept = sums.moments(ofNodes: Array(0..<7))
    let moments = try Self.unpacked(kept)
    #expect(moments.count <= 12_000 && moments.count > 3_000)
    #expect(abs(moments.reduce(0) { $0 + $1.seconds } - 200) < 0.01)
    let early = moments.filter { $0.start < 1800 }.reduce(0) { $0 + $1.seconds }
    #expect(abs(early - 100) < 1)
  }

  @Test func `traffic that stays on the machine has a lane where there is no other`() throws {
    let second: UInt64 = 1_000_000_000
    for (host, kinds) in [
      ([127, 0, 0, 1] as [UInt8], [TimelineLaneKind.network]),
      ([198, 51, 100, 7], [.radio, .network]),
    ] {
      var builder = TraceBuilder()
      try builder.capture(time: second, rootPid: 100)
      try builder.process(time: second, pid: 100)
      builder.comm(time: second, pid: 100, tid: 100, name: "program")
      builder.socketState(time: second + 1, tid: 100, socket: 9, from: 7, to: 2, remote: host)
      builder.socketState(time: second + 2, tid: 0, socket: 9, from: 2, to: 1, remote: host)
      builder.send(time: second + 3, tid: 100, socket: 9, bytes: 100)
      builder.receive(time: 2 * second, tid: 100, socket: 9, bytes: 900)
      let trace = try builder.withFile { try Trace.load(path: $0) }
      let timeline = try Timeline.measure(trace, signals: Measurement.measure(trace))
      let lanes = timeline.lanes.filter { $0.kind == .network || $0.kind == .radio }
      #expect(lanes.map(\.kind) == kinds)
      #expect(lanes.last?.name == (kinds.count == 1 ? "loopback" : ""))
      #expect((timeline.radio == nil) == (kinds.count == 1))
    }
  }

  // A part of a microsecond was cut off each sync: 9.58 ms on the page were 9.61 ms in the text.
  @Test func `what syncs took adds up to what the disk's signal says`() throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    try builder.process(time: 1_000_000_000, pid: 100)
    builder.open(time: 1_001_000_000, tid: 100, path: "/data/store", fd: 4, flags: 0o101)
    for index in 0..<50 as Range<UInt64> {
      let time = 1_002_000_000 + index * 1_000_000
      builder.enterSync(time: time, tid: 100, fd: 4)
      builder.exitSyscall(time: time + 190_999, tid: 100, number: 74, result: 0, arguments: [4])
    }
    builder.exit(time: 1_100_000_000, pid: 100, tid: 100)
    try builder.withFile { path in
      let trace = try Trace.load(path: path)
      let signals = try Measurement.measure(trace)
      let timeline = try Timeline.measure(trace, signals: signals)
      let lane = try #require(timeline.lanes.first { $0.kind == .disk })
      let channel = try #require(lane.channels.firstIndex(of: "syncNanoseconds"))
      let bytes = Array(try #require(Data(base64Encoded: lane.data)))
      let shown = DecodedGrid(bytes, quantum: UInt64(lane.quantum)).total(channel)
      #expect(signals.disk?.syncs == 50)
      #expect(abs(Double(shown) / 1e9 - (signals.disk?.syncSeconds ?? 0)) < 1e-9)
    }
  }
}
