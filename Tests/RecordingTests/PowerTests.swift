import Foundation
import PerfData
import Testing

@testable import Recording

/// A tree of files like /sys and /proc.
private final class FakeTree {
  let root: String

  init(_ files: [String: String]) throws {
    root =
      FileManager.default.temporaryDirectory.appendingPathComponent("lull-\(UUID().uuidString)")
      .path
    for (path, text) in files { try write(path, text) }
  }

  func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: root + path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: file)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }
}

@Suite struct PowerTests {
  private static let rapl = "/sys/class/powercap/intel-rapl:0"
  private static let start: UInt64 = 5_000_000_000

  private func joules(_ source: PowerSource, at seconds: Double) -> [String: Double] {
    let now = Self.start + UInt64(seconds * 1e9)
    return Dictionary(
      uniqueKeysWithValues: source.readings(now: now, final: false).map { ($0.name, $0.value) })
  }

  /// Two packages, one with a part; a count that begins again; 400 + 100 ticks of which 300 are idle and 50 wait.
  @Test func `powercap's zones count from the start and over their range`() throws {
    let tree = try FakeTree([
      Self.rapl + "/name": "package-0", Self.rapl + "/energy_uj": "1000000",
      Self.rapl + "/max_energy_range_uj": "262143328850",
      "/sys/class/powercap/intel-rapl:0:0/name": "core",
      "/sys/class/powercap/intel-rapl:0:0/energy_uj": "0",
      "/sys/class/powercap/intel-rapl:1/name": "package-1",
      "/sys/class/powercap/intel-rapl:1/energy_uj": "9999000",
      "/sys/class/powercap/intel-rapl:1/max_energy_range_uj": "10000000",
      "/sys/class/powercap/intel-rapl-mmio:0/name": "package-0",
      "/sys/class/powercap/intel-rapl-mmio:0/energy_uj": "5",
      "/proc/stat": "cpu  100 0 50 300 50 10 20 0 0 0\ncpu0 1 2 3",
    ])
    let source = try #require(PowerSource(pid: 1, root: tree.root))
    #expect(joules(source, at: 0).values.allSatisfy { $0 == 0 })
    try tree.write(Self.rapl + "/energy_uj", "4500000")
    try tree.write("/sys/class/powercap/intel-rapl:0:0/energy_uj", "2000000")
    try tree.write("/sys/class/powercap/intel-rapl:1/energy_uj", "1000")
    try tree.write("/proc/stat", "cpu  180 0 90 900 50 15 25 0 0 0")
    let now = joules(source, at: 2)
    #expect(
      Set(now.keys) == [
        "powercap:package-0", "powercap:package-0/core", "powercap:package-1", "machine-busy",
      ])
    #expect(now["powercap:package-0"] == 3.5)
    #expect(now["powercap:package-0/core"] == 2)
    #expect(abs((now["powercap:package-1"] ?? 0) - 0.002) < 1e-9)
    // 80 + 40 + 5 + 5 hundredths.
    #expect(abs((now["machine-busy"] ?? 0) - 1.3) < 1e-9)
  }

  /// 4 W, then 6 W: two seconds of 5 W. A mouse's battery is not the machine's.
  @Test func `a battery's power is added up while it is discharged`() throws {
    let battery = "/sys/class/power_supply/BAT0"
    let tree = try FakeTree([
      battery + "/type": "Battery", battery + "/status": "Discharging",
      battery + "/power_now": "4000000",
      "/sys/class/power_supply/AC/type": "Mains",
      "/sys/class/power_supply/mouse/type": "Battery",
      "/sys/class/power_supply/mouse/scope": "Device",
      "/sys/class/power_supply/mouse/power_now": "1",
    ])
    let source = try #require(PowerSource(pid: 1, root: tree.root))
    #expect(joules(source, at: 0) == ["battery:BAT0": 0])
    try tree.write(battery + "/power_now", "6000000")
    #expect(abs((joules(source, at: 2)["battery:BAT0"] ?? 0) - 10) < 1e-9)
    try tree.write(battery + "/status", "Charging")
    #expect(joules(source, at: 4).isEmpty)
  }

  @Test func `a battery without a power is known by its current or by its charge`() throws {
    let battery = "/sys/class/power_supply/BAT1"
    let tree = try FakeTree([
      battery + "/type": "Battery", battery + "/status": "Discharging",
      // 500 mA below zero, as some drivers have it, at 8 V.
      battery + "/current_now": "-500000", battery + "/voltage_now": "8000000",
    ])
    let source = try #require(PowerSource(pid: 1, root: tree.root))
    _ = joules(source, at: 0)
    #expect(abs((joules(source, at: 3)["battery:BAT1"] ?? 0) - 12) < 1e-9)
    // 10 µWh are 36 mJ.
    let other = "/sys/class/power_supply/BAT2"
    let charges = try FakeTree([
      other + "/type": "Battery", other + "/status": "Discharging", other + "/energy_now": "50010",
    ])
    let second = try #require(PowerSource(pid: 1, root: charges.root))
    _ = joules(second, at: 0)
    try charges.write(other + "/energy_now", "50000")
    #expect(abs((joules(second, at: 1)["battery:BAT2"] ?? 0) - 0.036) < 1e-9)
  }

  /// An INA3221 with three rails: one by its energy, one by its power, one by its current and voltage.
  @Test func `rails of a board`() throws {
    let chip = "/sys/class/hwmon/hwmon3"
    let tree = try FakeTree([
      chip + "/name": "ina3221", chip + "/energy1_input": "7000000", chip + "/power1_input": "99",
      chip + "/energy1_label": "VDD_CPU", chip + "/power2_input": "2500000",
      chip + "/curr3_input": "400", chip + "/in3_input": "5000", chip + "/in2_input": "5000",
      chip + "/temp1_input": "42000", "/sys/class/hwmon/hwmon0/name": "coretemp",
      "/sys/class/hwmon/hwmon0/temp1_input": "1",
    ])
    let source = try #require(PowerSource(pid: 1, root: tree.root))
    _ = joules(source, at: 0)
    try tree.write(chip + "/energy1_input", "9000000")
    let now = joules(source, at: 2)
    #expect(Set(now.keys) == ["hwmon:ina3221/VDD_CPU", "hwmon:ina3221/2", "hwmon:ina3221/3"])
    #expect(now["hwmon:ina3221/VDD_CPU"] == 2)
    #expect(abs((now["hwmon:ina3221/2"] ?? 0) - 5) < 1e-9)
    // 0.4 A × 5 V for 2 s.
    #expect(abs((now["hwmon:ina3221/3"] ?? 0) - 4) < 1e-9)
  }

  @Test func `without meters there is no source, and none where no counters are wanted`() throws {
    let bare = try FakeTree(["/proc/stat": "cpu 1 2 3 4 5 6 7 8 9 10"])
    #expect(PowerSource(pid: 1, root: bare.root) == nil)
    let tree = try FakeTree([Self.rapl + "/name": "package-0", Self.rapl + "/energy_uj": "1"])
    #expect(PowerSource(pid: 1, names: [], root: tree.root) == nil)
    #expect(PowerSource(pid: 1, root: tree.root) != nil)
  }
}

