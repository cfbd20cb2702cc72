/// That records were lost, so that what was done while they were is not known whole.
package struct LostRecords: Sendable, Equatable {
  /// How many.
  package var count: UInt64
  /// How many there are.
  package var told: Int
  /// How much of the recording they would have told of, in seconds; nil where it is not known when they were lost.
  package var seconds: Double?

  /// Makes the value from its parts.
  package init(count: UInt64, told: Int, seconds: Double? = nil) {
    self.count = count
    self.told = told
    self.seconds = seconds
  }
}
