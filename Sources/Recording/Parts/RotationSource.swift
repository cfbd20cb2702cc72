import PerfData

/// Changes the recording's file when it is time, when it is large, or when the recorder is told to (SIGHUP).
final class RotationSource: RecordingSource {
  weak var recording: Recording?
  private let rotation: Rotation
  private var due = UInt64.max
  private var isAsked = false

  init(_ rotation: Rotation) { self.rotation = rotation }

  func start(at time: UInt64) { schedule(time) }

  private func schedule(_ now: UInt64) {
    due = rotation.every.map { now &+ UInt64(max(1, $0.nanoseconds)) } ?? .max
  }

  /// A new part begins with the next round.
  func ask() { isAsked = true }

  func nextDue(now: UInt64) -> UInt64 { isAsked ? now : due }

  func collect(_ round: Round) throws(PerfDataError) {
    guard !round.isLast, let recording else { return }
    let isLarge = rotation.bytes.map { round.sink.byteCount >= $0 } ?? false
    guard isAsked || isLarge || round.now >= due else { return }
    isAsked = false
    schedule(round.now)
    try recording.rotate(rotation, round)
  }
}
