extension FixedWidthInteger {
  /// The whole part of a number, or the nearest that there is: sums of what a damaged or hostile trace says may be
  /// beyond all that fits.
  @inlinable
  public init(saturating value: Double) {
    self =
      Self(exactly: value.rounded(.towardZero))
      ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}
