import Glibc
import Synchronization

/// A recorder's turn to open events: what takes back the events of others (`Leftovers`) waits meanwhile.
///
/// The kernel opens and closes tracepoints one at a time, and each last close takes it up to 0.1 s. Once a recorder has
/// the same ones open, theirs are no longer the last.
enum EventTurn {
  private static let held = Mutex<OwnedDescriptor?>(nil)
  /// In milliseconds: what holds it for longer is stuck.
  private static let longestWait = 2000

  /// Waits for the turn, for two seconds at most; where there is no tracefs, there is none to wait for.
  static func take() {
    held.withLock { held in
      guard held == nil, let tracefs = try? TraceFS.locate(),
        let file = tracefs.opened(toAppend: UprobeSet.definitions)
      else { return }
      for _ in 0..<longestWait {
        if flock(file.number, LOCK_EX | LOCK_NB) == 0 {
          held = file
          return
        }
        usleep(1000)
      }
    }
  }

  /// Waits until what earlier recordings left is taken back, for so long at most: each event that is closed meanwhile
  /// would hold up the program at its next fork or thread by as much as 50 ms.
  static func waitForLeftovers(unless signals: StopSignals) {
    guard let tracefs = try? TraceFS.locate(), let file = tracefs.opened(presence) else { return }
    for _ in 0..<longestLeftovers {
      if signals.endsRecording { return }
      if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return }
      usleep(1000)
    }
  }

  /// Of which file whoever takes back something holds a shared lock: any that is always there.
  static let presence = "uprobe_profile"
  /// In milliseconds.
  private static let longestLeftovers = 5000

  /// Lets the others go on.
  static func give() { held.withLock { $0 = nil } }
}
