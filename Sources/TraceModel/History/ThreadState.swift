/// Why a thread was off the CPU.
public enum WaitCause: String, Codable, CaseIterable, Sendable {
  /// Idle on purpose: the thread waits for its next event.
  case eventWait
  case file, sync, network, lock, sleep, child, pageFault, ipc
  /// Something else: the kernel's functions were seen, and are none of the above.
  case other
  /// What it was for was not seen: it may have been idle on purpose as well.
  case unknown
  /// Held by others: stopped by a signal, or frozen with its control group.
  case stopped

  /// Whether it is nothing that the program waits for in its work.
  public var isIdle: Bool { self == .eventWait || self == .stopped }
}

/// What a thread was doing.
public enum ThreadState: Hashable, Sendable {
  case running
  /// Ready, and waiting for a CPU.
  case runnable
  case blocked(WaitCause)
}

extension WaitCause {
  /// The place in `allCases`.
  var rank: Int {
    switch self {
    case .eventWait: 0
    case .file: 1
    case .sync: 2
    case .network: 3
    case .lock: 4
    case .sleep: 5
    case .child: 6
    case .pageFault: 7
    case .ipc: 8
    case .other: 9
    case .unknown: 10
    case .stopped: 11
    }
  }

  /// `unknown` for a number that is no rank.
  init(rank: Int) {
    self =
      switch rank {
      case 0: .eventWait
      case 1: .file
      case 2: .sync
      case 3: .network
      case 4: .lock
      case 5: .sleep
      case 6: .child
      case 7: .pageFault
      case 8: .ipc
      case 9: .other
      case 11: .stopped
      default: .unknown
      }
  }
}
