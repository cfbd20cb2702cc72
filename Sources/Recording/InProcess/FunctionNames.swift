import PerfData

/// Which names of the kernel's functions, for which stacks hold addresses that stand for them (`PreloadWriter`), a
/// trace was told.
struct FunctionNames {
  private var told = 0

  /// Tells those that came since.
  mutating func tellNew(
    of functions: [String: UInt64], pid: Int32, _ round: Round
  ) throws(PerfDataError) {
    guard functions.count > told else { return }
    let new = Self.events(functions).dropFirst(told)
    told = functions.count
    for event in new { try round.sink.append(event, pid: pid, time: round.now) }
  }

  /// Tells all, where what was told before may not be read.
  mutating func tellAll(
    of functions: [String: UInt64], pid: Int32, _ round: Round
  ) throws(PerfDataError) {
    told = 0
    try tellNew(of: functions, pid: pid, round)
  }

  /// In the order of their addresses, which is that in which they came.
  private static func events(_ functions: [String: UInt64]) -> [KernelSymbolEvent] {
    functions.sorted { $0.value < $1.value }.map { KernelSymbolEvent(address: $1, name: $0) }
  }
}
