import Quantities

/// Bytes that passed the radio at one time.
package struct RadioTransfer: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var time: Double
  /// Bytes sent.
  package var bytesUp: UInt64
  /// Bytes received.
  package var bytesDown: UInt64

  /// Makes a transfer.
  package init(time: Double, bytesUp: UInt64 = 0, bytesDown: UInt64 = 0) {
    self.time = time
    self.bytesUp = bytesUp
    self.bytesDown = bytesDown
  }
}

/// An interval of the replay in which the radio stayed in one state.
package struct RadioSegment: Sendable, Equatable {
  /// Start, in seconds from the start of the trace.
  package var start: Double
  /// End, in seconds from the start of the trace.
  package var end: Double
  /// `idle`, `promotion`, `transfer`, or the name of a tail state.
  package var state: String
  /// Power of the state, without what the throughput adds.
  package var milliwatts: Double
}

/// What a burst cost.
package struct BurstEnergy: Sendable, Equatable {
  /// Time of its first transfer.
  package var start: Double
  /// Time of its last transfer.
  package var end: Double
  /// Energy from its start until idle or the next burst.
  package var energyJoules: Double = 0
  /// The part of it spent in tail states.
  package var tailEnergyJoules: Double = 0
}

/// What the modelled radio did with a schedule of transfers.
package struct RadioReplay: Sendable, Equatable {
  /// The totals.
  package var use: RadioUse
  /// One cost for each burst, in order of time.
  package var bursts: [BurstEnergy]
  /// The states, in order of time and without gaps.
  package var segments: [RadioSegment]
}

/// Replays transfers through a radio profile.
///
/// From idle a transfer first pays the promotion, during which others queue. Then the radio is in
/// the profile's first state; what the throughput adds is spread over the 100 ms after each transfer
/// (less if the first state is shorter), or over the second from the first transfer on where the profile has
/// the power by what passes in a second. In a state whose promotion is only for more than its channel's
/// buffer takes, a smaller transfer stays in that state and begins it anew. Time in the first state
/// counts as transfer when the next transfer of the same burst comes before it ends, else as tail. A
/// burst owns the radio until the next begins, so a tail is charged to the burst that caused it: to its
/// end, whether or not that was recorded. States and their times are those of the recording alone. Idle
/// paging is nobody's and is counted apart.
package enum RadioModel {
  /// Transfers closer than this are one burst (AT&T ARO).
  package static let burstGapSeconds = 1.5
  /// Over how long a transfer's bytes are spread.
  package static let throughputWindowSeconds = 0.1
  /// Over how long bytes are added up where the power depends on the rate: the published figures are by the second.
  package static let rateWindowSeconds = 1.0

  /// Replays the transfers between two times; others are left out. What they cost after `end` is theirs too.
  ///
  /// - Parameter isDetailed: whether the states and their times are wanted, and not the energies alone.
  package static func replay(
    transfers: [RadioTransfer], from start: Double, to end: Double, profile: RadioProfile,
    burstGap: Double = burstGapSeconds, isDetailed: Bool = true
  ) -> RadioReplay {
    let inside = transfers.filter { $0.time >= start && $0.time <= end }
      .sorted { $0.time < $1.time }
    var replay = Replay(
      start: start, end: max(start, end), profile: profile,
      bursts: bursts(of: inside.map(\.time), gap: burstGap), isDetailed: isDetailed)
    for transfer in inside { replay.add(transfer) }
    return replay.finish()
  }

  /// Groups ascending times into bursts.
  static func bursts(of times: [Double], gap: Double) -> [BurstEnergy] {
    var bursts: [BurstEnergy] = []
    for time in times {
      if let last = bursts.indices.last, time - bursts[last].end < gap {
        bursts[last].end = time
      } else {
        bursts.append(BurstEnergy(start: time, end: time))
      }
    }
    return bursts
  }
}

