/// Memory that was taken and given back within one turn.
package struct MemorySpike: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var time: Double
  /// Resident size before.
  package var beforeBytes: UInt64
  /// Highest footprint.
  package var peakBytes: UInt64
  /// Resident size after.
  package var afterBytes: UInt64

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    time: Double,
    beforeBytes: UInt64,
    peakBytes: UInt64,
    afterBytes: UInt64
  ) {
    self.time = time
    self.beforeBytes = beforeBytes
    self.peakBytes = peakBytes
    self.afterBytes = afterBytes
  }

  /// What was only there for a while, as a share of what was there before.
  package var share: Double {
    beforeBytes > 0 ? Double(peakBytes - min(peakBytes, afterBytes)) / Double(beforeBytes) : 0
  }
}
