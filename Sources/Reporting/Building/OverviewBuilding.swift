import Signals

/// Turns the overview into its section, its shares rounded so that the JSON stays small.
enum OverviewBuilding {
  static func section(_ overview: Overview) -> OverviewSection {
    func rounded(_ values: [Double]) -> [Double] {
      values.map { ($0.finite * 10_000).rounded() / 10_000 }
    }
    return OverviewSection(
      start: overview.start > 0 ? overview.start.finite : nil,
      secondsPerColumn: overview.secondsPerColumn.finite,
      mainThreadBusy: rounded(overview.mainThreadBusy), cores: rounded(overview.cores),
      wakeups: overview.wakeups, networkBytes: overview.networkBytes,
      diskBytes: overview.diskBytes, footprintBytes: overview.footprintBytes)
  }
}