/// The state machine of one replay.
private struct Replay {
  let start: Double
  let end: Double
  let profile: RadioProfile
  /// Whether states are noted.
  let isDetailed: Bool
  var bursts: [BurstEnergy]

  private var segments: [RadioSegment] = []
  private var stateSeconds: [String: Double] = [:]
  private var energy = 0.0
  private var tailEnergy = 0.0
  private var idleEnergy = 0.0
  private var promotions = 0
  /// Of the energy, and of the time out of idle, what comes after the end of the recording.
  private var afterEnd = (seconds: 0.0, joules: 0.0)
  /// Which of the profile's states the last transfer passed in.
  private var level = 0
  /// What passed in the second that began then.
  private var second = (start: -Double.infinity, up: UInt64(0), down: UInt64(0))
  private var uplinkBuffer = RadioBuffer.Level()
  private var downlinkBuffer = RadioBuffer.Level()
  /// Up to where the state is known.
  private var now: Double
  /// When the last transfer could pass; nil before the first.
  private var lastTransfer: Double?
  /// Time of the last transfer as it was asked for, which decides about bursts.
  private var lastAsked = -Double.infinity
  /// Burst of the last transfer asked for.
  private var askedBurst = 0

  init(
    start: Double, end: Double, profile: RadioProfile, bursts: [BurstEnergy], isDetailed: Bool
  ) {
    self.isDetailed = isDetailed
    self.start = start
    self.end = end
    self.profile = profile
    self.bursts = bursts
    now = start
  }

  mutating func add(_ transfer: RadioTransfer) {
    while askedBurst + 1 < bursts.count, bursts[askedBurst + 1].start <= transfer.time {
      askedBurst += 1
    }
    let sameBurst = bursts[askedBurst].start <= lastAsked
    var effective = max(transfer.time, lastTransfer ?? -.infinity)
    if effective > now || lastTransfer == nil || level > 0 {
      let way = way(of: transfer, from: drain(to: effective, nextIsSameBurst: sameBurst))
      if let promotion = way.promotion {
        emit(to: effective + promotion.seconds, "promotion", promotion.milliwatts, isTail: false)
        promotions += 1
        effective += promotion.seconds
      }
      level = way.state
    }
    lastTransfer = effective
    lastAsked = transfer.time
    spread(transfer, at: effective)
  }

  /// In which state a transfer passes, and what it must pay first, from the state that the radio is in, nil of which is
  /// idle.
  private mutating func way(
    of transfer: RadioTransfer, from state: Int?
  ) -> (state: Int, promotion: RadioPromotion?) {
    guard let state else { return (0, profile.promotion) }
    guard let promotion = profile.tail[state].promotion else { return (0, nil) }
    guard let uplink = promotion.uplinkBuffer, let downlink = promotion.downlinkBuffer else {
      return (0, promotion)
    }
    let isUpTooMuch = uplink.overflows(&uplinkBuffer, with: transfer.bytesUp, at: transfer.time)
    let isDownTooMuch = downlink.overflows(
      &downlinkBuffer, with: transfer.bytesDown, at: transfer.time)
    return isUpTooMuch || isDownTooMuch ? (0, promotion) : (state, nil)
  }

  /// Lets time pass without a transfer; returns the state that the radio is in then, nil of which is idle.
  private mutating func drain(to target: Double, nextIsSameBurst: Bool) -> Int? {
    guard let last = lastTransfer else {
      emit(to: target, "idle", profile.idle.meanMilliwatts, isTail: false)
      return nil
    }
    var boundary = last
    for (index, state) in profile.tail.enumerated().dropFirst(level) {
      boundary += state.seconds
      let goesOn = target <= boundary
      let isTransfer = index == 0 && goesOn && nextIsSameBurst
      emit(
        to: min(target, boundary), isTransfer ? "transfer" : state.name,
        state.power.meanMilliwatts, isTail: !isTransfer)
      if goesOn { return index }
    }
    emit(to: target, "idle", profile.idle.meanMilliwatts, isTail: false)
    return nil
  }

