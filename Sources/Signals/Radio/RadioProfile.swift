/// The power of a radio state: steady, or switched on for a part of each cycle.
package struct RadioPower: Sendable, Hashable {
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
package struct RadioPromotion: Sendable, Hashable {
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
package struct RadioState: Sendable, Hashable {
  /// Name in the report.
  package var name: String
  /// How long it lasts without a transfer.
  package var seconds: Double
  /// Power in it.
  package var power: RadioPower
  /// What a new transfer in this state must pay first.
  package var promotion: RadioPromotion?
}

/// The constants of one radio.
package struct RadioProfile: Sendable, Hashable {
  /// Name by which it is chosen.
  package var name: String
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

  /// Makes a profile.
  package init(
    name: String, title: String, source: String, promotion: RadioPromotion?, tail: [RadioState],
    idle: RadioPower, uplinkMilliwattsPerMbps: Double = 0, downlinkMilliwattsPerMbps: Double = 0
  ) {
    self.name = name
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

  /// Seconds from the last byte to idle.
  package var tailSeconds: Double { tail.reduce(0) { $0 + $1.seconds } }

  /// Joules of the whole tail after one transfer.
  package var fullTailJoules: Double {
    tail.reduce(0) { $0 + $1.seconds * $1.power.meanMilliwatts } / 1000
  }
}
