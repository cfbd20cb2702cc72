import Quantities

extension Tables {
  /// Gives threads that have a `sampledTime` the CPU time that their samples stand for.
  ///
  /// A number of a thread that ended may be given again: a sample is of the thread that lived then.
  mutating func fillSampledTimes() {
    guard threads.contains(where: { $0.sampledTime != nil }) else { return }
    var lives: [Int32: [Int]] = [:]
    for index in threads.indices {
      threads[index].sampledTime = .zero
      lives[threads[index].tid, default: []].append(index)
    }
    for sample in processorSamples {
      guard let candidates = lives[sample.tid] else { continue }
      let life =
        candidates.count == 1
        ? candidates[0] : candidates.last { threads[$0].start <= sample.time } ?? candidates[0]
      threads[life].sampledTime =
        (threads[life].sampledTime ?? .zero) + sample.clockTime
    }
  }

  /// What is left out of a process's totals as that of programs that it ran before; nil where that is nothing.
  func leftOut(of process: ProcessModel) -> ProcessModel.Earlier? {
    let seconds = threads.lazy.filter { $0.pid == process.pid }
      .reduce(0) { $0 + $1.runningTime.seconds }
    let bytes = fileOperations.onDisk(by: process.pid).reduce(UInt64(0)) { sum, operation in
      operation.kind == .write ? sum &+ operation.bytes &* operation.weight : sum
    }
    let earlier = ProcessModel.Earlier(
      cpuSeconds: max(0, process.cpuSeconds - seconds),
      bytesWritten: process.bytesWritten - min(bytes, process.bytesWritten))
    return earlier.cpuSeconds > 0 || earlier.bytesWritten > 0 ? earlier : nil
  }

  /// Adds up what each process did.
  mutating func fillProcessTotals() {
    fillSampledTimes()
    var index: [Int32: Int] = [:]
    for (position, process) in processes.enumerated() { index[process.pid] = position }
    for thread in threads {
      if let at = index[thread.pid] { processes[at].cpuSeconds += thread.runningTime.seconds }
    }
    for sample in processorSamples {
      if let at = index[sample.pid] { processes[at].sampledPeriods &+= sample.period }
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
      processes[at].lastReading = max(processes[at].lastReading ?? footprint.time, footprint.time)
      if processes[at].unrecordedFrom != nil {
        // /proc goes on counting.
        let used = footprint.sample.userTimeNs &+ footprint.sample.systemTimeNs
        processes[at].cpuSeconds = max(processes[at].cpuSeconds, Double(used) / 1e9)
      }
    }
  }
}
