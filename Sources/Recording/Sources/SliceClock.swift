import PerfData

/// Decides when a target that switches very often is recorded: a slice of time out of each turn.
///
/// What a busy server does in one moment is like what it does in the next, and each event costs it a part of a
/// microsecond for each request: a twentieth of them tells as much.
struct SliceClock {
  /// Two changes of some hundred events cost a millisecond at most.
  static let slice: UInt64 = 20_000_000
  static let turn: UInt64 = 400_000_000

  private(set) var spans: [CaptureEvent.Slices] = []
  private var start: UInt64?
  private var recorded: UInt64 = 0
  private var sliceStart: UInt64 = 0
  private(set) var isRecording = true
  /// When the next change is due.
  private(set) var next = UInt64.max

  var isSlicing: Bool { start != nil }

  /// The first slice begins at once: it ends what was recorded whole.
  mutating func begin(at time: UInt64) {
    start = time
    recorded = 0
    sliceStart = time
    isRecording = true
    next = time + Self.slice
  }

  /// Changes over; true when recording is on from here.
  mutating func change(at time: UInt64) -> Bool {
    if isRecording {
      recorded += time &- sliceStart
      next = time + Self.turn - Self.slice
    } else {
      sliceStart = time
      next = time + Self.slice
    }
    isRecording.toggle()
    return isRecording
  }

  /// Everything is recorded again from here.
  mutating func end(at time: UInt64) {
    guard let start else { return }
    if isRecording { recorded += time &- sliceStart }
    spans.append(.init(fromNs: start, toNs: time, recordedNs: recorded))
    self.start = nil
    isRecording = true
    next = .max
  }
}
