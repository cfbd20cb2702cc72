/// A device, or sort of socket, that costs energy for as long as it is held.
package struct AccessoryUse: Sendable, Equatable {
  /// What it is: a path, or `Bluetooth socket`.
  package var name: String
  /// For how long it was held, or of sockets from the first transfer to the last.
  package var seconds: Double
  /// When that began, in seconds from the start of the trace.
  package var start: Double

  /// Makes the value from its parts.
  package init(name: String, seconds: Double, start: Double) {
    self.name = name
    self.seconds = seconds
    self.start = start
  }
}
