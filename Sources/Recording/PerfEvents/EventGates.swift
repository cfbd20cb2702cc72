import CPerfEvent
import Glibc

/// The leaders of the groups that sliced events form, of each thread and CPU: while one is off, they are, and a switch
/// of the thread passes them by.
struct EventGates {
  private var ofThreads: [Int32] = []
  /// The same of each CPU for the events that may take over from those of the threads.
  private(set) var ofCPUs: [Int32: Int32] = [:]
  private var areThreadsClosed = false
  /// Whether all sliced events can be switched together.
  private(set) var canSlice = true

  mutating func openCPUs(_ cpus: [Int32], _ requests: inout EventRequest) {
    let gate = EventSpec.gate(.machine(by: .maker))
    for cpu in cpus {
      let descriptor = requests.open(gate, pid: -1, cpu: cpu, group: -1).result
      if descriptor >= 0 { ofCPUs[cpu] = descriptor }
    }
  }

  /// Opens those of a thread; gives them by CPU.
  mutating func openThread(
    _ tid: Int32, _ cpus: [Int32], _ requests: inout EventRequest
  ) -> [Int32: Int32] {
    let gate = EventSpec.gate(.target)
    var opened: [Int32: Int32] = [:]
    for cpu in cpus {
      let descriptor = requests.open(gate, pid: tid, cpu: cpu, group: -1).result
      guard descriptor >= 0 else {
        // The events themselves will say why; those that can be had for all that stay on.
        canSlice = canSlice && descriptor == -ESRCH
        continue
      }
      opened[cpu] = descriptor
      ofThreads.append(descriptor)
    }
    return opened
  }

  /// Switches all sliced events of the target's threads, each to what it is set to by itself.
  func set(enabled: Bool) {
    for gate in areThreadsClosed ? Array(ofCPUs.values) : ofThreads {
      _ = enabled ? lull_perf_enable(gate) : lull_perf_disable(gate)
    }
  }

  /// Leaves the slices to the CPUs' groups; gives those of the threads, to be closed.
  mutating func giveUpThreads() -> [Int32] {
    defer { ofThreads = [] }
    areThreadsClosed = true
    return ofThreads
  }

  /// Gives all, to be closed.
  mutating func giveUp() -> [Int32] {
    defer {
      ofThreads = []
      ofCPUs = [:]
    }
    return ofThreads + ofCPUs.values
  }
}
