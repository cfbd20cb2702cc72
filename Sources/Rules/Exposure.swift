import Signals

/// How long a recording was open to a rule's events, by which they become a rate.
///
/// A rate is what was seen divided by how long it was looked at, however short that is: the bounds say how little a
/// short look tells. A tool's run from its start to its end is all there is of it, so its figures are exact, unless
/// some of it only was recorded; one that is shorter than the unit of time is counted by the run. So is that of any
/// program which is over in less than a second: in none did it do more.
struct Exposure: Sendable, Equatable {
  /// How long it was looked at.
  var seconds: Double
  /// Whether that was all there is to see.
  var isWhole = false
  /// Whether the program was seen from its start to its end, though it might have gone on.
  private var isEnded = false

  /// A part of a recording.
  init(seconds: Double) { self.seconds = max(seconds, 1e-9) }

  /// A whole recording.
  init(_ signals: SignalSet) {
    seconds = max(signals.durationSeconds, 1e-9)
    isEnded = signals.isWholeRun
    isWhole = signals.isWholeRun && signals.mainThread?.knownEventLoop == false
  }

  /// Events a second.
  func perSecond(_ sum: EventSum) -> Rate { rate(sum, over: 1) }

  /// Events a minute.
  func perMinute(_ sum: EventSum) -> Rate { rate(sum, over: 60) }

  /// Events a day.
  func perDay(_ sum: EventSum) -> Rate {
    let factor = 86400 / seconds
    return Rate(value: sum.total * factor, bounds: bounds(sum, over: 86400))
  }

  /// The part of the time that the events took, in percent.
  func percent(_ sum: EventSum) -> Rate {
    let factor = 100 / seconds
    let bounds = isWhole && !sum.isSampled ? .exactly(sum.total) : sum.bounds
    return Rate(value: sum.total * factor, bounds: bounds.scaled(by: factor), doubt: doubt(sum))
  }

  /// A single event may be the only one, as the program starts: its lower bound is what it would be of a whole period
  /// with no other.
  private func bounds(_ sum: EventSum, over period: Double) -> Bounds {
    let bounds = sum.bounds
    let longest = sum.count > 1 ? seconds : max(seconds, min(period, 60))
    return Bounds(low: bounds.low * period / longest, high: bounds.high * period / seconds)
  }

  private func rate(_ sum: EventSum, over period: Double) -> Rate {
    guard isWhole || (isEnded && seconds < 1 && period <= 1) else {
      let factor = period / seconds
      return Rate(value: sum.total * factor, bounds: bounds(sum, over: period))
    }
    let isPerRun = seconds < period
    let factor = isPerRun ? 1 : period / seconds
    let value = sum.total * factor
    return Rate(
      value: value, bounds: sum.isSampled ? sum.bounds.scaled(by: factor) : .exactly(value),
      isPerRun: isPerRun, doubt: doubt(sum))
  }

  /// A whole run has no more time to tell more.
  private func doubt(_ sum: EventSum) -> String? {
    isWhole && sum.isSampled ? Rate.sampled : nil
  }
}

/// What a figure would be if all were of it of which it is not known what it was of.
package struct UntoldPart: Sendable, Equatable {
  /// The figure then.
  var value: Double
  /// What is not known, as a sentence.
  var reason: String
}

/// A figure by the time, with its bounds.
struct Rate: Sendable, Equatable {
  var value: Double
  var bounds: Bounds
  /// Whether it is by the run of a tool rather than by the time.
  var isPerRun = false
  /// What makes the bounds wide where that is not the time.
  var doubt: String?
  /// What it may be by what is known to have been, and not of what; nil where all is told.
  var untold: UntoldPart?

  /// Of a tool's run of which some only was recorded.
  static let sampled = "of what it did some only was recorded"
}
