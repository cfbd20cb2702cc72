import Quantities

/// CPU time of threads and processes that began and ended between two looks, as far as the kernel's sums tell of it.
struct OutsideUntold {
  /// What was told of the threads of processes that have ended, in nanoseconds.
  private var toldOfEnded: UInt64 = 0
  private var missing: UInt64 = 0
  private var used: UInt64 = 0

  /// Less is what every recording of a short program lacks at its end.
  private static let least: UInt64 = 20_000_000
  private static let smallShare = 0.02

  mutating func ended(_ process: OutsideProcess) { toldOfEnded += process.usedAsTold }

  /// The recording ends, with its command or while it runs on: with it the kernel tells the sum of all that it waited
  /// for, else what each process has used.
  mutating func finish(_ processes: [OutsideProcess], _ end: WrappedCommand.End?) {
    let told = processes.reduce(0) { $0 + $1.usedAsTold }
    if let end {
      used = end.usedWithChildren
      missing = used - min(used, told + toldOfEnded)
    } else {
      used = processes.reduce(0) { $0 + ($1.used ?? $1.usedAsTold) }
      missing = used - min(used, told)
    }
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
