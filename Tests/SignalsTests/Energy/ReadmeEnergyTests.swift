import Foundation
import Signals
import Testing
import TraceModel

@Suite struct ReadmeEnergyTests {
  private static let begin = "<!-- prices: made by ReadmeEnergyTests -->"
  private static let end = "<!-- end of prices -->"

  private static func figure(_ value: Double) -> String {
    // Two digits tell apart what the sources can.
    String(format: "%.3g", value)
  }

  private static func table() throws -> String {
    var lines = ["| prior | value (least to most) | source |", "|---|---|---|"]
    func row(_ name: String, _ unit: String, _ prior: Prior) {
      let bounds =
        prior.low < prior.high ? " (\(figure(prior.low)) to \(figure(prior.high)))" : ""
      lines.append("| \(name) | \(figure(prior.value))\(bounds) \(unit) | \(prior.source) |")
    }
    for machine in MachineClass.allCases {
      for (name, unit, prior) in EnergyPriors(machine).named.prefix(2) {
        row("\(machine.rawValue): \(name)", unit, prior)
      }
    }
    for storage in StorageKind.allCases {
      for (name, unit, prior) in EnergyPriors(.laptop, storage: storage).named.dropFirst(2) {
        row("\(storage.rawValue): \(name)", unit, prior)
      }
    }
    for profile in try RadioProfileFile.builtIn() {
      let promotion = profile.promotion.map { $0.seconds * $0.milliwatts / 1000 } ?? 0
      lines.append(
        "| `\(profile.name)`: one packet | \(figure(promotion + profile.fullTailJoules)) J, tail of "
          + "\(figure(profile.tailSeconds)) s | \(profile.source) |")
    }
    return lines.joined(separator: "\n")
  }

  /// What a real program, the toolchain's formatter, costs on three sorts of machines.
  private static func comparison(_ root: URL) throws -> String {
    let path = root.appendingPathComponent("Traces/swift-format.perf.data").path
    let trace = try Trace.load(path: path)
    var lines = [
      "| `Traces/swift-format.perf.data` as a | energy, J (least to most) | CPU | wakeups | disk |",
      "|---|---|---|---|---|",
    ]
    for machine in [MachineClass.phone, .board, .server] {
      let signals = try Measurement.measure(
        trace, options: MeasurementOptions(machine: machine))
      let energy = try #require(signals.energy)
      let bounds = "(\(figure(energy.low ?? 0)) to \(figure(energy.high ?? 0)))"
      let cells =
        ["\(figure(energy.totalJoules)) \(bounds)"]
        + [energy.cpuJoules, energy.wakeupJoules, energy.diskJoules].map(figure)
      lines.append("| \(machine.rawValue) | " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  /// `LULL_WRITE_README=1 swift test --filter ReadmeEnergyTests` writes it anew.
  @Test func `the README lists what events cost`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let path = root.appendingPathComponent("README.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    let head = try #require(text.range(of: Self.begin))
    let tail = try #require(text.range(of: Self.end))
    let wanted =
      String(text[..<head.upperBound]) + "\n\n" + (try Self.comparison(root)) + "\n\n"
      + (try Self.table())
      + "\n\n"
      + text[tail.lowerBound...]
    if ProcessInfo.processInfo.environment["LULL_WRITE_README"] != nil {
      try wanted.write(to: path, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      text == wanted,
      "the README's table of prices is stale: LULL_WRITE_README=1 swift test --filter ReadmeEnergyTests"
    )
  }
}
