import Foundation
import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// A program, pid 100, that starts at 1 s, and what it costs on a laptop.
private func measure(
  _ options: MeasurementOptions = .init(machine: .laptop),
  _ build: (inout TraceBuilder) throws -> Void
) throws -> SignalSet {
  try measureProgram(options, build)
}

/// Whether the rows of each breakdown add up to the whole, part by part.
private func expectWhole(_ energy: EnergySignal, _ comment: Comment? = nil) {
  let parts = energy.parts
  #expect(abs(parts.joules - energy.totalJoules) <= 1e-9, comment)
  for rows in [energy.byFunction, energy.byPhase, energy.byHost, energy.byFile] {
    let sum = rows.reduce(EnergyParts()) { $0 + $1.parts }
    let rest = parts - sum
    for part in [rest.cpu, rest.wakeups, rest.radio, rest.disk] {
      #expect(abs(part) <= 1e-9, comment)
    }
    // No row takes what another was given.
    for row in rows {
      for part in [row.parts.cpu, row.parts.wakeups, row.parts.radio, row.parts.disk] {
        #expect(part >= -1e-9, comment)
      }
    }
  }
}

@Suite struct EnergySumTests {
  /// Two hosts in one burst, one with three times the other's bytes; two files, one written at random.
  private func mixed(_ options: MeasurementOptions = .init(machine: .laptop)) throws -> SignalSet {
    try measure(options) { builder in
      builder.switchIn(time: second, 100)
      builder.open(time: second + 1000, tid: 100, path: "/data/log", fd: 4, flags: 0o101)
      builder.open(time: second + 5000, tid: 100, path: "/data/store", fd: 5, flags: 0o102)
      for index in UInt64(0)..<4 {
        let time = second + 10 * millisecond + index * millisecond
        builder.exitSyscall(time: time, tid: 100, number: 1, result: 1000, arguments: [4])
        // pwrite64 at 0, 40960, 81920, …: none behind the last.
        builder.exitSyscall(
          time: time + 1000, tid: 100, number: 18, result: 4096,
          arguments: [5, 0, 4096, index * 40960])
      }
      builder.enterSync(time: second + 20 * millisecond, tid: 100, fd: 5)
      builder.exitSyscall(
        time: second + 21 * millisecond, tid: 100, number: 74, result: 0, arguments: [5])
      for (socket, host, bytes) in [(UInt64(1), UInt8(7), 3000), (2, 8, 1000)] {
        builder.socketState(
          time: second + 30 * millisecond, tid: 100, socket: socket, from: 7, to: 2,
          localPort: 40000 + Int(host), remote: [198, 51, 100, host])
        builder.socketState(
          time: second + 31 * millisecond, tid: 0, socket: socket, from: 2, to: 1,
          localPort: 40000 + Int(host), remote: [198, 51, 100, host])
        builder.send(time: second + 40 * millisecond, tid: 100, socket: socket, bytes: bytes)
      }
      for sample in UInt64(0)..<30 {
        let time = second + 50 * millisecond + sample * 10 * millisecond
        builder.processorSample(time: time, 100)
        try builder.stack(
          time: time, tid: 100, functions: [sample < 20 ? "parse()" : "draw()", "main"],
          firstID: sample < 20 ? 100 : 200)
      }
      let wait = second + 400 * millisecond
      builder.blockedStack(time: wait - 1000, 100)
      try builder.stack(time: wait - 1000, tid: 100, functions: ["usleep", "poll()"], firstID: 300)
      builder.switchOut(time: wait, 100)
      builder.waking(time: wait + second, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: wait + second, 100)
      builder.exit(time: wait + 2 * second, pid: 100, tid: 100)
    }
  }

