import CPreloadRing

/// What is known of a thread's time, by its calls and its CPU time.
///
/// In a call that waits it is off its CPU for as long as the call takes, less the CPU time that it is known to have
/// used there. Between calls it runs, or else waits where nobody looked (for a CPU, for a page, in a call that is not
/// recorded): how much that was is known as often as its CPU time is read.
final class PreloadThread {
  /// A time off the CPU.
  struct Wait {
    var from: UInt64
    var to: UInt64
    /// Whether the thread did not go to sleep, so that it had no CPU.
    var isInvoluntary = false
    /// Whether that is so if all that is told as waits were some: a call that takes as long may have worked.
    var isLikelyInvoluntary = false
    /// How often it went to sleep, where that is known, and until when.
    var times: (count: UInt64, until: UInt64)?
    /// How often it surely went to sleep: so much is no queue for a CPU, in which it may be for nearly all of its time.
    var leastSleeps: UInt64 = 0
    /// So long before it the thread is taken to have had no CPU, since it lacks that much CPU time.
    var keptBefore: UInt64 = 0

    /// How often it is told that the thread went to sleep.
    var timesTold: UInt64 {
      isInvoluntary ? 0 : max(1, min(times?.count ?? 1, PreloadThread.mostTimes))
    }

    /// How much of it may have been a queue for a CPU: each of its sleeps is told.
    var longestQueue: UInt64 {
      let length = to - from
      return length - min(length, leastSleeps * Self.leastPiece)
    }

    /// With what the thread runs after it.
    private static let leastPiece: UInt64 = 4

    /// As many waits of the same length as it was, with what the thread ran between them, from a moment on.
    func forEachPiece(from start: UInt64, _ body: (_ from: UInt64, _ to: UInt64) -> Void) {
      guard start < to else { return }
      guard let times else { return body(start, to) }
      let count = min(timesTold, (to - start) / Self.leastPiece)
      guard count > 1 else { return body(start, to) }
      let gap = max(1, (times.until - to) / count)
      let step = (times.until - start) / count
      for piece in 0..<count { body(start + step * piece, start + step * (piece + 1) - gap) }
    }
  }

  /// What a reading of its CPU time tells of the time since the one before.
  struct Reading {
    /// Off the CPU in no call.
    var unseen: Wait?
    /// How often it went to sleep beside the waits that are told, how long in sum, and when it may have been.
    var brief: (count: UInt64, length: UInt64, within: Range<UInt64>)?
  }

  let tid: Int32
  /// Until when all is told.
  private(set) var covered: UInt64
  private var lastReading: (time: UInt64, use: PreloadUse)
  /// Waits that were told since then.
  private var waitsSince: UInt64 = 0
  /// Off the CPU, as told, since the last reading.
  private var offSince: UInt64 = 0
  /// What calls of one kind waited that were each too short to be told; it is told with the next of them.
  private var brief: (function: String, length: UInt64)?
  /// The longest time between two waits since the last reading.
  private var longestGap: (from: UInt64, to: UInt64)?
  /// By how much what is told as run exceeds the CPU time that was read, in nanoseconds; less than none where it falls
  /// short of it. It is made up for before the next waits: of a busy thread no gap has room for all that is missing.
  private var excess: Int64 = 0
  /// How much of it was made up for since the last reading.
  private var keptSince: UInt64 = 0

  /// A wait for descriptors that came to an end, until what is read then tells what ended it.
  var unexplained: Wait?

  /// A call takes as long without a wait, and a wait is told with as much that is none.
  private static let shortestWait: UInt64 = 20_000
  /// Of calls that may as well have worked as waited, one as long waited.
  static let surelyWaited: UInt64 = 1_000_000
  /// Three times what lies between two samples of who runs, at 97 a second.
  private static let longestUnsampled: UInt64 = 31_000_000
  /// Of a call or a reading, of which there are a hundred a second or so.
  static let mostTimes: UInt64 = 100
  /// What is missing may be less by what interrupts took.
  private static let leastUnseen: UInt64 = 500_000
  private static let mostExcess: Int64 = 100_000_000

  init(tid: Int32, began: UInt64, processor: UInt64, waits: UInt64 = 0) {
    self.tid = tid
    covered = began
    lastReading = (began, PreloadUse(processor: processor, waits: waits))
  }

  /// Takes in a call, and gives when the thread was off its CPU in it, and what is known of the time before it.
  func call(
    from start: UInt64, to end: UInt64, _ meaning: CallMeaning, use: PreloadUse?
  ) -> (wait: Wait?, reading: Reading?) {
    var told: Wait?
    let start = max(start, covered)
    if end > start, let off = timeToTell(from: start, to: end, meaning, use) {
      var wait = Wait(from: start, to: min(end, start + off))
      wait.keptBefore = makeUp(before: start)
      noteGap(until: start - wait.keptBefore)
      if let use, let before = use.waitsBefore {
        let count = use.waits &- before
        wait.isInvoluntary = count == 0
        wait.times = (count, end)
        wait.leastSleeps = min(count, Self.mostTimes)
        waitsSince += count
      } else if let use, use.waits == lastReading.use.waits, use.waits > 0 || !meaning.onlyWaits {
        // It did not go to sleep since its CPU time was last read, where that is counted: a kernel that only stands for
        // Linux (gVisor) says of all threads that they never do.
        wait.isInvoluntary = true
      } else {
        // One that no wait before it was told for.
        if let use, use.waits > lastReading.use.waits + waitsSince { wait.leastSleeps = 1 }
        waitsSince += 1
      }
      told = wait
      covered = wait.times == nil ? wait.to : end
      offSince += off
    }
    return (told, use.flatMap { read($0, at: end) })
  }

