import Quantities

/// Numbers by the samples that they belong to, each known by its time and thread: 16 bytes each, since a trace may have
/// one for every few records.
struct SampleIndex {
  private struct Entry {
    var time: UInt64
    var tid: Int32
    var value: Int32

    static func < (a: Entry, b: Entry) -> Bool {
      a.time != b.time ? a.time < b.time : a.tid < b.tid
    }
  }

  private var entries: [Entry] = []
  private var isSorted = true
  /// Samples are asked for by ascending time but for few: where the last was found.
  private var place = 0
  /// Further than this from the last, halving is quicker than walking.
  private static let nearby = 16

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(time: UInt64, tid: Int32, value: Int32) {
    let entry = Entry(time: time, tid: tid, value: value)
    if let last = entries.last, entry < last { isSorted = false }
    entries.append(entry)
  }

  /// To be called after the last `append` and before the first `value`.
  mutating func sort() {
    // The standard library's sort keeps the order of equal ones, of which the last counts.
    if !isSorted { entries.sort(by: <) }
    isSorted = true
  }

  /// The number of a sample, the last where there are several; nil where there is none.
  mutating func value(time: UInt64, tid: Int32) -> Int32? {
    let wanted = Entry(time: time, tid: tid, value: 0)
    let walked = place
    while place < entries.count, entries[place] < wanted, place - walked < Self.nearby {
      place += 1
    }
    let isHere =
      (place == entries.count || !(entries[place] < wanted))
      && (place == 0 || entries[place - 1] < wanted)
    if !isHere { place = entries.partitioningIndex { !($0 < wanted) } }
    var found: Int32?
    var next = place
    while next < entries.count, entries[next].time == time, entries[next].tid == tid {
      found = entries[next].value
      next += 1
    }
    return found
  }
}
