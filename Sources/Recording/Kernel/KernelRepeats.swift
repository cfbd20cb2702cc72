import CBPF

/// What the programs in the kernel counted of calls that come again and again, of which they tell the first.
///
/// A row of equal calls is known by its place, which a thread has, and its generation. How many there were is told when
/// the next row begins; of a row that stands it is read in each round.
struct KernelRepeats {
  struct Row {
    var generation: UInt32
    /// Those after the first.
    var count: UInt64
  }

  private struct Known {
    var first: lull_kernel_call_record
    var told: UInt64 = 0
    /// Another had taken its place in the round before: what it came to was told by now.
    var isOver = false
  }

  private var places: [Int: [UInt32: Known]] = [:]

  private static func place(_ call: lull_kernel_call_record, spins: Bool) -> Int {
    let count = Int(LULL_KERNEL_REPEATS)
    return Int(call.tid) & (count - 1) + (spins ? count : 0)
  }

  /// A row began.
  mutating func began(_ first: lull_kernel_call_record, spins: Bool) {
    places[Self.place(first, spins: spins), default: [:]][first.generation] = Known(first: first)
  }

  /// A row ended, of so many calls after the first; gives how many of them were not told.
  mutating func ended(_ call: lull_kernel_call_record, spins: Bool) -> UInt64 {
    let known = places[Self.place(call, spins: spins)]?.removeValue(forKey: call.generation)
    return UInt64(call.head.flags) &- (known?.told ?? 0)
  }

  /// What is not told of the rows that stand: a call of each, and how many like it there were.
  mutating func standing(
    _ row: (Int) -> Row
  ) -> [(call: lull_kernel_call_record, count: UInt64, spins: Bool)] {
    var result: [(call: lull_kernel_call_record, count: UInt64, spins: Bool)] = []
    for (place, var rows) in places {
      let current = row(place)
      rows = rows.filter { $0.key == current.generation || !$0.value.isOver }
      for generation in rows.keys where generation != current.generation {
        rows[generation]?.isOver = true
      }
      if let known = rows[current.generation], current.count > known.told {
        result.append(
          (known.first, current.count - known.told, place >= Int(LULL_KERNEL_REPEATS)))
        rows[current.generation]?.told = current.count
      }
      places[place] = rows.isEmpty ? nil : rows
    }
    return result
  }
}
