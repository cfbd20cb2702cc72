/// The power of a radio state: steady, or switched on for a part of each cycle.
public struct RadioPower: Sendable, Hashable {
  /// Power between the on periods.
  public var milliwatts: Double
  /// Power in the on period of each cycle.
  public var onMilliwatts: Double = 0
  /// Length of the on period; zero for a steady power.
  public var onSeconds: Double = 0
  /// Length of a cycle.
  public var cycleSeconds: Double = 1

  /// Mean over a cycle, which is what the replay uses.
  ///
  /// The phase of the cycles is the network's and unknown; the mean is what the published figures
  /// were computed with.
  public var meanMilliwatts: Double {
    guard cycleSeconds > 0 else { return milliwatts }
    return milliwatts + (onMilliwatts - milliwatts) * min(onSeconds / cycleSeconds, 1)
  }
}

/// What leaving a low-power state takes before data can pass.
public struct RadioPromotion: Sendable, Hashable {
  /// How long it takes.
  public var seconds: Double
  /// Power meanwhile.
  public var milliwatts: Double
}

/// A state in which the radio stays on after the last byte.
public struct RadioState: Sendable, Hashable {
  /// Name in the report.
  public var name: String
  /// How long it lasts without a transfer.
  public var seconds: Double
  /// Power in it.
  public var power: RadioPower
  /// What a new transfer in this state must pay first.
  public var promotion: RadioPromotion?
}

/// The constants of one radio.
public struct RadioProfile: Sendable, Hashable {
  /// Name by which it is chosen.
  public var name: String
  /// Title for people.
  public var title: String
  /// Where the constants come from.
  public var source: String
  /// What leaving idle costs.
  public var promotion: RadioPromotion?
  /// States after the last byte, in order; the first is also the state during a transfer.
  public var tail: [RadioState]
  /// What the idle radio draws for paging.
  public var idle: RadioPower
  /// Milliwatts added for each Mbit/s sent.
  public var uplinkMilliwattsPerMbps: Double
  /// Milliwatts added for each Mbit/s received.
  public var downlinkMilliwattsPerMbps: Double

  /// Makes a profile.
  public init(
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
  public static let defaultName = "lte-2012"

  /// Seconds from the last byte to idle.
  public var tailSeconds: Double { tail.reduce(0) { $0 + $1.seconds } }

  /// Joules of the whole tail after one transfer.
  public var fullTailJoules: Double {
    tail.reduce(0) { $0 + $1.seconds * $1.power.meanMilliwatts } / 1000
  }
}
