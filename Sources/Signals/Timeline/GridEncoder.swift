/// Writes amounts over time as cells of a grid, cells alike in one go.
///
/// The bytes are LEB128 numbers. A token's two low bits are its kind, the rest its count `n`:
/// 0 skips `n` empty cells; 1 is followed by a channel that fills `n` cells wholly (a quantum each);
/// 2 is one cell, `n` the set of its channels, followed by an amount for each;
/// 3 is followed by a channel and the amount it has in each of `n` cells.
struct GridEncoder {
  /// Length of a cell in microseconds.
  let quantum: UInt64
  /// More bytes than this are not kept.
  let budget: Int
  private(set) var bytes: [UInt8] = []
  /// The bytes did not fit.
  private(set) var isOverBudget = false

  private var values: [UInt64]
  private var cell: UInt64 = 0
  private var isDirty = false
  /// The first cell that is not written yet.
  private var next: UInt64 = 0
  private var run: Run?

  private struct Run {
    var start: UInt64
    var count: UInt64
    var channel: Int
    var value: UInt64
  }

  init(quantum: UInt64, channels: Int, budget: Int) {
    self.quantum = quantum
    self.budget = budget
    values = [UInt64](repeating: 0, count: channels)
  }

  /// Adds an amount at one time, in microseconds; times must not go back by a cell.
  mutating func add(_ amount: UInt64, at time: UInt64, channel: Int) {
    guard amount > 0, !isOverBudget else { return }
    add(amount, to: max(time / quantum, cell), channel)
  }

  /// Adds a span's length, `weight` times.
  mutating func add(from start: UInt64, to end: UInt64, channel: Int, weight: UInt64 = 1) {
    guard end > start, weight > 0, !isOverBudget else { return }
    let first = start / quantum
    let last = end / quantum
    if first == last { return add((end - start) * weight, to: first, channel) }
    var full = first
    if !start.isMultiple(of: quantum) {
      add(((first + 1) * quantum - start) * weight, to: first, channel)
      full += 1
    }
    if last > full {
      closeCell()
      append(Run(start: full, count: last - full, channel: channel, value: quantum * weight))
      cell = last
    }
    if !end.isMultiple(of: quantum) { add((end % quantum) * weight, to: last, channel) }
  }

  /// Writes what is pending.
  mutating func finish() {
    closeCell()
    flushRun()
  }

  private mutating func add(_ amount: UInt64, to target: UInt64, _ channel: Int) {
    if target != cell {
      closeCell()
      cell = target
    }
    values[channel] &+= amount
    isDirty = true
  }

  private mutating func closeCell() {
    guard isDirty else { return }
    isDirty = false
    let used = values.indices.filter { values[$0] > 0 }
    if used.count == 1, values[used[0]].isMultiple(of: quantum) {
      append(Run(start: cell, count: 1, channel: used[0], value: values[used[0]]))
    } else {
      flushRun()
      skip(to: cell)
      token(2, used.reduce(0) { $0 | 1 << UInt64($1) })
      for channel in used { number(values[channel]) }
      next = cell + 1
    }
    for channel in used { values[channel] = 0 }
  }

  private mutating func append(_ new: Run) {
    if let old = run, old.channel == new.channel, old.value == new.value,
      old.start + old.count == new.start
    {
      run?.count += new.count
      return
    }
    flushRun()
    run = new
  }

  private mutating func flushRun() {
    guard let run else { return }
    self.run = nil
    skip(to: run.start)
    token(run.value == quantum ? 1 : 3, run.count)
    number(UInt64(run.channel))
    if run.value != quantum { number(run.value) }
    next = run.start + run.count
  }

  private mutating func skip(to target: UInt64) {
    if target > next { token(0, target - next) }
  }

  private mutating func token(_ kind: UInt64, _ count: UInt64) { number(kind | count << 2) }

  private mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    if bytes.count > budget { isOverBudget = true }
  }
}

extension GridEncoder {
  /// The finest grid whose bytes fit the budget: cells of a power of two of microseconds.
  ///
  /// Cells longer than 1/256 of the recording are never needed, so such a grid is taken as it is.
  static func fit(
    channels: Int, budget: Int, duration: UInt64, _ fill: (inout GridEncoder) -> Void
  ) -> GridEncoder {
    var quantum: UInt64 = 1
    while true {
      let isCoarsest = quantum * 256 > duration
      var encoder = GridEncoder(
        quantum: quantum, channels: channels, budget: isCoarsest ? .max : budget)
      fill(&encoder)
      encoder.finish()
      if !encoder.isOverBudget || isCoarsest { return encoder }
      quantum *= 2
    }
  }
}
