import Quantities
import Rules

/// What savings are told of, in every output: what is priced by the day, what by the run, and what of a battery.
struct SavingsBasis {
  enum Span {
    case run, recording, day
  }

  /// A day of less than this would be a guess of a hundred thousand times what was seen.
  private static let leastForADay = 1.0

  let span: Span
  /// Whoever runs a server asks for time first: its energy is there for who opens it.
  let isFolded: Bool
  /// Of how many watt-hours a share is worth telling; nil where nothing that runs the program has a battery.
  let batteryWattHours: Double?

  init(_ report: Report) {
    if report.isRunAsOne {
      span = .run
    } else {
      span = report.livedSeconds < Self.leastForADay ? .recording : .day
    }
    isFolded = report.score.profile == "server" && span != .run
    let machine = report.signals.energy?.model?.machine
    let isMains = machine == "server" || machine == "board" || report.score.profile == "server"
    // Who states a battery asks for shares of it.
    let isStated = report.score.batteryWattHours != Battery.standard.wattHours
    batteryWattHours = span == .day && (!isMains || isStated) ? report.score.batteryWattHours : nil
  }

  /// As it follows an energy.
  var words: String {
    switch span {
    case .run: "a run"
    case .recording: "in this recording"
    case .day: "a day"
    }
  }

  /// The energy that following a rule saves; nil where there is none.
  func joules(_ opportunity: OpportunitySection) -> Double? {
    let joules = span == .day ? opportunity.joulesPerDay : opportunity.joules
    return joules.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Between what the models put it; nil where they were not asked.
  func bounds(_ opportunity: OpportunitySection) -> (low: Double, high: Double)? {
    guard let joules = joules(opportunity), let day = opportunity.joulesPerDay, day > 0,
      let low = opportunity.lowJoulesPerDay, let high = opportunity.highJoulesPerDay
    else { return nil }
    return (low * joules / day, high * joules / day)
  }

  /// A share of a battery, in words.
  static func share(_ share: Double, ofWattHours wattHours: Double) -> String {
    "\(Figures.fixed(share * 100, 1)) % of a battery of \(Figures.fixed(wattHours, 2)) Wh"
  }

  /// The opportunities, the largest of what is told first: what is most in a day is not always most in a run.
  func ordered(_ opportunities: [OpportunitySection]) -> [OpportunitySection] {
    opportunities.enumerated().sorted { left, right in
      let (first, second) = (amounts(left.element), amounts(right.element))
      return first == second ? left.offset < right.offset : first > second
    }.map(\.element)
  }

  private func amounts(_ opportunity: OpportunitySection) -> (Double, Double) {
    let amounts = (joules(opportunity) ?? 0, opportunity.seconds ?? 0)
    return isFolded ? (amounts.1, amounts.0) : amounts
  }
}

extension Report {
  /// Whether a run of it is one thing, with a cost of its own: nobody runs a compiler or a test bundle all day.
  var isRunAsOne: Bool { score.profile == "tool" || isTestHost }

  /// Whether it runs tests, by what it is called or by what it told.
  private var isTestHost: Bool {
    if intervals.contains(where: { $0.isTest && $0.pid == nil }) { return true }
    let paths = [process.executable, process.commandLine.first, process.name].compactMap { $0 }
    return paths.map(PageText.fileName).contains {
      $0.hasSuffix(".xctest") || $0 == "swiftpm-testing-helper"
    }
  }
}
