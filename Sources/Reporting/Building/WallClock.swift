/// Wall clock times in ISO 8601, in UTC so that they read the same on every machine.
package enum WallClock {
  /// Text such as `2026-11-21T14:37:04.250Z` for nanoseconds since 1970.
  package static func text(_ nanoseconds: UInt64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    let date = civil(days: Int(seconds / 86_400))
    let second = Int(seconds % 86_400)
    let milliseconds = Int(nanoseconds / 1_000_000 % 1_000)
    return
      "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
      + ".\(padded(milliseconds, 3))Z"
  }

  /// The Gregorian date of a day counted from 1970-01-01.
  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    var year = 1970
    var left = days
    // Whole cycles of 400 years first, which are all equally long.
    year += left / 146_097 * 400
    left %= 146_097
    while left >= length(ofYear: year) {
      left -= length(ofYear: year)
      year += 1
    }
    var month = 1
    while left >= length(ofMonth: month, in: year) {
      left -= length(ofMonth: month, in: year)
      month += 1
    }
    return (year, month, left + 1)
  }

  private static func length(ofYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
