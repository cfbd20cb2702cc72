/// What events cost on one sort of machine.
package struct MachinePriors: Sendable, Equatable {
  /// Watts of a busy core.
  package var cpuWatts: Prior?
  /// How long a core takes to leave its idle state, in microseconds.
  package var wakeupMicroseconds: Prior?
  /// Joules of a wakeup, where they were said outright.
  package var wakeupJoules: Prior?
  /// What files are on.
  package var storage: StorageKind?

  fileprivate func over(_ other: MachinePriors) -> MachinePriors {
    MachinePriors(
      cpuWatts: cpuWatts ?? other.cpuWatts,
      wakeupMicroseconds: wakeupMicroseconds ?? other.wakeupMicroseconds,
      wakeupJoules: wakeupJoules ?? other.wakeupJoules, storage: storage ?? other.storage)
  }
}

/// What writing costs on one sort of storage.
package struct StoragePriors: Sendable, Equatable {
  /// Joules of a group of writes or a sync.
  package var operation: Prior?
  /// Joules of a byte.
  package var byte: Prior?
  /// Joules of a write elsewhere than behind the last one.
  package var randomBlock: Prior?

  fileprivate func over(_ other: StoragePriors) -> StoragePriors {
    StoragePriors(
      operation: operation ?? other.operation, byte: byte ?? other.byte,
      randomBlock: randomBlock ?? other.randomBlock)
  }
}

/// All that a file of priors says.
package struct EnergyTables: Sendable, Equatable {
  /// The sort of machine that was said.
  package var machine: MachineClass?
  /// The storage that was said.
  package var storage: StorageKind?
  /// By sort of machine.
  package var machines: [MachineClass: MachinePriors] = [:]
  /// By sort of storage.
  package var storages: [StorageKind: StoragePriors] = [:]
  /// The user's file; nil where it is Lull's own alone.
  package var path: String?

  /// Says nothing.
  package init() {}

  /// These, and the other's where these say nothing.
  package func over(_ other: EnergyTables) -> EnergyTables {
    var all = other
    all.machine = machine ?? other.machine
    all.storage = storage ?? other.storage
    all.path = path ?? other.path
    for (machine, priors) in machines {
      all.machines[machine] = priors.over(other.machines[machine] ?? MachinePriors())
    }
    for (storage, priors) in storages {
      all.storages[storage] = priors.over(other.storages[storage] ?? StoragePriors())
    }
    return all
  }
}
