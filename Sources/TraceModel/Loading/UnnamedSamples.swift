import PerfData

/// The samples that hold a copy of a stack of which no names were found, so that the copy has to stay: few, as a rule.
///
/// Samples are told by their times and threads, and what has names of one moment has it for all of that moment.
struct UnnamedSamples {
  private(set) var moments: Set<SampleMoment> = []
  /// The threads of which samples of the present time have names.
  private var named: Set<Int32> = []
  private var time: UInt64 = 0

  /// Takes in the next sample in order of time.
  mutating func note(_ moment: SampleMoment, isCopy: Bool, isNamed: Bool) {
    if moment.time != time {
      time = moment.time
      if !named.isEmpty { named.removeAll(keepingCapacity: true) }
    }
    if isNamed {
      named.insert(moment.tid)
      if !moments.isEmpty { moments.remove(moment) }
    } else if isCopy, !named.contains(moment.tid) {
      moments.insert(moment)
    }
  }
}
