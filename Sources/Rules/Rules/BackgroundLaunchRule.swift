import Quantities
import Signals

/// A launch in the background is to do little.
package enum BackgroundLaunchRule: Rule {
  package static let metadata = RuleMetadata(
    id: "background-launch", title: "Do little when launched in the background",
    category: .lifeCycle, guide: [Guide.launch, Guide.launch2015, Guide.launching10],
    signals: [.cpu, .lifecycle], unit: "s",
    measuredAs:
      "CPU time from the start until no thread ran for a second, of a program that was marked as in the "
      + "background before it had been in use for a second, with its traffic, writes and footprint; what is needed "
      + "depends on what it was launched for, so there is no verdict",
    advice:
      "Ask for the state first, and leave out what only a user sees: views, images, caches, refreshes. Do "
      + "what the "
      + "launch is for and return.",
    examples: [
      RuleExample("launched to fetch", .notApplicable, example)
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let launch = signals.backgroundLaunch else {
      return signals.isSeenStarting
        ? .notApplicable(reason: "the program was not marked as launched in the background")
        : .notApplicable(reason: "the launch was before the recording")
    }
    let footprint = launch.footprintBytes.map { ", \(Figures.bytes($0)) in memory" } ?? ""
    return .informative(
      reason: "what a launch in the background needs depends on what it is for",
      finding: RuleFinding(
        fact: launch.cpuSeconds,
        displayValue:
          "\(Figures.seconds(launch.cpuSeconds)) of CPU time and \(Figures.bytes(launch.bytes)) moved "
          + "in \(Figures.seconds(launch.seconds))\(footprint)"))
  }

  private static var example: SignalSet {
    var set = PhaseUses.example { _ in }
    set.backgroundLaunch = BackgroundLaunch(seconds: 1.5, cpuSeconds: 0.3, bytes: 20_000)
    return set
  }
}
