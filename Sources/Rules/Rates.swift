/// Rates of short recordings.
///
/// A recording of two seconds says little about a minute: one hang of 150 ms in it is not 1.5 s of
/// hangs a minute. So each rate has a shortest time over which it is taken. What a recording shows
/// is then never multiplied, and a recording longer than that time is taken as it is.
enum Rates {
  /// A recording shorter than a minute counts as a minute.
  static func perMinute(_ amount: Double, over seconds: Double) -> Double {
    amount * 60 / max(seconds, 60)
  }

  /// A recording shorter than ten seconds counts as ten seconds.
  static func perSecond(_ amount: Double, over seconds: Double) -> Double {
    amount / max(seconds, 10)
  }

  /// A recording shorter than an hour counts as an hour.
  static func perDay(_ amount: Double, over seconds: Double) -> Double {
    amount * 86400 / max(seconds, 3600)
  }
}
