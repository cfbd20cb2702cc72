/// Energy of the recording by consumer, in joules.
package struct EnergySignal: Sendable, Equatable {
  /// Sum of the parts.
  package var totalJoules: Double
  /// Busy cores.
  package var cpuJoules: Double
  /// Wakeups.
  package var wakeupJoules: Double
  /// Modelled radio.
  package var radioJoules: Double
  /// The disk: its operations, bytes and random blocks.
  package var diskJoules: Double
  /// modelled, or measured where a counter gave it.
  package var kind: String
  /// Least of what the models give.
  package var low: Double?
  /// Most of what the models give.
  package var high: Double?
  /// Between what the models put each part; nil where that is not known.
  package var ranges: EnergyRanges?
  /// What a counter of the machine gave for all processes together.
  package var measuredJoules: Double?
  /// Name of that counter.
  package var measuredBy: String?
  /// Of that, the process's share.
  package var measuredShareJoules: Double?
  /// How the share was found.
  package var measuredShareBy: String?
  /// CPU and wakeups by thread, most first.
  package var byThread: [ThreadEnergy]
  /// By function of the program, most first; with what no function is known of, the rows are the whole.
  package var byFunction: [EnergyShare]
  /// By phase, in order; with what came outside of them, the rows are the whole.
  package var byPhase: [EnergyShare]
  /// By host, most first; with what no host had to do with, the rows are the whole.
  package var byHost: [EnergyShare]
  /// By file, most first; with what no file had to do with, the rows are the whole.
  package var byFile: [EnergyShare]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    totalJoules: Double = 0,
    cpuJoules: Double = 0,
    wakeupJoules: Double = 0,
    radioJoules: Double = 0,
    diskJoules: Double = 0,
    kind: String = "modelled",
    low: Double? = nil,
    high: Double? = nil,
    measuredJoules: Double? = nil,
    measuredBy: String? = nil,
    byThread: [ThreadEnergy] = []
  ) {
    self.totalJoules = totalJoules
    self.cpuJoules = cpuJoules
    self.wakeupJoules = wakeupJoules
    self.radioJoules = radioJoules
    self.diskJoules = diskJoules
    self.kind = kind
    self.low = low
    self.high = high
    self.measuredJoules = measuredJoules
    self.measuredBy = measuredBy
    self.byThread = byThread
    byFunction = []
    byPhase = []
    byHost = []
    byFile = []
  }

  /// Makes a modelled energy of its parts.
  package init(cpu: JouleRange, wakeups: JouleRange, radio: JouleRange, disk: JouleRange) {
    let all = cpu + wakeups + radio + disk
    self.init(
      totalJoules: all.value, cpuJoules: cpu.value, wakeupJoules: wakeups.value,
      radioJoules: radio.value, diskJoules: disk.value, low: all.low, high: all.high)
    ranges = EnergyRanges(cpu: cpu, wakeups: wakeups, radio: radio, disk: disk)
  }

  /// The parts without bounds, as rows of a breakdown have them.
  package var parts: EnergyParts {
    EnergyParts(cpu: cpuJoules, wakeups: wakeupJoules, radio: radioJoules, disk: diskJoules)
  }
}

/// Between what the models put the parts of an energy.
package struct EnergyRanges: Sendable, Equatable {
  /// Busy cores.
  package var cpu: JouleRange
  /// Wakeups.
  package var wakeups: JouleRange
  /// The radio.
  package var radio: JouleRange
  /// The disk.
  package var disk: JouleRange
}
