import PerfData
import TraceModel

/// Counts rewrites whose content was read before and after, and what they changed.
///
/// A comparison counts only between one content of a file and the next: what was read while it was being written, and
/// contents between which another was missed, tell nothing of a rewrite.
struct ContentComparison {
  /// What came of the comparisons of one file.
  struct Outcome {
    var compared = 0
    var equal = 0
    var changedBytes: UInt64 = 0
    var comparedBytes: UInt64 = 0
  }

  private struct Reading {
    var generation: Int
    var event: ContentEvent
    /// The generation that the event compares with, where that was read whole.
    var before: Int?
  }

  private var last: [String: Reading] = [:]
  private var outcomes: [String: Outcome] = [:]

  /// A content was read; `generation` is the number of the file's present one, nil where nothing was written to it.
  mutating func read(_ event: ContentEvent, generation: Int?) {
    let before = settle(event.path)
    guard let generation else { return }
    last[event.path] = Reading(generation: generation, event: event, before: before)
  }

  /// More was written: what was read of this generation was a part.
  mutating func wrote(to path: String, generation: Int?) {
    guard let reading = last[path], reading.generation == generation else { return }
    last[path] = nil
  }

  /// The outcome for each file.
  mutating func finish() -> [String: Outcome] {
    for path in last.keys { _ = settle(path) }
    return outcomes
  }

  /// Counts the last reading of a path, which nothing disproved; gives its generation.
  private mutating func settle(_ path: String) -> Int? {
    guard let reading = last.removeValue(forKey: path) else { return nil }
    if let before = reading.before, reading.generation == before + 1,
      let isEqual = reading.event.isEqual
    {
      var outcome = outcomes[path] ?? Outcome()
      outcome.compared += 1
      outcome.equal += isEqual ? 1 : 0
      outcome.changedBytes &+= reading.event.changedBytes ?? 0
      outcome.comparedBytes &+= reading.event.size
      outcomes[path] = outcome
    }
    return reading.generation
  }
}
