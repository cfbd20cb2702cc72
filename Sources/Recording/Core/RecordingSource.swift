import PerfData

/// Something that a recording takes in: perf events, readings of /proc, marks, files that were written.
///
/// A recording is a list of these, in the order in which they collect. In each round of its loop (`RecordingSession`) a
/// slice of time may begin or end; all prepare; each collects, and what it saw is told to all. Only what a source does
/// otherwise than most needs to be written: the rest has defaults.
protocol RecordingSource: AnyObject {
  /// The events under which it writes records, besides Lull's own.
  var attributes: [EventAttribute] { get }

  /// What it cannot record, as far as that is known by now.
  var unavailable: [CaptureEvent.Unavailable] { get }

  /// Records that found no room.
  var lostRecords: UInt64 { get }

  /// Since when what was lost since this was last asked may be missing; nil where that is since the round before.
  func takeLossBeginning() -> UInt64?

  /// The recording begins.
  func start(at time: UInt64)

  // MARK: What is waited for

  /// What becomes readable when there is something to collect.
  func descriptors(now: UInt64) -> [Int32]

  /// When it has something to do at the latest.
  func nextDue(now: UInt64) -> UInt64

  /// Whether a slice of time is being recorded: until that is due nothing else is waited for, since it would hold up
  /// its end.
  var isInSlice: Bool { get }

  // MARK: A round

  /// Begins or ends a slice that is due; true where one began, which ends the round. It comes first of all: a slice
  /// that is over costs the target until it ends.
  func changeSlice(now: UInt64) -> Bool

  /// Takes out of the kernel what must be older than what other sources collect after it.
  func prepare()

  /// Writes what there is.
  func collect(_ round: Round) throws(PerfDataError)

  /// Another source, or this one, saw something.
  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError)

  // MARK: Parts

  /// A part of the recording ends (`RecordingParts`): writes what is known only then, and can `describe` that part.
  func endPart(_ round: Round) throws(PerfDataError)

  /// The next part begins: writes what stands, of which its records would not tell, and describes it alone from here.
  func beginPart(_ round: Round) throws(PerfDataError)

  /// A part is written to where it may be read alone: adds names that it needs, whichever part they were first in.
  func writeOut(_ round: Round) throws(PerfDataError)

  // MARK: The end

  /// Ends what runs in the kernel and in the target. There may be one more round.
  func stop()

  /// Writes what is known only at the end, after the last round.
  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError)

  /// Takes back what it put into the kernel or a folder, once the trace is written; leaves what takes long.
  func remove(_ leftovers: Leftovers)

  /// Of how many processes it has told by now that it records them: where these become more that is told meanwhile, for
  /// a recording that is killed.
  var namedProcesses: Int { get }

  /// Adds what it tells of the recording as a whole, at the beginning and at the end.
  func describe(_ summary: inout RecordingSummary)
}

extension RecordingSource {
  var attributes: [EventAttribute] { [] }
  var unavailable: [CaptureEvent.Unavailable] { [] }
  var lostRecords: UInt64 { 0 }
  func takeLossBeginning() -> UInt64? { nil }
  func start(at time: UInt64) {}
  func descriptors(now: UInt64) -> [Int32] { [] }
  func nextDue(now: UInt64) -> UInt64 { .max }
  var isInSlice: Bool { false }
  func changeSlice(now: UInt64) -> Bool { false }
  func prepare() {}
  func collect(_ round: Round) throws(PerfDataError) {}
  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {}
  func endPart(_ round: Round) throws(PerfDataError) {}
  func beginPart(_ round: Round) throws(PerfDataError) {}
  func writeOut(_ round: Round) throws(PerfDataError) {}
  func stop() {}
  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {}
  func remove(_ leftovers: Leftovers) {}
  var namedProcesses: Int { 0 }
  func describe(_ summary: inout RecordingSummary) {}
}

/// What is told of a recording as a whole.
struct RecordingSummary {
  var capture: CaptureEvent
  var features: FileFeatures
}
