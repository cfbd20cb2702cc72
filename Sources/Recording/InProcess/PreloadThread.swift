import CPreloadRing

/// What is known of a thread's time, by its calls and its CPU time.
///
/// In a call that waits it is off its CPU for as long as the call takes, less the CPU time that it is known to have
/// used there. Between calls it runs, or else waits where nobody looked (for a CPU, for a page, in a call that is not
/// recorded): how much that was is known as often as its CPU time is read.
struct PreloadThread {
  /// A time off the CPU.
  struct Wait {
    var from: UInt64
    var to: UInt64
    /// Whether what it was is not known.
    var isUnseen = false
  }

  let tid: Int32
  /// Until when all is told.
  private(set) var covered: UInt64
  private var lastReading: (time: UInt64, processor: UInt64)
  /// Off the CPU, as told, since the last reading.
  private var offSince: UInt64 = 0
  /// What calls of one kind waited that were each too short to be told; it is told with the next of them.
  private var brief: (function: String, length: UInt64)?
  /// The longest time between two waits since the last reading.
  private var longestGap: (from: UInt64, to: UInt64)?

  /// A call takes as long without a wait, and a wait is told with as much that is none.
  private static let shortestWait: UInt64 = 20_000
  /// Of calls that may as well have worked as waited, one as long waited.
  static let surelyWaited: UInt64 = 1_000_000
  /// What is missing may be less by what interrupts took.
  private static let leastUnseen: UInt64 = 500_000

  init(tid: Int32, began: UInt64, processor: UInt64) {
    self.tid = tid
    covered = began
    lastReading = (began, processor)
  }

  /// Takes in a call, and gives when the thread was off its CPU in it and before it.
  mutating func call(
    from start: UInt64, to end: UInt64, _ meaning: CallMeaning,
    processorTime: (end: UInt64, start: UInt64?)?
  ) -> [Wait] {
    var waits: [Wait] = []
    let start = max(start, covered)
    if end > start, let off = timeToTell(from: start, to: end, meaning, processorTime) {
      noteGap(until: start)
      waits.append(Wait(from: start, to: min(end, start + off)))
      covered = min(end, start + off)
      offSince += off
    }
    if let processorTime {
      if let unseen = read(processorTime.end, at: end) { waits.insert(unseen, at: 0) }
    }
    return waits
  }

  /// The time off the CPU that is told in a call: its own, with that of shorter ones of its kind before it.
  private mutating func timeToTell(
    from start: UInt64, to end: UInt64, _ meaning: CallMeaning,
    _ processorTime: (end: UInt64, start: UInt64?)?
  ) -> UInt64? {
    guard let off = timeOff(from: start, to: end, meaning, processorTime) else { return nil }
    let before = meaning.function == brief?.function ? brief?.length ?? 0 : 0
    let all = min(off + before, end - start)
    guard all >= Self.shortestWait else {
      brief = meaning.function.map { ($0, off + before) }
      return nil
    }
    brief = meaning.function.map { ($0, off + before - all) }
    return all
  }

  private func timeOff(
    from start: UInt64, to end: UInt64, _ meaning: CallMeaning,
    _ processorTime: (end: UInt64, start: UInt64?)?
  ) -> UInt64? {
    let length = end - start
    guard length >= Self.shortestWait else { return nil }
    if let processorTime, let before = processorTime.start {
      let used = processorTime.end &- before
      return used < length ? length - used : nil
    }
    return meaning.onlyWaits || length >= Self.surelyWaited ? length : nil
  }

  private mutating func noteGap(until end: UInt64) {
    guard end > covered else { return }
    if let longest = longestGap, longest.to - longest.from >= end - covered { return }
    longestGap = (covered, end)
  }

  /// The thread's CPU time was read: what is neither that nor told was a wait that nobody saw.
  ///
  /// It is put where there is most room for it.
  mutating func read(_ processor: UInt64, at time: UInt64) -> Wait? {
    guard time > lastReading.time else { return nil }
    noteGap(until: time)
    defer {
      lastReading = (time, processor)
      offSince = 0
      longestGap = nil
      covered = max(covered, time)
    }
    let used = processor >= lastReading.processor ? processor - lastReading.processor : 0
    let told = offSince + used
    let length = time - lastReading.time
    guard length > told, length - told >= Self.leastUnseen, let gap = longestGap else { return nil }
    let unseen = min(length - told, gap.to - gap.from)
    return Wait(from: gap.to - unseen, to: gap.to, isUnseen: true)
  }
}
