import CBPF

/// What the programs in the kernel counted of calls that come again and again, of which they tell the first.
///
/// A row of like calls is known by its sort, its place, which a thread has, and its generation. How many there were is
/// told when the next row begins; of a row that stands it is read in each round.
struct KernelRepeats {
  enum Sort: Int, CaseIterable {
    /// Equal calls that write.
    case writes
    /// Calls that came back at once with nothing.
    case spins
    /// Reads of a file, of any sizes.
    case reads
  }

  /// Calls after the first of a row.
  struct Sum: Equatable {
    var count: UInt64
    /// What they brought, where they are reads.
    var bytes: UInt64 = 0
  }

  struct Row {
    var generation: UInt32
    var sum: Sum
  }

  private struct Known {
    var first: lull_kernel_call_record
    var told = Sum(count: 0)
    /// Another had taken its place in the round before: what it came to was told by now.
    var isOver = false
  }

  private var places: [Int: [UInt32: Known]] = [:]
  /// Whether rows were over as those that stand were asked for: what they came to is in the ring, and is to be taken in
  /// this round. In the next one it is told no earlier than this round began, when their file may have been closed.
  private(set) var haveEnded = false

  private static func place(_ call: lull_kernel_call_record, _ sort: Sort) -> Int {
    let count = Int(LULL_KERNEL_REPEATS)
    return Int(call.tid) & (count - 1) + sort.rawValue * count
  }

  /// A row began.
  mutating func began(_ first: lull_kernel_call_record, _ sort: Sort) {
    places[Self.place(first, sort), default: [:]][first.generation] = Known(first: first)
  }

  /// A row ended, as its record says; gives what of it was not told.
  mutating func ended(_ call: lull_kernel_call_record, _ sort: Sort) -> Sum {
    let known = places[Self.place(call, sort)]?.removeValue(forKey: call.generation)
    var sum = Sum(count: UInt64(call.head.flags))
    if sort == .reads { sum.bytes = UInt64(clamping: call.result) }
    return known.map { sum - $0.told } ?? sum
  }

  /// What is not told of the rows that stand: a call of each, and what those like it came to.
  mutating func standing(
    _ row: (Int) -> Row
  ) -> [(call: lull_kernel_call_record, sum: Sum, sort: Sort)] {
    var result: [(call: lull_kernel_call_record, sum: Sum, sort: Sort)] = []
    haveEnded = false
    for (place, var rows) in places {
      let current = row(place)
      rows = rows.filter { $0.key == current.generation || !$0.value.isOver }
      for generation in rows.keys where generation != current.generation {
        rows[generation]?.isOver = true
        haveEnded = true
      }
      if let known = rows[current.generation], current.sum.count > known.told.count,
        let sort = Sort(rawValue: place / Int(LULL_KERNEL_REPEATS))
      {
        result.append((known.first, current.sum - known.told, sort))
        rows[current.generation]?.told = current.sum
      }
      places[place] = rows.isEmpty ? nil : rows
    }
    return result
  }
}

extension KernelRepeats.Sum {
  /// What was told of the bytes may be ahead of the calls that brought them.
  static func - (whole: Self, part: Self) -> Self {
    Self(
      count: whole.count - min(part.count, whole.count),
      bytes: whole.bytes - min(part.bytes, whole.bytes))
  }
}
