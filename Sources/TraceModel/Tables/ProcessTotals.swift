import Quantities

extension Tables {
  /// Adds up what each process did.
  mutating func fillProcessTotals() {
    var index: [Int32: Int] = [:]
    for (position, process) in processes.enumerated() { index[process.pid] = position }
    for thread in threads {
      if let at = index[thread.pid] { processes[at].cpuSeconds += thread.runningTime.seconds }
    }
    for (pid, count) in wakeups.countsByProcess {
      if let at = index[pid] { processes[at].wakeups = count }
    }
    for (pid, totals) in transferTotals {
      guard let at = index[pid] else { continue }
      processes[at].bytesSent = totals.bytesSent
      processes[at].bytesReceived = totals.bytesReceived
    }
    for operation in fileOperations.matching({ $0.isDisk }) {
      guard let at = index[operation.pid], case .write = operation.kind else { continue }
      processes[at].bytesWritten &+= operation.bytes &* operation.weight
    }
    for footprint in footprints {
      guard let at = index[footprint.pid] else { continue }
      processes[at].peakFootprintBytes = max(
        processes[at].peakFootprintBytes, footprint.sample.footprint)
      if processes[at].unrecordedFrom != nil {
        // /proc goes on counting.
        let used = footprint.sample.userTimeNs &+ footprint.sample.systemTimeNs
        processes[at].cpuSeconds = max(processes[at].cpuSeconds, Double(used) / 1e9)
      }
    }
  }
}
