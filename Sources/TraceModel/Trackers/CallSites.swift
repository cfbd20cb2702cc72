import Quantities

/// A stack that was taken of one write or send of many.
struct CallSiteSample {
  var time: Timestamp
  var tid: Int32
  var stack: Int
}

/// The stacks that were taken of writes and sends, and those that were told again by when they were told first.
struct CallSites {
  private(set) var writes: [CallSiteSample] = []
  private(set) var sends: [CallSiteSample] = []
  /// By thread and time.
  private var told: [Int32: [UInt64: (stack: Int, isSend: Bool)]] = [:]

  /// A stack of a thread that was told longer ago is told anew where it comes again; those may be forgotten when there
  /// are so many.
  private static let longestMemory: UInt64 = 10_000_000_000
  private static let mostStacks = 256

  mutating func add(_ sample: CallSiteSample, isSend: Bool) {
    if isSend { sends.append(sample) } else { writes.append(sample) }
    var own = told.removeValue(forKey: sample.tid) ?? [:]
    if own.count >= Self.mostStacks {
      let time = sample.time.nanoseconds
      let oldest = time - min(time, Self.longestMemory)
      own = own.filter { $0.key >= oldest }
    }
    own[sample.time.nanoseconds] = (sample.stack, isSend)
    told[sample.tid] = own
  }

  /// A thread made such a call from where it did at an earlier time; nothing where that is not in the trace.
  mutating func add(at time: Timestamp, tid: Int32, asAt earlier: UInt64) {
    guard let known = told[tid]?[earlier] else { return }
    let sample = CallSiteSample(time: time, tid: tid, stack: known.stack)
    if known.isSend { sends.append(sample) } else { writes.append(sample) }
  }
}
