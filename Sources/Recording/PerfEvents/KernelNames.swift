import PerfData

/// The names of the kernel's functions that stacks hold, for reports on other machines.
///
/// It finishes last: reading them takes longer than all else that is done then, and the other sources' last readings
/// are of the recording's end.
final class KernelNames: RecordingSource {
  private let drain: RingDrain
  private let pid: Int32
  private var problem: String?

  init(in drain: RingDrain, pid: Int32) {
    self.drain = drain
    self.pid = pid
  }

  var unavailable: [CaptureEvent.Unavailable] {
    problem.map { [.init(.kernelSymbols, $0)] } ?? []
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    guard !drain.kernelAddresses.isEmpty else { return }
    let symbols = KernelSymbols()
    var named: Set<UInt64> = []
    for address in drain.kernelAddresses.sorted() {
      guard let symbol = symbols.name(for: address), named.insert(symbol.start).inserted
      else { continue }
      try round.sink.append(
        KernelSymbolEvent(address: symbol.start, name: symbol.name), pid: pid, time: round.now)
    }
    problem = symbols.unavailableReason
  }
}
