/// Says what bursts were for, by the first class that fits (DESIGN section 5).
enum BurstClassifier {
  /// A large burst is longer than this.
  static let largeSeconds = 5.0
  /// A large burst has more bytes than this.
  static let largeBytes: UInt64 = 100_000
  /// Fewest bursts to one host that can be periodic.
  static let fewestPeriodic = 3

  static func classify(_ bursts: inout [Burst], groups: [[NetworkTransfer]]) {
    var candidates: [Int] = []
    for index in bursts.indices {
      guard let own = classByItself(bursts[index], groups[index]) else {
        candidates.append(index)
        continue
      }
      bursts[index].class = own
    }
    for index in candidates { bursts[index].class = .application }
    var byHost: [String: [Int]] = [:]
    for index in candidates {
      for host in bursts[index].remotes { byHost[host, default: []].append(index) }
    }
    for indices in byHost.values {
      let starts = indices.map { bursts[$0].start }
      for run in periodicRuns(starts) {
        for index in indices[run] { bursts[index].class = .periodic }
      }
    }
  }

  private static func classByItself(_ burst: Burst, _ group: [NetworkTransfer]) -> BurstClass? {
    let bytes = burst.bytesSent &+ burst.bytesReceived
    if burst.durationSeconds > largeSeconds, bytes > largeBytes { return .large }
    if bytes == 0 { return .connectionControl }
    let payload = group.filter { $0.bytesUp > 0 || $0.bytesDown > 0 }
    if payload.allSatisfy(\.isRetransmission) { return .retransmission }
    // A connection that the program opens in this burst makes it the program's own doing.
    if let first = group.first, first.bytesDown > 0, first.bytesUp == 0 { return .serverInitiated }
    return nil
  }

  /// Longest runs of three or more times at a regular interval.
  static func periodicRuns(_ times: [Double]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var low = 0
    while times.count - low >= fewestPeriodic {
      var high = low + 2
      while high <= times.count, isRegular(times[low..<high]) { high += 1 }
      // `high` is one past the longest slice that is still regular.
      if high - 1 - low >= fewestPeriodic {
        runs.append(low..<(high - 1))
        low = high - 1
      } else {
        low += 1
      }
    }
    return runs
  }

  /// Whether each interval is within ±1 s or ±10 % of their mean.
  ///
  /// Below 4 s the second is cut to a quarter of the mean, or any quick exchange would be regular.
  private static func isRegular(_ times: ArraySlice<Double>) -> Bool {
    guard let first = times.first, let last = times.last, times.count >= 2 else { return false }
    let mean = (last - first) / Double(times.count - 1)
    let tolerance = max(mean * 0.1, min(1, mean * 0.25))
    return zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - mean) <= tolerance }
  }
}
