import PerfData

/// The names of the kernel's functions that stacks hold, for reports on other machines.
///
/// It finishes last: reading them takes longer than all else that is done then, and the other sources' last readings
/// are of the recording's end.
final class KernelNames: RecordingSource {
  private let drain: RingDrain
  private let pid: Int32
  private var problem: String?
  /// Addresses whose names were looked for, and the names by the functions' first addresses.
  private var asked: Set<UInt64> = []
  private var names: [UInt64: String] = [:]

  init(in drain: RingDrain, pid: Int32) {
    self.drain = drain
    self.pid = pid
  }

  var unavailable: [CaptureEvent.Unavailable] {
    problem.map { [.init(.kernelSymbols, $0)] } ?? []
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    try writeOut(round)
  }

  func writeOut(_ round: Round) throws(PerfDataError) {
    learn()
    for (address, name) in names.sorted(by: { $0.key < $1.key }) {
      try round.sink.append(
        KernelSymbolEvent(address: address, name: name), pid: pid, time: round.now)
    }
  }

  /// The kernel's list is read again only where a function was seen that was not asked for.
  private func learn() {
    let fresh = drain.kernelAddresses.subtracting(asked)
    guard !fresh.isEmpty else { return }
    asked.formUnion(fresh)
    let symbols = KernelSymbols()
    for address in fresh {
      if let symbol = symbols.name(for: address) { names[symbol.start] = symbol.name }
    }
    problem = symbols.unavailableReason
  }
}
