import Quantities

/// CPU time of threads and processes that began and ended between two looks, as far as the kernel's sums tell of it.
struct OutsideUntold {
  /// CPU time in nanoseconds: what processes had used by their last looks since their threads had been listed, how much
  /// of that is told of these, and all that is.
  private var sums = (used: UInt64(0), counted: UInt64(0), told: UInt64(0))
  private var missing: UInt64 = 0
  private var used: UInt64 = 0

  /// Less is what every recording of a short program lacks at its end.
  private static let least: UInt64 = 20_000_000
  private static let smallShare = 0.02

  /// A process has ended, or the recording.
  mutating func add(_ process: OutsideProcess) {
    let counted = process.counted
    sums.used += counted.used
    sums.counted += counted.told
    sums.told += process.usedAsTold
  }

  /// The recording ends, with its command or while it runs on: with it the kernel tells the sum of all that it waited
  /// for, else what each process has used.
  mutating func finish(_ processes: [OutsideProcess], _ end: WrappedCommand.End?) {
    for process in processes { add(process) }
    let told = end == nil ? sums.counted : sums.told
    used = end?.usedWithChildren ?? sums.used
    missing = used - min(used, told)
  }

  /// What is to be said of it; nil where it is little.
  var text: String? {
    guard missing >= Self.least, Double(missing) >= Self.smallShare * Double(used) else {
      return nil
    }
    func seconds(_ nanoseconds: UInt64) -> String { Figures.seconds(Double(nanoseconds) / 1e9) }
    return "of \(seconds(used)) of CPU time \(seconds(missing)) are of threads and"
      + " processes that began and ended between two looks: nothing else is known of these"
  }
}
