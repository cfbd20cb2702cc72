/// The energy the models give, or that was measured.
package struct EnergySection: Codable, Sendable, Equatable {
  package var totalJoules: Double
  package var cpuJoules: Double
  package var wakeupJoules: Double
  package var radioJoules: Double
  package var diskJoules: Double
  /// "modelled" or "measured".
  package var kind: String
  /// The least and the most that the models make of the total.
  @Nullable package var low: Double?
  @Nullable package var high: Double?
  /// The same of each part; reports of before lack it.
  package var ranges: EnergyRangesSection?
  /// By what it was modelled; reports of before lack it.
  package var model: EnergyModelSection?
  /// What the machine's own meter gave, for all its processes together, and the process's share of that.
  @Nullable package var measuredJoules: Double?
  @Nullable package var measuredBy: String?
  @Nullable package var measuredShareJoules: Double? = nil
  @Nullable package var measuredShareBy: String? = nil
  @Elements package var byThread: [ThreadEnergySection] = []
  @Elements package var byFunction: [FunctionEnergySection] = []
  /// The rows of each add up to the whole; one without a name is of what the others are not.
  @Elements package var byPhase: [EnergyShareSection] = []
  @Elements package var byHost: [EnergyShareSection] = []
  @Elements package var byFile: [EnergyShareSection] = []
}

/// Between what the models put an energy.
package struct JouleRangeSection: Codable, Sendable, Equatable {
  package var low: Double
  package var high: Double
}

/// Between what the models put each part of the energy.
package struct EnergyRangesSection: Codable, Sendable, Equatable {
  package var cpu: JouleRangeSection
  package var wakeups: JouleRangeSection
  package var radio: JouleRangeSection
  package var disk: JouleRangeSection
}

/// By what the energy was modelled.
package struct EnergyModelSection: Codable, Sendable, Equatable {
  /// phone, board, laptop or server.
  package var machine: String
  /// Why it was taken for one.
  package var machineReason: String
  /// emmc, ssd or magnetic.
  package var storage: String
  /// The radio's profile; nil without traffic.
  @Nullable package var radio: String?
  /// What events cost.
  package var priors: [PriorSection]
}

/// What an event costs.
package struct PriorSection: Codable, Sendable, Equatable {
  package var name: String
  package var unit: String
  package var value: Double
  package var low: Double
  package var high: Double
  package var source: String
}

/// Modelled energy of one thread.
package struct ThreadEnergySection: Codable, Sendable, Equatable {
  package var tid: Int
  package var name: String
  package var cpuJoules: Double
  package var wakeupJoules: Double
}

/// Modelled energy of one function of the program.
package struct FunctionEnergySection: Codable, Sendable, Equatable {
  /// Nil for what no function is known of.
  @Nullable package var function: String?
  package var cpuJoules: Double
  package var radioJoules: Double
  /// Reports of before lack these.
  package var wakeupJoules: Double?
  package var diskJoules: Double?
}

/// Modelled energy of one phase, host or file.
package struct EnergyShareSection: Codable, Sendable, Equatable {
  @Nullable package var name: String?
  package var joules: Double
  package var cpuJoules: Double
  package var wakeupJoules: Double
  package var radioJoules: Double
  package var diskJoules: Double
}
