import Quantities

/// Finds times that no clock of a recording can have had, of which one damaged byte is enough.
///
/// A clock of the machine goes on without leaps, and rings are emptied in turn. So a few records that stand far from
/// all others, and before records that are older (or after ones that are younger), have no time of that clock.
struct PlausibleTimes {
  /// A shorter recording is not looked at: what is wrong in it by less costs little.
  static let shortestSpan: UInt64 = 3600 * 1_000_000_000
  /// No recording is without any record for so long: 30 days.
  static let longestPause: UInt64 = 30 * 86400 * 1_000_000_000
  /// In a smaller trace nothing is few: the end of a program that slept may be one record.
  private static let fewestRecords = 50
  /// Of a larger file it is asked only where its order is broken.
  static let mostRecords = 1 << 20

  /// Whether a pass that found these times is a reason to look.
  static func areDoubtful(_ times: RecordTimes, late: Int) -> Bool {
    guard times.count > 2, times.latest > times.earliest else { return false }
    let span = times.latest - times.earliest
    return span > longestPause
      || span > shortestSpan && (late > 0 || times.count < mostRecords)
  }

  /// The times that are believed, of all as they stand in the file; nil where that is all of them.
  static func range(_ inFile: [UInt64]) -> ClosedRange<UInt64>? {
    guard inFile.count > 2 else { return nil }
    let sorted = inFile.sorted()
    let few = sorted.count < fewestRecords ? 0 : max(1, sorted.count / 100)
    let middle = sorted.count / 2
    // The span of the middle four fifths.
    let core = sorted[sorted.count - 1 - sorted.count / 10] - sorted[sorted.count / 10]
    let leap = max(shortestSpan, min(core, longestPause) * 10)

    var last = sorted.count - 1
    for place in middle..<sorted.count - 1 {
      let pause = sorted[place + 1] - sorted[place]
      if pause > longestPause
        || pause > leap && sorted.count - 1 - place <= few
          && areFollowed(after: sorted[place], in: inFile)
      {
        last = place
        break
      }
    }
    var first = 0
    for place in stride(from: middle, to: 0, by: -1) {
      let pause = sorted[place] - sorted[place - 1]
      if pause > longestPause
        || pause > leap && place <= few && arePreceded(before: sorted[place], in: inFile)
      {
        first = place
        break
      }
    }
    guard first > 0 || last < sorted.count - 1 else { return nil }
    return sorted[first]...sorted[last]
  }

  /// Whether the file does not end with a record that is younger than that.
  private static func areFollowed(after time: UInt64, in inFile: [UInt64]) -> Bool {
    inFile.last.map { $0 <= time } ?? false
  }

  /// Whether the file does not begin with a record that is older than that.
  private static func arePreceded(before time: UInt64, in inFile: [UInt64]) -> Bool {
    inFile.first.map { $0 >= time } ?? false
  }
}

extension PerfDataFile {
  /// Leaves records out of every later pass whose times no clock can have had, given what a pass found; false where
  /// there are none.
  ///
  /// They are counted by `implausibleTimes`.
  public func leaveOutImplausibleTimes(_ times: RecordTimes) -> Bool {
    guard believed == nil, PlausibleTimes.areDoubtful(times, late: lateRecords) else {
      return false
    }
    // A trace of more than an hour is looked at each time, and next to none has such a pause: all times of one that has
    // are held together.
    var pauses = PauseFinder()
    forEachTime { pauses.note($0) }
    guard pauses.mayHaveFound else { return false }
    var inFile: [UInt64] = []
    inFile.reserveCapacity(times.count)
    forEachTime { inFile.append($0) }
    guard let range = PlausibleTimes.range(inFile) else { return false }
    believe(range, leavingOut: inFile.count { !range.contains($0) })
    return true
  }

  /// The times of all records that have one, as they stand in the file, whose pages are given back on the way.
  private func forEachTime(_ body: (UInt64) -> Void) {
    var scanner = scanner()
    var passed = PassedPages(storage, .little)
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      passed.note(record.offset)
      if record.time > 0 { body(record.time) }
    }
    storage.release(data)
  }
}

/// Tells times of which no two neighbours are an hour apart, in whatever order they come: of these all are believed.
///
/// It holds which half hours have one: a longer pause leaves one out.
struct PauseFinder {
  private static let step = PlausibleTimes.shortestSpan / 2

  private var steps: Set<UInt64> = []
  private var last: UInt64?

  /// Whether there may be such a pause.
  var mayHaveFound: Bool {
    guard let first = steps.min(), let end = steps.max() else { return false }
    return end - first >= UInt64(steps.count)
  }

  /// Takes in a time.
  mutating func note(_ time: UInt64) {
    let step = time / Self.step
    guard step != last else { return }
    last = step
    steps.insert(step)
  }
}
