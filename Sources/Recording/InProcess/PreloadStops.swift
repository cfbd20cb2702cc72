import CPreloadRing

/// When a process stood still, held by a signal (SIGSTOP, SIGTSTP) or a debugger, as far as that was seen.
///
/// Nothing in the process can tell that. It is looked at now and then while nothing comes from it.
struct PreloadStops {
  private(set) var spans: [Range<UInt64>] = []
  private var since: UInt64?
  /// When it was last known to go on, and to stand still.
  private var lastGoingOn: UInt64
  private var lastStill: UInt64 = 0
  private var nextLook: UInt64 = 0

  /// A wait may be as long as it likes, but few are stopped so often within one.
  private static let most = 64
  /// A look takes some 10 µs: all processes together are given less than a hundredth of a core.
  private static let interval: UInt64 = 50_000_000
  private static let intervalPerProcess: UInt64 = 2_000_000

  /// So much more may a stop have been at its two ends than was seen of it.
  static let uncertainty: UInt64 = 2 * interval

  init(began: UInt64) { lastGoingOn = began }

  /// Takes in what came from the process since it was last looked at, and looks whether it stands still where nothing
  /// did.
  mutating func look(
    _ batch: PreloadBatch, now: UInt64, among processes: Int, isStill: () -> Bool
  ) {
    if let since {
      if let first = batch.first(where: { $0.record.end > since }) {
        end(since, at: first.record.end, goesOnAt: batch.last?.record.end ?? now)
      } else if isDue(now, processes) {
        if isStill() {
          lastStill = now
        } else {
          end(since, at: (lastStill + now) / 2, goesOnAt: now)
        }
      }
    } else if let last = batch.last {
      lastGoingOn = max(lastGoingOn, last.record.end)
    } else if isDue(now, processes) {
      if isStill() {
        (since, lastStill) = ((lastGoingOn + now) / 2, now)
      } else {
        lastGoingOn = now
      }
    }
  }

  private mutating func isDue(_ now: UInt64, _ processes: Int) -> Bool {
    guard now >= nextLook else { return false }
    nextLook = now + max(Self.interval, Self.intervalPerProcess * UInt64(processes)) * 9 / 10
    return true
  }

  private mutating func end(_ since: UInt64, at time: UInt64, goesOnAt now: UInt64) {
    spans.append(since..<max(since, time))
    if spans.count > Self.most { spans.removeFirst() }
    self.since = nil
    lastGoingOn = max(lastGoingOn, now)
  }

  /// The times of it in which the process stood still, until now where it still does.
  func within(_ from: UInt64, _ to: UInt64) -> [Range<UInt64>] {
    let still = since.map { [$0..<max($0, lastStill)] } ?? []
    return (spans + still).compactMap { span in
      let part = span.clamped(to: from..<max(from, to))
      return part.isEmpty ? nil : part
    }
  }
}

extension PreloadProcess {
  var isStill: Bool { ProcessStatistics(pid: pid)?.isStopped == true }
}

extension PreloadSource {
  func tellStopped(
    from start: UInt64, to end: UInt64, _ process: PreloadProcess, _ tid: Int32,
    into output: inout RecordBytes
  ) {
    let left = Place(pid: process.pid, tid: tid, time: start)
    tellWhole(left, CallMeaning.stop.function, nil, into: &output)
    tellOff(left, until: end, into: &output)
  }
}
