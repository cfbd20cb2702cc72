import Foundation
import Testing

@testable import Signals

@Suite struct EnergyPriorsTests {
  /// A busy second, a wakeup, and a disk's operation, byte and random block of each sort, by hand from the sources.
  @Test(arguments: [
    (MachineClass.phone, 0.505, 0.505 * 1461e-6, StorageKind.emmc),
    (.board, 0.925, 0.925 * 700e-6, .emmc), (.laptop, 1.56, 1.56 * 200e-6, .ssd),
    (.server, 2.76, 2.76 * 133e-6, .ssd),
  ])
  func `each sort of machine`(
    machine: MachineClass, watts: Double, wakeup: Double, storage: StorageKind
  ) {
    let priors = EnergyPriors(machine)
    #expect(priors.cpu.value == watts && priors.storage == storage)
    #expect(abs(priors.wakeup.value - wakeup) < 1e-12)
    for (_, _, prior) in priors.named {
      #expect(prior.low <= prior.value && prior.value <= prior.high && !prior.source.isEmpty)
      #expect(prior.high > 0)
    }
  }

  /// (129 + 7.6) mA × 3.7 V; (3.5 − 0.74) W; (6.4 − 2.7) W / 4; (1.8 − 0.8) W × 0.1 s / 3; 0.25 W / 40 MB/s.
  @Test func `the figures follow from what their sources say`() {
    #expect(abs(EnergyPriors(.phone).cpu.value - 136.6 * 3.7 / 1000) < 0.001)
    #expect(abs(EnergyPriors(.phone).cpu.low - 38.6 * 3.7 / 1000) < 0.001)
    #expect(abs(EnergyPriors(.phone).cpu.high - 373.6 * 3.7 / 1000) < 0.001)
    #expect(abs(EnergyPriors(.server).cpu.value - (3.5 - 0.74)) < 1e-9)
    #expect(abs(EnergyPriors(.board).cpu.value - (6.4 - 2.7) / 4) < 1e-9)
    let magnetic = EnergyPriors(.laptop, storage: .magnetic)
    #expect(abs(magnetic.diskOperation.value - (1.8 - 0.8) * 0.1 / 3) < 1e-4)
    #expect(abs(magnetic.diskRandomBlock.value - (2.2 - 0.8) * 0.1 / 3) < 1e-4)
    #expect(abs(EnergyPriors(.phone).diskByte.value - 0.25 / 40e6) < 1e-15)
  }

  /// 1 GB in one burst: an operation and a billion bytes; all of it at random in blocks of 4 KiB is dearer.
  @Test(arguments: [
    (StorageKind.ssd, 0.002 + 4.7, 0.0000385), (.emmc, 0.000125 + 6.25, 0.000125),
    (.magnetic, 0.0333 + 14.3, 0.0467),
  ])
  func `a gigabyte costs by the byte`(storage: StorageKind, joules: Double, block: Double) {
    let priors = EnergyPriors(.laptop, storage: storage)
    let inOrder = priors.energy(of: DiskWork(operations: 1, bytes: 1_000_000_000))
    #expect(abs(inOrder.value - joules) < 1e-9)
    #expect(inOrder.low <= inOrder.value && inOrder.value <= inOrder.high)
    let blocks = 244_140
    let atRandom = priors.energy(
      of: DiskWork(operations: 1, bytes: 1_000_000_000, randomBlocks: blocks))
    #expect(abs(atRandom.value - joules - Double(blocks) * block) < 1e-6)
  }

  @Test func `bounds of a whole are the sums of its parts' bounds`() throws {
    let priors = EnergyPriors(.laptop)
    let energy = priors.energy(
      cpuSeconds: 10, wakeups: 100, uncharged: 50, disk: DiskWork(operations: 3),
      radio: JouleRange(3, low: 1, high: 7))
    // 1.22 and 4.28 W; 10 µs × 1.22 W and 800 µs × 4.28 W a wakeup; 0 and 2 mJ an operation.
    let low = 12.2 + 100 * 10e-6 * 1.22 + 0 + 1
    let high = 42.8 + 150 * 800e-6 * 4.28 + 0.006 + 7
    #expect(abs(try #require(energy.low) - low) < 1e-9)
    #expect(abs(try #require(energy.high) - high) < 1e-9)
    let ranges = try #require(energy.ranges)
    let parts = [ranges.cpu, ranges.wakeups, ranges.radio, ranges.disk]
    #expect(abs(parts.reduce(0) { $0 + $1.value } - energy.totalJoules) < 1e-9)
  }

