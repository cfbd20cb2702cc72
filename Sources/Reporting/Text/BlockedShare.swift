import Quantities
import TraceModel

/// Which share of the time a thread was blocked, as far as it is known.
package struct BlockedShare: Sendable {
  /// With the waits of which nothing tells what they were for, as that in which a thread was found.
  package var most: Double
  /// These alone: it may have been idle in them.
  private var unknown: Double

  /// What is less is no more than what a figure is rounded by.
  private static let negligible = 0.005

  package init(seconds: Double, byCause: [String: Double], of total: Double) {
    most = min(seconds / total, 1)
    unknown = (byCause[WaitCause.unknown.rawValue] ?? 0) / total
  }

  package var text: String {
    (unknown < Self.negligible ? "" : "≤") + Figures.percent(most)
  }
}