  @Test func `functions, phases, hosts and files each add up to the whole`() throws {
    let signals = try mixed()
    let energy = try #require(signals.energy)
    expectWhole(energy)
    // By construction: 1.4 s of CPU, two thirds of the samples in parse().
    #expect(abs(energy.cpuJoules - 1.4 * 1.56) < 1e-9)
    let functions = Dictionary(
      energy.byFunction.map { ($0.name ?? "", $0.parts) }, uniquingKeysWith: { $0 + $1 })
    #expect(abs((functions["parse()"]?.cpu ?? 0) - energy.cpuJoules * 2 / 3) < 1e-9)
    #expect(abs((functions["draw()"]?.cpu ?? 0) - energy.cpuJoules / 3) < 1e-9)
    // One wakeup of an idle CPU.
    #expect(abs(energy.wakeupJoules - 200e-6 * 1.56) < 1e-12)
    // A group of writes and a sync; 4 × (1000 + 4096) bytes; three of the blocks not behind the last.
    let work = try #require(signals.disk?.work)
    #expect(work == DiskWork(operations: 2, bytes: 20384, randomBlocks: 3))
    let disk = 2 * 0.002 + 20384 * 4.7e-9 + 3 * 0.0000385
    #expect(abs(energy.diskJoules - disk) < 1e-12)
    let files = Dictionary(
      uniqueKeysWithValues: energy.byFile.compactMap { row in row.name.map { ($0, row.joules) } })
    #expect(abs((files["/data/log"] ?? 0) - 0.002 - 4000 * 4.7e-9) < 1e-12)
    #expect(
      abs((files["/data/store"] ?? 0) - 0.002 - 16384 * 4.7e-9 - 3 * 0.0000385) < 1e-12)
    // The radio's by bytes: each host's with headers, so about three to one.
    let hosts = energy.byHost.filter { $0.name != nil }
    #expect(hosts.map(\.name) == ["198.51.100.7", "198.51.100.8"])
    #expect(abs(hosts.reduce(0) { $0 + $1.joules } - energy.radioJoules) < 1e-9)
    #expect(hosts[0].joules > 2 * hosts[1].joules && hosts[0].joules < 3.01 * hosts[1].joules)
  }

  @Test(arguments: [
    "appender", "async-main", "atomic-saver", "blocker-network", "chatty", "idle", "ls", "marker",
    "perf-calls", "poller", "poller-cut", "sqlite",
  ])
  func `of real recordings they add up as well`(name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let trace = try Trace.load(path: folder.appendingPathComponent("Traces/\(name).perf.data").path)
    for machine in MachineClass.allCases {
      let signals = try Measurement.measure(
        trace, options: MeasurementOptions(includeLoopback: true, machine: machine))
      let energy = try #require(signals.energy)
      expectWhole(energy, "\(name) on a \(machine)")
      #expect((energy.low ?? 0) <= energy.totalJoules + 1e-12)
      #expect((energy.high ?? 0) >= energy.totalJoules - 1e-12)
    }
  }

  /// 1.4 s of 0.505, 0.925 and 2.76 W; each sort's range holds the models of that sort alone.
  @Test func `the same program costs what each sort of machine takes`() throws {
    for (machine, watts) in [(MachineClass.phone, 0.505), (.board, 0.925), (.server, 2.76)] {
      let signals = try mixed(.init(machine: machine))
      let energy = try #require(signals.energy)
      #expect(abs(energy.cpuJoules - 1.4 * watts) < 1e-9)
      #expect(signals.priors.machine == machine && signals.priors.reason == "it was said")
    }
  }

  @Test func `a radio that was said is ranged by its own models, else by all a phone may have`()
    throws
  {
    func range(_ name: String?) throws -> (JouleRange, own: Double) {
      var options = MeasurementOptions(machine: .laptop)
      options.isRadioSaid = name != nil
      if let name { options.radioProfile = name }
      let energy = try #require(try mixed(options).energy)
      return (try #require(energy.ranges?.radio), energy.radioJoules)
    }
    let lte = try range("lte-2012")
    // The carrier with tails of 5 s is the least of the four LTE models.
    #expect(abs(lte.0.low - 5.653) < 0.1 && abs(lte.0.high - 12.786) < 0.1)
    let any = try range(nil)
    #expect(any.own == lte.own)
    // Wi-Fi with power save to 5G's millimetre waves.
    #expect(any.0.low < 0.2 && any.0.high > 15)
    let narrow = try range("nb-iot")
    #expect(narrow.0.high < 1)
  }
}

@Suite struct TailTests {
  /// One request, and the recording ends 60 ms later.
  private func request(_ end: UInt64) throws -> SignalSet {
    try measure { builder in
      builder.switchIn(time: second, 100)
      builder.socketState(time: second + 1, tid: 100, socket: 1, from: 7, to: 2)
      builder.socketState(time: second + 2, tid: 0, socket: 1, from: 2, to: 1)
      builder.send(time: second + 3, tid: 100, socket: 1, bytes: 100)
      builder.exit(time: second + end, pid: 100, tid: 100)
    }
  }

  /// The full tail wherever the energy is told: in the whole, the phase, the host, the burst, and by every other model.
  @Test(arguments: [60 * millisecond, 30 * second])
  func `a request costs its whole tail however soon the recording ends`(end: UInt64) throws {
    let signals = try request(end)
    let energy = try #require(signals.energy)
    #expect(abs(energy.radioJoules - 12.786) < 0.02)
    let network = try #require(signals.network)
    #expect(abs(network.bursts.reduce(0) { $0 + $1.energyJoules } - energy.radioJoules) < 1e-9)
    #expect(abs(energy.byPhase.reduce(0) { $0 + $1.parts.radio } - energy.radioJoules) < 1e-9)
    #expect(abs(energy.byHost.reduce(0) { $0 + $1.parts.radio } - energy.radioJoules) < 1e-9)
    let others = Dictionary(
      uniqueKeysWithValues: network.alternatives.map { ($0.profile, $0.energyJoules) })
    #expect(abs(try #require(others["5g-sa"]) - 10.965) < 0.01)
    // No phone has these.
    #expect(others["nb-iot"] == nil && others["lte-m"] == nil)
    for model in network.models {
      #expect(abs(model.use.energyJoules - (others[model.use.profile] ?? 0)) < 1e-9)
    }
  }
}
