/// What a launch in the background came to, from the start until no thread ran for a second.
package struct BackgroundLaunch: Sendable, Equatable {
  /// How long it took; until the end of the background where it was never quiet.
  package var seconds: Double
  /// CPU time of all threads.
  package var cpuSeconds: Double
  /// Sent, received and written.
  package var bytes: UInt64
  /// Footprint at the end; nil where it was not read.
  package var footprintBytes: UInt64?

  /// Makes the value from its parts; what is left out is zero or unknown.
  package init(
    seconds: Double, cpuSeconds: Double = 0, bytes: UInt64 = 0, footprintBytes: UInt64? = nil
  ) {
    self.seconds = seconds
    self.cpuSeconds = cpuSeconds
    self.bytes = bytes
    self.footprintBytes = footprintBytes
  }
}
