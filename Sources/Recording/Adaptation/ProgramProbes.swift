/// Which programs are given the probes that were ended since the target was busy.
///
/// A target is busy by what one of its programs does: `swift run` builds, and then becomes the program that was built.
/// So each program that begins is given them anew, as far as that takes little, and loses them where the target is busy
/// with it too. When a busy target has become quiet, the programs that it has then are given them.
struct ProgramProbes {
  /// Events that were opened for one program, and the processes that have them: its own, and what that started since.
  struct Group {
    var ids: [UInt64]
    var pids: Set<Int32>
    let since: UInt64
  }

  /// A program is not taken for the busy one before it has lasted for so long.
  static let trial: UInt64 = 1_000_000_000
  /// For so long a target must have been quiet, at first; after each time that it became busy again, twice as long.
  static let quiet: UInt64 = 2_000_000_000
  /// Two dozen events are opened for each, and closed again.
  private static let limit = TokenBucket.Limit(burst: 8, perSecond: 4)
  /// Of more that wait for their turn the oldest get none.
  private static let mostWaiting = 64

  private(set) var groups: [Group] = []
  private var living: Set<Int32>
  private var waiting: [Int32] = []
  private var tokens = TokenBucket(Self.limit)
  private var lastRefill: UInt64 = 0
  /// Since when the target has been quiet, after it was busy.
  private var quietSince: UInt64?
  private var quietNeeded = Self.quiet
  private var wasGivenToAll = false

  init(_ pids: [Int32]) { living = Set(pids) }

  func has(_ pid: Int32) -> Bool { groups.contains { $0.pids.contains(pid) } }

  mutating func began(_ pid: Int32, by parent: Int32) {
    living.insert(pid)
    for index in groups.indices where groups[index].pids.contains(parent) {
      groups[index].pids.insert(pid)
    }
  }

  mutating func executed(_ pid: Int32) {
    living.insert(pid)
    wait(pid)
  }

  mutating func ended(_ pid: Int32) {
    living.remove(pid)
    waiting.removeAll { $0 == pid }
    for index in groups.indices { groups[index].pids.remove(pid) }
  }

  private mutating func wait(_ pid: Int32) {
    waiting.removeAll { $0 == pid }
    waiting.append(pid)
    if waiting.count > Self.mostWaiting { waiting.removeFirst() }
  }

  /// The target is as busy as it was, or no longer; call after each look at its rate.
  mutating func note(isBusy: Bool, now: UInt64) {
    if isBusy {
      if wasGivenToAll { quietNeeded *= 2 }
      wasGivenToAll = false
      quietSince = nil
      return
    }
    let since = quietSince ?? now
    quietSince = since
    guard !wasGivenToAll, now &- since >= quietNeeded else { return }
    wasGivenToAll = true
    for pid in living.sorted() { wait(pid) }
  }

  /// Nothing has ended: whoever began has all.
  mutating func forgetWaiting() { waiting = [] }

  /// The programs whose turn it is, newest first: the others are more likely to end soon.
  mutating func takeDue(now: UInt64) -> [Int32] {
    var due: [Int32] = []
    _ = tokens.take(0, in: lastRefill == 0 ? 0 : Double(now &- lastRefill) / 1e9)
    lastRefill = now
    while let pid = waiting.last, tokens.has(1) {
      waiting.removeLast()
      // What it inherited it keeps when it runs another program.
      guard !has(pid) else { continue }
      _ = tokens.take(1, in: 0)
      due.append(pid)
    }
    return due
  }

  mutating func gave(_ ids: [UInt64], to pid: Int32, now: UInt64) {
    guard !ids.isEmpty else { return }
    groups.append(Group(ids: ids, pids: [pid], since: now))
  }

  /// The events that no process has any longer.
  mutating func takeUnused() -> [UInt64] { take { $0.pids.isEmpty } }

  /// The events of the programs that have lasted for long enough to be the busy ones.
  mutating func takeTried(now: UInt64) -> [UInt64] { take { now &- $0.since >= Self.trial } }

  /// All of them.
  mutating func takeAll() -> [UInt64] { take { _ in true } }

  private mutating func take(_ isTaken: (Group) -> Bool) -> [UInt64] {
    let taken = groups.filter(isTaken).flatMap(\.ids)
    groups.removeAll(where: isTaken)
    return taken
  }
}