  /// A wait of which nothing was read turned out to be a queue for a CPU: how often the thread went to sleep is told by
  /// the next reading.
  func takeBackWait() { waitsSince -= min(waitsSince, 1) }

  /// The time off the CPU that is told in a call: its own, with that of shorter ones of its kind before it.
  private func timeToTell(
    from start: UInt64, to end: UInt64, _ meaning: CallMeaning, _ use: PreloadUse?
  ) -> UInt64? {
    guard let off = timeOff(from: start, to: end, meaning, use) else { return nil }
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
    from start: UInt64, to end: UInt64, _ meaning: CallMeaning, _ use: PreloadUse?
  ) -> UInt64? {
    let length = end - start
    guard length >= Self.shortestWait, !meaning.neverWaits else { return nil }
    if let use, let before = use.processorBefore {
      let used = use.processor &- before
      return used < length ? length - used : nil
    }
    guard meaning.onlyWaits || length >= Self.surelyWaited else { return nil }
    // It was off its CPU for no longer than it can have been since its CPU time was last read: it may have worked, or
    // where it does nothing but wait a handler of signals has, of which nothing was told.
    let most = use.flatMap { timeLeft(until: end, $0) } ?? length
    if meaning.onlyWaits, most + Self.leastUnseen > length { return length }
    return most > 0 ? min(length, most) : nil
  }

  /// What is neither CPU time since the last reading nor told as time off the CPU; nil where that is not known.
  private func timeLeft(until end: UInt64, _ use: PreloadUse) -> UInt64? {
    guard end > lastReading.time, use.processor >= lastReading.use.processor else { return nil }
    // What was made up for is of before.
    let told = offSince - keptSince + use.processor - lastReading.use.processor
    return end - lastReading.time - min(told, end - lastReading.time)
  }

  /// How much of the time before a wait is not told as run.
  private func makeUp(before start: UInt64) -> UInt64 {
    guard excess >= Self.shortestWait, start > covered else { return 0 }
    // Something it did there.
    let kept = min(UInt64(excess), (start - covered) / 4 * 3)
    excess -= Int64(kept)
    keptSince += kept
    offSince += kept
    return kept
  }

  private func noteGap(until end: UInt64) {
    guard end > covered else { return }
    if let longest = longestGap, longest.to - longest.from >= end - covered { return }
    longestGap = (covered, end)
  }

  /// Nothing was heard of it since: for so long that it did not run, if it is longer than between two samples.
  func silence(until time: UInt64) -> Reading? {
    let from = max(covered, lastReading.time)
    guard time > from, time - from > Self.longestUnsampled else { return nil }
    covered = time
    return Reading(unseen: Wait(from: from, to: time))
  }

  /// The thread's CPU time was read: what is neither that nor told was a wait that nobody saw.
  ///
  /// It is put where there is most room for it. If the thread did not go to sleep it had no CPU, and likely so if it
  /// did no more often than is told.
  func read(_ use: PreloadUse, at time: UInt64) -> Reading? {
    guard time > lastReading.time else { return nil }
    noteGap(until: time)
    defer {
      lastReading = (time, use)
      (offSince, keptSince) = (0, 0)
      waitsSince = 0
      longestGap = nil
      covered = max(covered, time)
    }
    let before = lastReading.use
    let used = use.processor >= before.processor ? use.processor - before.processor : 0
    let slept = use.waits >= before.waits ? use.waits - before.waits : 0
    let told = offSince + used
    let length = time - lastReading.time
    excess += Int64(clamping: length + keptSince) - Int64(clamping: told)
    // What one reading was wrong about, as that of a kernel which counts in steps, is not made up for all the time.
    excess = min(max(excess, -Self.mostExcess), Self.mostExcess)
    guard let gap = longestGap else { return nil }
    let missing = length > told ? length - told : 0
    let unseen = missing >= Self.leastUnseen ? min(missing, gap.to - gap.from) : 0
    var reading = Reading()
    let brief = slept > waitsSince ? slept - waitsSince : 0
    if brief > 1 || brief == 1 && unseen == 0 {
      let length = min(missing, gap.to - gap.from)
      reading.brief = (brief, length, gap.from..<gap.to)
      excess -= Int64(length)
    } else if unseen > 0 {
      excess -= Int64(unseen)
      reading.unseen = Wait(
        from: gap.to - unseen, to: gap.to, isInvoluntary: slept == 0,
        isLikelyInvoluntary: brief == 0, leastSleeps: brief)
    }
    return reading
  }
}
