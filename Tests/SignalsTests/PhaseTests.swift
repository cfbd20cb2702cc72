import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000

/// Measures a program, pid 100, that starts at 1 s, waits for events from 1.2 s and ends at 21 s.
private func measure(
  _ options: MeasurementOptions = .init(), _ build: (inout TraceBuilder) throws -> Void
) throws -> SignalSet {
  try measureProgram(options) { builder in
    builder.switchIn(time: second, 100)
    try build(&builder)
    builder.exit(time: 21 * second, pid: 100, tid: 100)
  }
}

extension TraceBuilder {
  /// The main thread waits in its event loop between two moments.
  fileprivate mutating func eventWait(from: UInt64, to: UInt64, id: Int) throws {
    blockedStack(time: from - 1000, 100)
    try stack(
      time: from - 1000, tid: 100,
      functions: ["ppoll", "__CFRunLoopServiceFileDescriptors", "main"], firstID: id)
    switchOut(time: from, 100)
    waking(time: to, by: 0, of: 100, context: .hardInterrupt)
    switchIn(time: to, 100)
  }

  fileprivate mutating func mark(
    _ name: String, at time: UInt64, kind: MarkEvent.Kind = .mark, identifier: UInt64? = nil
  ) throws {
    try synthetic(
      MarkEvent(name: name, kind: kind, how: "library", identifier: identifier, tid: 100),
      time: time, pid: 100)
  }
}

struct PhaseTests {
  private func names(_ signals: SignalSet) -> [String] { signals.phases.map(\.name.rawValue) }

  @Test func `launch ends at the first event wait and termination begins with its signal`() throws {
    let signals = try measure { builder in
      try builder.eventWait(from: second * 12 / 10, to: 19 * second, id: 1)
      builder.signal(time: 19 * second, number: 15, to: 100)
    }
    #expect(names(signals) == ["launch", "active", "terminating"])
    #expect(abs(signals.phases[0].durationSeconds - 0.2) < 1e-9)
    #expect(abs(signals.phases[1].durationSeconds - 17.8) < 1e-9)
    #expect(abs(signals.phases[2].durationSeconds - 2) < 1e-9)
    // The phases cover the life without gaps, and their CPU time is all there was.
    let sum = signals.phases.reduce(0) { $0 + $1.cpuSeconds }
    #expect(abs(sum - (signals.cpu?.totalSeconds ?? 0)) < 1e-9)
    #expect(abs(signals.phases[0].cpuSeconds - 0.2) < 1e-9)
    #expect(signals.lifecycle?.launch?.runningSeconds ?? 0 > 0.19)
  }

  @Test func `a ready mark ends the launch, and marks change phases`() throws {
    let signals = try measure { builder in
      try builder.eventWait(from: second * 12 / 10, to: 3 * second, id: 1)
      try builder.mark("ready", at: 3 * second)
      try builder.eventWait(from: 3 * second + second / 2, to: 10 * second, id: 10)
      try builder.mark("background", at: 10 * second)
      try builder.eventWait(from: 10 * second + second / 4, to: 15 * second, id: 20)
      try builder.mark("foreground", at: 15 * second)
    }
    #expect(names(signals) == ["launch", "active", "background", "active"])
    #expect(abs((signals.lifecycle?.launchSeconds ?? 0) - 2) < 1e-9)
    let background = signals.phases[2]
    #expect(abs(background.start - 9) < 1e-9 && abs(background.durationSeconds - 5) < 1e-9)
    #expect(abs((background.settleSeconds ?? 0) - 0.25) < 1e-9)
    #expect(abs(background.longestBusySeconds - 0.25) < 1e-5)
    #expect(abs(background.cpuSeconds - 0.25) < 1e-9)
  }

  @Test func `a handler's turn is told apart from being quiet`() throws {
    let signals = try measure { builder in
      builder.fork(time: 2 * second, pid: 100, tid: 101, parentPid: 100)
      try builder.eventWait(from: second * 12 / 10, to: 10 * second, id: 1)
      try builder.mark("background", at: 10 * second + second / 10)
      try builder.eventWait(from: 10 * second + second * 4 / 10, to: 18 * second, id: 10)
      // Another thread goes on with a download.
      builder.switchIn(time: 10 * second, 101, cpu: 1)
      builder.switchOut(time: 17 * second, 101, cpu: 1)
      try builder.mark("foreground", at: 18 * second)
      try builder.eventWait(from: 18 * second + second * 7 / 10, to: 21 * second, id: 20)
    }
    let (background, foreground) = (signals.phases[2], signals.phases[3])
    #expect(abs((background.handlerSeconds ?? 0) - 0.3) < 1e-5, "\(background)")
    #expect((background.settleSeconds ?? 0) > 6)
    #expect(abs((foreground.handlerSeconds ?? 0) - 0.7) < 1e-5)
  }

