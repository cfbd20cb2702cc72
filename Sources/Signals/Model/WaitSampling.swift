/// How many of a thread's waits were recorded with their kind, where the recorder took the stacks of some only.
package struct WaitSampling: Sendable, Equatable {
  /// The share of the waits, from 0 to 1, whose kind was recorded.
  package var recordedShare: Double
  /// Times by cause are of these alone; else the waits that were not recorded have their part in them.
  package var isOfRecorded: Bool

  package init(recordedShare: Double, isOfRecorded: Bool) {
    self.recordedShare = recordedShare
    self.isOfRecorded = isOfRecorded
  }

  /// All were.
  package static let whole = WaitSampling(recordedShare: 1, isOfRecorded: false)
}
