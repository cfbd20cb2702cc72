import Reporting

/// Where a figure comes from: what must be the same for two figures to be comparable.
package struct Fingerprint: Sendable, Equatable, Codable {
  package var kernel: String?
  package var cpuModel: String?
  package var cpuCount: Int?
  package var privilege: String?
  package var swiftVersion: String?
  package var lullVersion: String?
  package var scoring: String?
  /// By whose prices the energy was modelled.
  package var energyModel: String?

  /// The fingerprint of a recording.
  package init(_ report: Report) {
    kernel = report.trace.kernel
    cpuModel = report.trace.cpuModel
    cpuCount = report.trace.cpuCount
    privilege = report.capture.privilege
    swiftVersion = report.process.swiftVersion
    lullVersion = report.generator.version
    scoring = report.score.configuration
    energyModel = report.signals.energy?.model?.machine
  }

  /// The fingerprint in the figures of a report, of which parts may be missing.
  init(_ figures: ReportFigures) {
    func text(_ keys: String...) -> String? { figures.texts[FigurePath(keys: keys)] }
    kernel = text("trace", "kernel")
    cpuModel = text("trace", "cpuModel")
    cpuCount = figures.numbers[FigurePath(keys: ["trace", "cpuCount"])].flatMap { Int(exactly: $0) }
    privilege = text("capture", "privilege")
    swiftVersion = text("process", "swiftVersion")
    lullVersion = text("generator", "version")
    scoring = text("score", "configuration")
    energyModel = text("signals", "energy", "model", "machine")
  }

  /// What differs, in words, of all that matters to the figure.
  package func differences(from other: Fingerprint, for path: FigurePath) -> [String] {
    var found: [String] = []
    func compare(_ name: String, _ own: String?, _ others: String?) {
      guard own != others else { return }
      found.append("\(name) \(others ?? "unknown") became \(own ?? "unknown")")
    }
    // What is counted, and how, is the same from one patch of Lull to the next.
    compare("Lull", Self.minor(lullVersion), Self.minor(other.lullVersion))
    compare("the privilege", privilege, other.privilege)
    let unit = FigureUnit.of(path)
    if unit == .joules { compare("the priced machine", energyModel, other.energyModel) }
    switch unit {
    case .points: compare("the scoring", scoring, other.scoring)
    case .bytes: compare("Swift", swiftVersion, other.swiftVersion)
    case .number where !FigureNames.isRate(path): break
    default:
      compare("the kernel", Self.minor(kernel), Self.minor(other.kernel))
      compare("the CPU", cpuModel, other.cpuModel)
      compare("the number of CPUs", cpuCount.map(String.init), other.cpuCount.map(String.init))
      compare("Swift", swiftVersion, other.swiftVersion)
    }
    return found
  }

  /// The first two numbers of a version.
  private static func minor(_ version: String?) -> String? {
    version.map { $0.split(separator: ".").prefix(2).joined(separator: ".") }
  }
}
