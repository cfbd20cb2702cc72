/// Energy prices of events for which no counter gives the energy, on one machine.
package struct EnergyPriors: Sendable, Equatable {
  /// The sort of machine.
  package var machine: MachineClass
  /// Why it was taken for one.
  package var reason: String
  /// Whether the sort is known; else the bounds hold every sort's.
  package var isMachineKnown: Bool
  /// What files are on.
  package var storage: StorageKind
  /// Watts of one busy core.
  package var cpu: Prior
  /// Joules of one wakeup that makes its CPU leave idle; others find the CPU awake.
  package var wakeup: Prior
  /// Joules of one disk operation.
  package var diskOperation: Prior
  /// Joules of one byte written.
  package var diskByte: Prior
  /// Joules of one write elsewhere than behind the last one to its file.
  package var diskRandomBlock: Prior

  /// Watts of one busy core, as computed with.
  package var wattsPerBusyCore: Double { cpu.value }
  /// Joules of one wakeup, as computed with.
  package var joulesPerWakeup: Double { wakeup.value }
  /// Joules of one disk operation, as computed with.
  package var joulesPerDiskOperation: Double { diskOperation.value }

  /// Lull's own priors of a sort of machine.
  package init(_ machine: MachineClass = .laptop, storage: StorageKind? = nil) {
    self.init(
      EnergyFile.standard, machine: machine, reason: "", isKnown: true, storage: storage,
      idleStates: nil)
  }

  /// Priors out of tables.
  ///
  /// - Parameters:
  ///   - isKnown: false where nothing tells the sort of machine: then the bounds hold all sorts'.
  ///   - idleStates: how long the machine's own cores take to leave idle, in microseconds, where that was recorded.
  package init(
    _ tables: EnergyTables, machine: MachineClass, reason: String, isKnown: Bool,
    storage: StorageKind?, idleStates: Prior?
  ) {
    let own = tables.machines[machine] ?? MachinePriors()
    self.machine = machine
    self.reason = reason
    isMachineKnown = isKnown
    let storage = storage ?? own.storage ?? .ssd
    self.storage = storage
    cpu = own.cpuWatts ?? Prior(0)
    wakeup = Self.wakeup(own, idleStates)
    let disk = tables.storages[storage] ?? StoragePriors()
    diskOperation = disk.operation ?? Prior(0)
    diskByte = disk.byte ?? Prior(0)
    diskRandomBlock = disk.randomBlock ?? Prior(0)
    guard !isKnown else { return }
    for other in MachineClass.allCases {
      let priors = EnergyPriors(
        tables, machine: other, reason: "", isKnown: true, storage: nil, idleStates: idleStates)
      cpu = cpu.widened(by: priors.cpu)
      wakeup = wakeup.widened(by: priors.wakeup)
      diskOperation = diskOperation.widened(by: priors.diskOperation)
      diskByte = diskByte.widened(by: priors.diskByte)
      diskRandomBlock = diskRandomBlock.widened(by: priors.diskRandomBlock)
    }
  }

  /// The power of a core for as long as it takes to leave idle.
  private static func wakeup(_ own: MachinePriors, _ idleStates: Prior?) -> Prior {
    if let joules = own.wakeupJoules { return joules }
    guard let watts = own.cpuWatts, let time = idleStates ?? own.wakeupMicroseconds else {
      return Prior(0)
    }
    return Prior(
      time.value * 1e-6 * watts.value, low: time.low * 1e-6 * watts.low,
      high: time.high * 1e-6 * watts.high, source: "\(time.source); times the power of a busy core")
  }

  /// The same with one of each prior's figures as what is computed with.
  package func at(_ bound: PriorBound) -> EnergyPriors {
    var priors = self
    priors.cpu.value = cpu.figure(bound)
    priors.wakeup.value = wakeup.figure(bound)
    priors.diskOperation.value = diskOperation.figure(bound)
    priors.diskByte.value = diskByte.figure(bound)
    priors.diskRandomBlock.value = diskRandomBlock.figure(bound)
    return priors
  }
}

extension EnergyPriors {
  /// Each prior with its name and unit.
  package var named: [(name: String, unit: String, prior: Prior)] {
    [
      ("a busy core", "W", cpu), ("a wakeup from idle", "J", wakeup),
      ("a disk operation", "J", diskOperation), ("a byte written", "J", diskByte),
      ("a random block", "J", diskRandomBlock),
    ]
  }
}

/// What was asked of a disk.
package struct DiskWork: Sendable, Equatable {
  /// Groups of writes less than a second apart, and syncs.
  package var operations: Int
  /// Bytes written.
  package var bytes: UInt64
  /// Writes elsewhere than behind the last one to their file.
  package var randomBlocks: Int

  /// Makes the value; what is left out was not asked for.
  package init(operations: Int = 0, bytes: UInt64 = 0, randomBlocks: Int = 0) {
    self.operations = operations
    self.bytes = bytes
    self.randomBlocks = randomBlocks
  }
}

extension EnergyPriors {
  /// What a disk's work costs.
  package func energy(of work: DiskWork) -> JouleRange {
    JouleRange(Double(work.operations), at: diskOperation)
      + JouleRange(Double(work.bytes), at: diskByte)
      + JouleRange(Double(work.randomBlocks), at: diskRandomBlock)
  }

  /// Energy of the given amounts: CPU, wakeups that found their CPU idle, what was asked of the disk, and the radio.
  ///
  /// - Parameter uncharged: wakeups of which no recording tells whether an idle CPU took them.
  package func energy(
    cpuSeconds: Double, wakeups: Int, uncharged: Int = 0, disk: DiskWork, radio: JouleRange
  ) -> EnergySignal {
    let cpu = JouleRange(cpuSeconds, at: cpu)
    var woken = JouleRange(Double(wakeups), at: wakeup)
    woken.high += Double(uncharged) * wakeup.high
    return EnergySignal(cpu: cpu, wakeups: woken, radio: radio, disk: energy(of: disk))
  }
}
