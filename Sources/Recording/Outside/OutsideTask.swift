/// A thread that is looked at.
final class OutsideTask {
  let pid: Int32
  let tid: Int32
  let files: OutsideFiles
  var thread: OutsideThread
  var name: String
  /// What it was last found waiting in, until it is given a CPU again.
  var wait: OutsideCall?
  /// How often it had been given a CPU when that began.
  var arrivals: UInt64
  /// The kernel's function of the wait that it was last found in, where that was for a file.
  var fileFunction: String?
  /// What it had moved to and from storage when its time was told last. Of threads other than the first that is read
  /// from their first wait for a file on.
  var storage: OutsideStorage?
  var waitsForFiles: Bool
  /// Whether the wait's function and stack are written.
  var isTold = false
  /// Since when it waits, or when it last did something else.
  var quietSince: UInt64
  var nextLook: UInt64 = 0
  /// How many stacks of waits that one look alone sees may be written by now, and since when that is counted.
  private var tokens = OutsideTask.mostTokens
  private var tokensFrom: UInt64
  /// How often it waited by itself before it was looked at, and by the last reading.
  var switches: (first: UInt64, last: UInt64)
  /// How often it had been given a CPU at that reading.
  var switchesAt: UInt64

  /// Stacks of short waits in a second, after as many at once.
  private static let mostTokens: UInt64 = 20
  private static let tokenInterval: UInt64 = 50_000_000

  init(
    pid: Int32, tid: Int32, files: OutsideFiles, thread: OutsideThread, name: String,
    switches: UInt64
  ) {
    self.pid = pid
    self.tid = tid
    self.files = files
    self.thread = thread
    self.name = name
    arrivals = thread.told.arrivals
    quietSince = thread.told.time
    tokensFrom = thread.told.time
    self.switches = (switches, switches)
    waitsForFiles = tid == pid
    switchesAt = arrivals
  }

  /// Whether one more stack of a short wait may be written.
  func takeToken(now: UInt64) -> Bool {
    let fresh = (now - min(now, tokensFrom)) / Self.tokenInterval
    if fresh > 0 {
      tokens = min(tokens + fresh, Self.mostTokens)
      tokensFrom = now
    }
    guard tokens > 0 else { return false }
    tokens -= 1
    return true
  }

  /// Reads how often it waited by itself, if it did anything since.
  func countSwitches() {
    guard arrivals != switchesAt || wait == nil, let count = files.voluntarySwitches
    else { return }
    switches.last = max(switches.last, count)
    switchesAt = arrivals
  }
}