@Suite struct MachineReaderTests {
  @Test func `a laptop by its case, its battery and its disk`() throws {
    let tree = try FakeTree([
      "/sys/class/dmi/id/chassis_type": "10", "/sys/class/power_supply/BAT0/type": "Battery",
      "/proc/cpuinfo": "processor: 0\nflags : fpu vme", "/sys/block/nvme0n1/queue/rotational": "0",
      "/sys/block/loop0/queue/rotational": "1", "/sys/block/vda/queue/rotational": "1",
    ])
    let facts = MachineReader(root: tree.root).facts()
    #expect(facts.chassis == 10 && facts.hasBattery == true && facts.isVirtual == false)
    #expect(facts.rotates == false && facts.model == nil && facts.idleStates == nil)
  }

  @Test func `a board by its device tree, a guest by its processor's flag`() throws {
    let board = try FakeTree([
      "/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
      "/sys/block/sda/queue/rotational": "1",
    ])
    let facts = MachineReader(root: board.root).facts()
    #expect(facts.model == "Raspberry Pi 4 Model B Rev 1.4" && facts.rotates == true)
    #expect(facts.isVirtual == nil && facts.hasBattery == nil)
    let guest = try FakeTree(["/proc/cpuinfo": "flags\t\t: fpu hypervisor lm"])
    #expect(MachineReader(root: guest.root).facts().isVirtual == true)
  }

  /// Of two cores the entries are added up; while it is recorded 5 and 7 more.
  @Test func `idle states are counted over all cores from the start of the recording`() throws {
    func state(_ cpu: Int, _ index: Int, _ name: String, _ usage: Int) -> [String: String] {
      let folder = "/sys/devices/system/cpu/cpu\(cpu)/cpuidle/state\(index)/"
      return [
        folder + "name": name, folder + "latency": index == 0 ? "0" : "133",
        folder + "residency": index == 0 ? "0" : "600", folder + "usage": String(usage),
      ]
    }
    var files = ["/sys/devices/system/cpu/cpuidle/current_driver": "intel_idle"]
    for cpu in 0...1 {
      files.merge(state(cpu, 0, "POLL", 1)) { $1 }
      files.merge(state(cpu, 1, "C6", 100)) { $1 }
    }
    let tree = try FakeTree(files)
    let source = MachineSource(root: tree.root)
    for (path, text) in state(0, 1, "C6", 105) { try tree.write(path, text) }
    for (path, text) in state(1, 1, "C6", 107) { try tree.write(path, text) }
    var summary = RecordingSummary(
      capture: CaptureEvent(mode: .wrap, scope: .system, rootPid: 1), features: FileFeatures())
    source.describe(&summary)
    let states = try #require(summary.capture.machine?.idleStates)
    #expect(states.map(\.name) == ["POLL", "C6"] && states.map(\.entries) == [0, 12])
    #expect(states[1].latencyMicroseconds == 133 && states[1].residencyMicroseconds == 600)
  }
}
