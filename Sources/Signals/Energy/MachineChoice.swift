import PerfData
import TraceModel

/// Chooses the sort of machine whose prices count: what was said, else what the recording tells.
struct MachineChoice {
  /// What the user said, and by what.
  var said: MachineClass?
  /// What the machine said of itself.
  var facts: MachineFacts?
  /// What it calls its processor.
  var processor: String?

  /// The sort, and why; nil where nothing tells.
  func choose() -> (machine: MachineClass, reason: String)? {
    if let said { return (said, "it was said") }
    if let chosen = byFacts() { return chosen }
    guard let processor else { return nil }
    let servers = ["EPYC", "Xeon", "Graviton", "Neoverse", "Ampere"]
    if let name = servers.first(where: processor.contains) {
      return (.server, "its processor is called \(name)")
    }
    return nil
  }

  private func byFacts() -> (machine: MachineClass, reason: String)? {
    guard let facts else { return nil }
    if facts.isVirtual == true { return (.server, "it is a virtual machine") }
    // SMBIOS 3.3.0, 7.4.1.
    switch facts.chassis {
    case 8, 9, 10, 14, 31, 32: return (.laptop, "its case is a laptop's")
    case 11, 30: return (.phone, "its case is held in the hand")
    case 17, 23, 25, 28, 29: return (.server, "its case is a server's")
    case 33, 34, 35, 36: return (.board, "its case is that of a small computer")
    default: break
    }
    if let model = facts.model {
      return facts.hasBattery == true
        ? (.phone, "its device tree calls it \(model), and it has a battery")
        : (.board, "its device tree calls it \(model)")
    }
    return facts.hasBattery == true ? (.laptop, "it has a battery") : nil
  }

  /// How long cores take to leave idle by the machine's own states, in microseconds; nil where these are not known.
  ///
  /// The mean over the states that cores left while it was recorded: of the exit latencies, and as the most it can
  /// cost of the residencies below which entering does not pay. The least is the shallowest state's that was used.
  func idleStates() -> Prior? {
    // A guest's cores wait in its host's states, of which it knows nothing.
    guard let facts, facts.isVirtual != true, let all = facts.idleStates else { return nil }
    let used = all.filter { $0.entries > 0 }
    let entries = used.reduce(0) { $0 + Double($1.entries) }
    guard entries > 0 else { return nil }
    func mean(_ figure: (MachineFacts.IdleState) -> Double) -> Double {
      used.reduce(0) { $0 + figure($1) * Double($1.entries) } / entries
    }
    let latency = mean(\.latencyMicroseconds)
    return Prior(
      latency, low: used.map(\.latencyMicroseconds).min() ?? latency,
      high: max(mean(\.residencyMicroseconds), latency),
      source: "the machine's own idle states ("
        + used.map(\.name).sorted().joined(separator: ", ") + ")")
  }
}

extension EnergyPriors {
  /// The prices on the machine that a trace was recorded on.
  package init(_ tables: EnergyTables, machine said: MachineClass?, of trace: Trace) {
    let facts = trace.capture?.machine
    let choice = MachineChoice(
      said: said ?? tables.machine, facts: facts, processor: trace.metadata.cpuModel)
    let found = choice.choose()
    let machine = found?.machine ?? .laptop
    // Another machine's idle states say nothing of one that was said.
    let isOwn = choice.said == nil || choice.said == choice.seen
    let disk = facts?.rotates.flatMap { $0 ? StorageKind.magnetic : nil }
    self.init(
      tables, machine: machine,
      reason: found?.reason ?? "nothing tells what sort of machine it is", isKnown: found != nil,
      storage: tables.storage ?? (isOwn ? disk : nil),
      idleStates: isOwn ? choice.idleStates() : nil)
  }
}

extension MachineChoice {
  /// What it would be taken for if nothing were said.
  fileprivate var seen: MachineClass? {
    var choice = self
    choice.said = nil
    return choice.choose()?.machine
  }
}
