import PerfData

/// Decides when a target that waits or calls the kernel very often is recorded: a slice of time out of each turn.
///
/// What a busy server does in one moment is like what it does in the next, and each event costs it a part of a
/// microsecond for each request: a fortieth of them tells as much.
struct SliceClock {
  /// Two changes of some hundred events cost a millisecond at most.
  static let slice: UInt64 = 10_000_000
  static let turn: UInt64 = 400_000_000

  private var list = SpanList<CaptureEvent.Slices>()
  private var start: UInt64?
  private var recorded: UInt64 = 0
  private var sliceStart: UInt64 = 0
  /// How long the last slice was.
  private(set) var lastSlice: UInt64 = 0
  private var recordedWrites: UInt64 = 0
  /// How many calls had written when it began, if that is known.
  private var writesBefore: UInt64?
  private(set) var isRecording = true
  /// When the next change is due.
  private(set) var next = UInt64.max

  var isSlicing: Bool { start != nil }

  /// Spans of which slices were recorded.
  var spans: [CaptureEvent.Slices] { list.spans }

  /// The spans as they stand, with that which goes on as if it went on like this until then.
  func spans(now: UInt64, until: UInt64) -> [CaptureEvent.Slices] {
    guard let start, now > start else { return spans }
    let heard = recorded + (isRecording && now > sliceStart ? now - sliceStart : 0)
    let share = Double(heard) / Double(now - start)
    return spans + [
      .init(
        fromNs: start, toNs: until,
        recordedNs: UInt64((Double(until - start) * share).rounded()))
    ]
  }

  /// What is told of a part of the recording is of its spans alone.
  mutating func forgetSpans() { list = SpanList() }

  /// The first slice begins at once: it ends what was recorded whole.
  mutating func begin(at time: UInt64, writeCalls: UInt64?) {
    writesBefore = writeCalls
    start = time
    recorded = 0
    recordedWrites = 0
    sliceStart = time
    isRecording = true
    next = time + Self.slice
  }

  /// Counts calls that write, of which the records of the slices tell.
  mutating func noteWrites(_ count: UInt64, at time: UInt64) {
    if let start, time >= start { recordedWrites += count }
  }

  /// Changes over; true when recording is on from here.
  mutating func change(at time: UInt64) -> Bool {
    if isRecording {
      lastSlice = time &- sliceStart
      recorded += lastSlice
      next = time + Self.turn - Self.slice
    } else {
      sliceStart = time
      next = time + Self.slice
    }
    isRecording.toggle()
    return isRecording
  }

  /// Everything is recorded again from here.
  mutating func end(at time: UInt64, writeCalls: UInt64?) {
    guard let start else { return }
    if isRecording, time > sliceStart { recorded += time - sliceStart }
    let written = writeCalls.flatMap { total in writesBefore.map { total &- $0 } }
    list.append(
      .init(
        fromNs: start, toNs: time, recordedNs: recorded, writeCalls: written,
        recordedWriteCalls: recordedWrites))
    self.start = nil
    isRecording = true
    next = .max
  }
}
