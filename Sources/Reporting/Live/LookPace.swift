/// How often a live view is made: looking takes a quarter of a core at most.
///
/// It goes by the CPU time of a look, not by how long it took: on a machine that is busy, where a view is wanted most,
/// most of that is waiting for a CPU.
public enum LookPace {
  private static let share = 0.25

  /// Seconds from the beginning of one look to that of the next.
  public static func seconds(interval: Double, cpuSeconds: Double) -> Double {
    max(interval, cpuSeconds / share)
  }
}
