/// A lock on a file, or an inhibitor of logind's, that the process held.
package struct HeldSignal: Sendable, Equatable {
  /// Whether it is a lock on a file rather than an inhibitor.
  package var isLock: Bool
  /// The file, or what is inhibited.
  package var name: String
  /// Whether nobody else may hold it too; of an inhibitor, whether it blocks rather than delays.
  package var isExclusive: Bool
  /// Seconds from the start of the trace at which it was first seen.
  package var start: Double
  /// When it was gone; nil if it was held to the end.
  package var end: Double?

  /// Makes the value from its parts.
  package init(
    isLock: Bool = true, name: String, isExclusive: Bool = true, start: Double, end: Double? = nil
  ) {
    self.isLock = isLock
    self.name = name
    self.isExclusive = isExclusive
    self.start = start
    self.end = end
  }
}