  @Test func `where the machine is not known the bounds hold every sort's`() {
    let unknown = EnergyPriors(
      EnergyFile.standard, machine: .laptop, reason: "", isKnown: false, storage: nil,
      idleStates: nil)
    #expect(unknown.cpu.value == 1.56)
    #expect(unknown.cpu.low == 0.143 && unknown.cpu.high == 6.41)
    #expect(unknown.wakeup.low <= EnergyPriors(.board).wakeup.low)
  }

  /// Three of four entries into a state of 10 µs, one into one of 200 µs: 57.5 µs of 1.56 W.
  @Test func `a wakeup costs what the machine's own idle states say`() throws {
    let own = Prior(57.5, low: 10, high: 215, source: "its own")
    let priors = EnergyPriors(
      EnergyFile.standard, machine: .laptop, reason: "", isKnown: true, storage: nil,
      idleStates: own)
    #expect(abs(priors.wakeup.value - 57.5e-6 * 1.56) < 1e-15)
    #expect(abs(priors.wakeup.low - 10e-6 * 1.22) < 1e-15)
    #expect(abs(priors.wakeup.high - 215e-6 * 4.28) < 1e-15)
    #expect(priors.wakeup.source.contains("its own"))
    // What was said outright counts for more.
    var tables = EnergyFile.standard
    tables.machines[.laptop]?.wakeupJoules = Prior(0.004)
    let said = EnergyPriors(
      tables, machine: .laptop, reason: "", isKnown: true, storage: nil, idleStates: own)
    #expect(said.wakeup.value == 0.004)
  }
}

@Suite struct EnergyFileTests {
  @Test func `the built-in tables are whole`() throws {
    let tables = try EnergyFile.builtIn()
    #expect(tables == EnergyFile.standard)
    for machine in MachineClass.allCases {
      let priors = try #require(tables.machines[machine])
      #expect(priors.cpuWatts != nil && priors.wakeupMicroseconds != nil && priors.storage != nil)
    }
    for storage in StorageKind.allCases {
      let priors = try #require(tables.storages[storage])
      #expect(priors.operation != nil && priors.byte != nil && priors.randomBlock != nil)
    }
  }

  @Test func `parts of a user's file are put over the built-in ones`() throws {
    let own = try EnergyFile.parse(
      """
      machine = "board"
      [board]
      cpu_watts = 0.5
      storage = "ssd"
      [board.wakeup_microseconds]
      value = 3
      high = 5
      [storage.ssd]
      byte_joules = 1e-9
      """, path: "mine.toml")
    let tables = own.over(EnergyFile.standard)
    #expect(tables.machine == .board)
    let priors = EnergyPriors(
      tables, machine: .board, reason: "", isKnown: true, storage: nil, idleStates: nil)
    #expect(priors.cpu == Prior(0.5, source: "mine.toml"))
    #expect(priors.storage == .ssd)
    #expect(abs(priors.wakeup.value - 1.5e-6) < 1e-15 && abs(priors.wakeup.high - 2.5e-6) < 1e-15)
    #expect(priors.diskByte.value == 1e-9)
    // What it does not say is the built-in one's.
    #expect(priors.diskOperation == EnergyPriors(.laptop).diskOperation)
    #expect(tables.machines[.phone] == EnergyFile.standard.machines[.phone])
  }

  @Test(arguments: [
    ("machine = 'toaster'", "must be one of phone, board, laptop, server"),
    ("toaster = 1", "is not known"), ("[toaster]", "is not known"),
    ("[phone]\nvolts = 3", "phone.volts is not known"),
    ("[phone]\ncpu_watts = -1", "0 or more"), ("[phone]\ncpu_watts = 'x'", "0 or more"),
    ("[phone.cpu_watts]\nlow = 1", "needs a “value”"),
    ("[phone.cpu_watts]\nvalue = 1\nlow = 2", "low ≤ value ≤ high"),
    ("[storage.tape]", "must be a table, and one of emmc, ssd, magnetic"),
    ("storage = 'tape'", "must be one of emmc"), ("[phone", "e.toml:1"),
  ])
  func `bad files are told in a line`(text: String, part: String) {
    #expect {
      try EnergyFile.parse(text, path: "e.toml")
    } throws: {
      "\($0)".hasPrefix("e.toml") && "\($0)".contains(part) && !"\($0)".contains("\n")
    }
  }

  @Test func `the list names each prior with its source`() throws {
    let text = try EnergyList.text(EnergyFile.standard)
    for machine in MachineClass.allCases { #expect(text.contains("\(machine.rawValue) (files on")) }
    #expect(text.contains("a busy core: 2.76 W (1.22 W to 6.41 W)"))
    #expect(text.contains("a byte written: 4.7 nJ (3.8 nJ to 6.8 nJ)"))
    #expect(text.contains("powertop") && text.contains("5g-sa"))
  }
}
