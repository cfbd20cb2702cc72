/// The power of a radio state: steady, or switched on for a part of each cycle.
package struct RadioPower: Sendable, Equatable {
  /// Power between the on periods.
  package var milliwatts: Double
  /// Power in the on period of each cycle.
  package var onMilliwatts: Double = 0
  /// Length of the on period; zero for a steady power.
  package var onSeconds: Double = 0
  /// Length of a cycle.
  package var cycleSeconds: Double = 1

  /// Mean over a cycle, which is what the replay uses.
  ///
  /// The phase of the cycles is the network's and unknown; the mean is what the published figures
  /// were computed with.
  package var meanMilliwatts: Double {
    guard cycleSeconds > 0 else { return milliwatts }
    return milliwatts + (onMilliwatts - milliwatts) * min(onSeconds / cycleSeconds, 1)
  }
}

/// What leaving a low-power state takes before data can pass.
package struct RadioPromotion: Sendable, Equatable {
  /// How long it takes.
  package var seconds: Double
  /// Power meanwhile.
  package var milliwatts: Double
  /// What the state itself can send without it; with `downlinkBuffer`, or nil where every transfer pays.
  package var uplinkBuffer: RadioBuffer?
  /// What the state itself can receive without it.
  package var downlinkBuffer: RadioBuffer?
}

/// A state in which the radio stays on after the last byte.
package struct RadioState: Sendable, Equatable {
  /// Name in the report.
  package var name: String
  /// How long it lasts without a transfer.
  package var seconds: Double
  /// Power in it.
  package var power: RadioPower
  /// What a new transfer in this state must pay first.
  package var promotion: RadioPromotion?
}

/// What the radio draws while so much passes in a second.
package struct RadioRate: Sendable, Equatable {
  /// From this rate on, in Mbit/s, to the next one's.
  package var megabitsPerSecond: Double
  /// Power of the whole radio meanwhile.
  package var milliwatts: Double
}

/// The constants of one radio.
package struct RadioProfile: Sendable, Equatable {
  /// Name by which it is chosen.
  package var name: String
  /// What sort of radio it is, like `lte`: profiles of one sort are models of the same thing, and may disagree.
  package var technology: String
  /// Title for people.
  package var title: String
  /// Where the constants come from.
  package var source: String
  /// What leaving idle costs.
  package var promotion: RadioPromotion?
  /// States after the last byte, in order; the first is also the state during a transfer.
  package var tail: [RadioState]
  /// What the idle radio draws for paging.
  package var idle: RadioPower
  /// Milliwatts added for each Mbit/s sent.
  package var uplinkMilliwattsPerMbps: Double
  /// Milliwatts added for each Mbit/s received.
  package var downlinkMilliwattsPerMbps: Double
  /// Power by what is sent in a second, where it was measured so and does not rise in proportion; ascending.
  package var uplinkRates: [RadioRate]
  /// Power by what is received in a second.
  package var downlinkRates: [RadioRate]

  /// Makes a profile.
  package init(
    name: String, technology: String = "", title: String, source: String,
    promotion: RadioPromotion?,
    tail: [RadioState], idle: RadioPower, uplinkMilliwattsPerMbps: Double = 0,
    downlinkMilliwattsPerMbps: Double = 0, uplinkRates: [RadioRate] = [],
    downlinkRates: [RadioRate] = []
  ) {
    self.name = name
    self.technology = technology
    self.uplinkRates = uplinkRates
    self.downlinkRates = downlinkRates
    self.title = title
    self.source = source
    self.promotion = promotion
    self.tail = tail
    self.idle = idle
    self.uplinkMilliwattsPerMbps = uplinkMilliwattsPerMbps
    self.downlinkMilliwattsPerMbps = downlinkMilliwattsPerMbps
  }

  /// Name of the profile that is used unless another is asked for.
  package static let defaultName = "lte-2012"

  /// Whether phones have radios of this sort, and not devices alone that send a few bytes an hour.
  static func isPhones(_ technology: String) -> Bool {
    technology != "lte-m" && technology != "nb-iot"
  }

  /// Seconds from the last byte to idle.
  package var tailSeconds: Double { tail.reduce(0) { $0 + $1.seconds } }

  /// Whether the power depends on what passes in a second, and not on the bytes alone.
  package var hasRates: Bool { !uplinkRates.isEmpty || !downlinkRates.isEmpty }

  /// What passing so much in a second adds to the first state's power, in watts.
  package func wattsAdded(bytesUp: UInt64, bytesDown: UInt64) -> Double {
    func added(_ bytes: UInt64, _ rates: [RadioRate]) -> Double {
      let rate = Double(bytes) * 8 / 1e6
      guard bytes > 0, let step = rates.last(where: { $0.megabitsPerSecond <= rate }) else {
        return 0
      }
      return max(0, step.milliwatts - (tail.first?.power.meanMilliwatts ?? 0)) / 1000
    }
    return added(bytesUp, uplinkRates) + added(bytesDown, downlinkRates)
  }

  /// Joules of the whole tail after one transfer.
  package var fullTailJoules: Double {
    tail.reduce(0) { $0 + $1.seconds * $1.power.meanMilliwatts } / 1000
  }
}