  @Test func `where nobody was told there is no handler`() throws {
    let signals = try measure { builder in
      try builder.eventWait(from: second * 12 / 10, to: 20 * second, id: 1)
      try builder.mark("background", at: 10 * second)
    }
    #expect(signals.phases[2].name == .background && signals.phases[2].handlerSeconds == nil)
  }

  // A tool that was stopped came back "at its events" as it ended, or at the next stop.
  @Test func `a program without events has no handler, and lags behind none`() throws {
    let signals = try measure { builder in
      builder.signal(time: 5 * second, number: 19, to: 100)
      builder.blockedStack(time: 5 * second + 1000, 100)
      try builder.stack(
        time: 5 * second + 1000, tid: 100, functions: ["work()", "main"], firstID: 1)
      builder.switchOut(time: 5 * second + 2000, 100, prevState: 4)
      builder.signal(time: 8 * second, number: 18, to: 100)
      builder.waking(time: 8 * second, by: 0, of: 100)
      builder.switchIn(time: 8 * second + 1000, 100)
    }
    #expect(signals.phases.map(\.isStopped).contains(true), "\(signals.phases)")
    #expect(signals.phases.allSatisfy { $0.handlerSeconds == nil }, "\(signals.phases)")
  }

  @Test func `what a phase costs by the rules' prices is the same on any machine`() throws {
    let machines: [MachineClass] = [.phone, .laptop, .server]
    let phases = try machines.map { machine in
      try measure(MeasurementOptions(machine: machine)) { builder in
        try builder.eventWait(from: second * 12 / 10, to: 9 * second, id: 1)
        try builder.mark("background", at: 10 * second)
        try builder.eventWait(from: 12 * second, to: 15 * second, id: 10)
      }.phases[2]
    }
    // From 10 to 12 s and from 15 to 21 s it runs.
    let watts = EnergyPriors(.laptop).wattsPerBusyCore
    for phase in phases {
      #expect(abs((phase.standardJoules ?? 0) - 8 * watts) < 0.02 * watts, "\(phase)")
    }
    #expect(phases[0].energy?.totalJoules != phases[2].energy?.totalJoules)
  }

  @Test func `a signal may stand for a mark`() throws {
    let signals = try measure(MeasurementOptions(signalMarks: [10: "background"])) { builder in
      try builder.eventWait(from: second * 12 / 10, to: 8 * second, id: 1)
      builder.signal(time: 9 * second, number: 10, to: 100)
    }
    #expect(signals.marks.map(\.name) == ["background"])
    #expect(names(signals) == ["launch", "active", "background"])
    #expect(abs((signals.phases.last?.start ?? 0) - 8) < 1e-9)
  }

  @Test func `a stopped program is in the background until it goes on`() throws {
    let signals = try measure { builder in
      try builder.eventWait(from: second * 12 / 10, to: 20 * second, id: 1)
      builder.signal(time: 5 * second, number: 19, to: 100)
      builder.signal(time: 8 * second, number: 18, to: 100)
    }
    #expect(names(signals) == ["launch", "active", "background", "active"])
    #expect(signals.phases[2].isStopped && abs(signals.phases[2].durationSeconds - 3) < 1e-9)
  }

  @Test func `what memory pressure made the program free`() throws {
    let signals = try measure { builder in
      for step in UInt64(0)...100 {
        let time = second + step * second / 10
        builder.footprint(
          time: time, pid: 100, anonymous: time < 6 * second ? 100_000_000 : 40_000_000)
      }
      try builder.synthetic(
        MarkEvent(name: "memory-pressure-warning", how: "pressure"), time: 5 * second + second / 2,
        pid: 100)
    }
    let mark = try #require(signals.marks.first)
    #expect(mark.footprintBytes == 100_000_000 && mark.lowestFootprintBytes == 40_000_000)
  }

  @Test func `intervals have lengths and costs, and may overlap`() throws {
    let signals = try measure { builder in
      try builder.mark("load", at: 2 * second, kind: .begin, identifier: 1)
      try builder.mark("load", at: 3 * second, kind: .begin, identifier: 2)
      try builder.mark("load", at: 4 * second, kind: .end, identifier: 1)
      try builder.eventWait(from: 4 * second + second / 2, to: 6 * second, id: 1)
      try builder.mark("load", at: 7 * second, kind: .end, identifier: 2)
      try builder.mark("open", at: 8 * second, kind: .begin)
    }
    #expect(signals.intervals.map(\.name) == ["load", "load", "open"])
    #expect(signals.intervals.map(\.isOpen) == [false, false, true])
    #expect(abs(signals.intervals[0].durationSeconds - 2) < 1e-9)
    #expect(abs(signals.intervals[1].durationSeconds - 4) < 1e-9)
    // Of those four seconds, one and a half were spent waiting.
    #expect(abs(signals.intervals[1].cpuSeconds - 2.5) < 1e-9)
    #expect(signals.intervals[0].thread == "program")
  }
}
