/// The threads that are recorded: they begin and end in records of several rings.
struct RecordedThreads: ~Copyable {
  private var tracked = TrackedThreads()
  /// Threads that ended, which may still be switched away from for the last time.
  private var ended: [(tid: Int32, round: UInt64)] = []
  /// Threads whose parents are not known in this round, and in the one before.
  private var orphans: [(tid: Int32, parent: Int32, round: UInt64)] = []
  private var round: UInt64 = 0

  @inline(__always)
  func contains(_ tid: Int32) -> Bool { tracked.contains(tid) }

  mutating func begin(_ tid: Int32) {
    tracked.insert(tid)
    // A reused id lives again; and when another thread than the first runs a new program, the first ends and the other
    // takes its id.
    if !ended.isEmpty { ended.removeAll { $0.tid == tid } }
  }

  /// A thread begins, which is recorded if its parent is.
  mutating func begin(_ tid: Int32, parent: Int32) {
    if tracked.contains(parent) { begin(tid) } else { orphans.append((tid, parent, round)) }
  }

  mutating func end(_ tid: Int32) { ended.append((tid, round)) }

  mutating func beginRound() { round += 1 }

  /// Finds the threads whose parents were announced in another CPU's ring, and forgets those of other programs.
  mutating func adoptOrphans() {
    var found = !orphans.isEmpty
    while found {
      found = false
      let waiting = orphans
      orphans.removeAll(keepingCapacity: true)
      for orphan in waiting {
        if tracked.contains(orphan.parent) {
          begin(orphan.tid)
          found = true
        } else {
          orphans.append(orphan)
        }
      }
    }
    orphans.removeAll { $0.round < round }
  }

  /// Two rounds and at least so many threads later an ended id may be another program's.
  mutating func forgetEnded(_ forgotten: (Int32) -> Void) {
    while let first = ended.first, round > first.round + 2 {
      tracked.remove(first.tid)
      forgotten(first.tid)
      ended.removeFirst()
    }
  }
}