  private mutating func emit(
    to target: Double, _ state: String, _ milliwatts: Double, isTail: Bool
  ) {
    guard target > now else { return }
    if state != "idle" {
      charge(from: now, to: target, watts: milliwatts / 1000, isTail: isTail)
      afterEnd.seconds += max(0, target - max(now, end))
    }
    if isDetailed { note(state, milliwatts, to: min(target, end)) }
    now = target
  }

  /// Notes a state as far as it was recorded.
  private mutating func note(_ state: String, _ milliwatts: Double, to until: Double) {
    guard until > now else { return }
    if let last = segments.indices.last, segments[last].state == state, state == "transfer" {
      segments[last].end = until
    } else {
      segments.append(RadioSegment(start: now, end: until, state: state, milliwatts: milliwatts))
    }
    stateSeconds[state, default: 0] += until - now
    if state == "idle" { idleEnergy += (until - now) * milliwatts / 1000 }
  }

  /// Adds what the bytes cost on top of the state's power.
  private mutating func spread(_ transfer: RadioTransfer, at time: Double) {
    if profile.hasRates, transfer.bytesUp > 0 || transfer.bytesDown > 0 {
      if time >= second.start + RadioModel.rateWindowSeconds {
        chargeSecond()
        second = (time, 0, 0)
      }
      second.up &+= transfer.bytesUp
      second.down &+= transfer.bytesDown
    }
    let megabits = (up: Double(transfer.bytesUp) * 8e-6, down: Double(transfer.bytesDown) * 8e-6)
    let joules =
      (megabits.up * profile.uplinkMilliwattsPerMbps
        + megabits.down * profile.downlinkMilliwattsPerMbps) / 1000
    guard joules > 0, let first = profile.tail.first else { return }
    let window = min(RadioModel.throughputWindowSeconds, first.seconds)
    charge(from: time, to: time + window, watts: joules / window, isTail: false)
  }

  /// Charges what the rate of the last second with bytes added.
  private mutating func chargeSecond() {
    let watts = profile.wattsAdded(bytesUp: second.up, bytesDown: second.down)
    guard watts > 0 else { return }
    charge(
      from: second.start, to: second.start + RadioModel.rateWindowSeconds, watts: watts,
      isTail: false)
  }

  /// Charges an interval of constant power to the bursts that own it.
  private mutating func charge(from: Double, to: Double, watts: Double, isTail: Bool) {
    guard to > from else { return }
    afterEnd.joules += max(0, to - max(from, end)) * watts
    var at = from
    var index = owner(of: from)
    while at < to {
      let next = index + 1 < bursts.count ? bursts[index + 1].start : .infinity
      let until = min(to, next)
      let joules = (until - at) * watts
      bursts[index].energyJoules += joules
      energy += joules
      if isTail {
        bursts[index].tailEnergyJoules += joules
        tailEnergy += joules
      }
      at = until
      index += 1
    }
  }

  /// Last burst that had begun at this time.
  private func owner(of time: Double) -> Int {
    max(0, bursts.partitioningIndex { $0.start > time } - 1)
  }

  mutating func finish() -> RadioReplay {
    chargeSecond()
    let tail = profile.tail.dropFirst(level).reduce(0) { $0 + $1.seconds }
    _ = drain(to: max(end, lastTransfer.map { $0 + tail } ?? end), nextIsSameBurst: false)
    let duration = end - start
    let idle = stateSeconds["idle"] ?? 0
    let use = RadioUse(
      profile: profile.name, stateSeconds: stateSeconds, energyJoules: energy,
      tailEnergyJoules: tailEnergy,
      dutyCycle: duration > 0 ? max(0, min(1, (duration - idle) / duration)) : 0,
      idleJoules: idleEnergy, promotions: promotions, fullTailJoules: profile.fullTailJoules,
      secondsAfterEnd: afterEnd.seconds, joulesAfterEnd: afterEnd.joules)
    return RadioReplay(use: use, bursts: bursts, segments: segments)
  }
}
