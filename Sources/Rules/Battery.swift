/// The battery that savings are stated as shares of.
package struct Battery: Sendable, Equatable {
  /// Energy of a full charge in watt-hours.
  package var wattHours: Double
  /// Whose it is.
  package var name: String

  /// Makes a battery.
  package init(wattHours: Double, name: String) {
    self.wattHours = wattHours
    self.name = name
  }

  /// An iPhone 14's, 3279 mAh at 3.87 V.
  package static let standard = Battery(wattHours: 12.68, name: "a phone's battery of 12.68 Wh")

  /// Energy of a full charge in joules.
  package var joules: Double { wattHours * 3600 }
}
