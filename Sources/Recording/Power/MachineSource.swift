import PerfData

/// Tells what sort of machine it is, and how often its cores were in which idle state meanwhile.
final class MachineSource: RecordingSource {
  private let root: String
  private var facts: MachineFacts
  private var before: [String: UInt64]

  /// `root` is before /sys and /proc, for tests.
  init(root: String = "") {
    self.root = root
    facts = MachineReader(root: root).facts()
    before = [:]
    for state in facts.idleStates ?? [] { before[state.name] = state.entries }
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    for state in MachineReader(root: root).idleStates() ?? [] { before[state.name] = state.entries }
  }

  func describe(_ summary: inout RecordingSummary) {
    var facts = facts
    let now = MachineReader(root: root).idleStates() ?? []
    facts.idleStates = facts.idleStates?.map { state in
      var state = state
      let entries = now.first { $0.name == state.name }?.entries ?? 0
      let first = before[state.name] ?? 0
      state.entries = entries >= first ? entries - first : 0
      return state
    }
    summary.capture.machine = facts
  }
}

/// Reads what a machine says of itself out of /sys and /proc.
struct MachineReader {
  /// Before /sys and /proc, for tests.
  var root = ""

  func facts() -> MachineFacts {
    var facts = MachineFacts()
    facts.chassis = KernelFile.integer(root + "/sys/class/dmi/id/chassis_type")
    facts.model = text("/proc/device-tree/model")
    facts.isVirtual = isVirtual()
    facts.hasBattery = hasBattery()
    facts.rotates = rotates()
    facts.idleStates = idleStates()
    return facts
  }

  private func text(_ path: String) -> String? {
    guard let text = KernelFile.text(root + path) else { return nil }
    let line = text.prefix { $0 != "\n" && $0 != "\0" }
    return line.isEmpty ? nil : String(line)
  }

  /// The flag that a processor shows to guests (Linux, x86), else a hypervisor's node in the device tree.
  private func isVirtual() -> Bool? {
    if let flags = KernelFile.text(root + "/proc/cpuinfo")?.split(separator: "\n").first(where: {
      $0.hasPrefix("flags")
    }) {
      return flags.split(separator: " ").contains("hypervisor")
    }
    if KernelFile.text(root + "/proc/device-tree/hypervisor/compatible") != nil { return true }
    return nil
  }

  private func hasBattery() -> Bool? {
    let folder = root + "/sys/class/power_supply"
    let supplies = KernelFile.names(in: folder)
    guard !supplies.isEmpty else { return nil }
    return supplies.contains {
      // That of a mouse has the scope of a device.
      text("/sys/class/power_supply/\($0)/type") == "Battery"
        && text("/sys/class/power_supply/\($0)/scope") != "Device"
    }
  }

  /// Whether the disks turn; those of virtual machines say that they do, whatever they are.
  private func rotates() -> Bool? {
    var answer: Bool?
    for name in KernelFile.names(in: root + "/sys/block") {
      guard
        !["loop", "ram", "zram", "dm-", "md", "sr", "vd", "xvd", "nbd"].contains(
          where: name.hasPrefix),
        let rotates = KernelFile.integer(root + "/sys/block/\(name)/queue/rotational")
      else { continue }
      answer = answer == true || rotates == 1
    }
    return answer
  }

  /// The idle states by name, with the entries of all cores.
  func idleStates() -> [MachineFacts.IdleState]? {
    let cpus = root + "/sys/devices/system/cpu"
    var states: [MachineFacts.IdleState] = []
    for cpu in KernelFile.names(in: cpus) where cpu.dropFirst(3).allSatisfy(\.isNumber) {
      guard cpu.hasPrefix("cpu"), cpu.count > 3 else { continue }
      for state in KernelFile.names(in: "\(cpus)/\(cpu)/cpuidle") {
        let folder = "/sys/devices/system/cpu/\(cpu)/cpuidle/\(state)/"
        guard let name = text(folder + "name"),
          let latency = KernelFile.integer(root + folder + "latency"),
          let residency = KernelFile.integer(root + folder + "residency")
        else { continue }
        let entries = UInt64(max(0, KernelFile.integer(root + folder + "usage") ?? 0))
        if let index = states.firstIndex(where: { $0.name == name }) {
          states[index].entries &+= entries
        } else {
          states.append(
            MachineFacts.IdleState(
              name: name, latencyMicroseconds: Double(latency),
              residencyMicroseconds: Double(residency), entries: entries))
        }
      }
    }
    return states.isEmpty ? nil : states
  }
}
