/// By what the samples of a process are known that have, as a rule, the same stack: a hash, which a trace may hold.
///
/// A server's threads wait at a dozen places: to tell the time of each wait with its stack took an eighth of a trace.
enum StackKey {
  /// Of a sample's callchain, which is there still when the copy of its stack is not; nil without one.
  static func of(pid: Int32, callchain: [UInt64]) -> Int? {
    callchain.isEmpty ? nil : hash(pid, callchain)
  }

  /// Of what tells the function with which a job goes on.
  static func of(pid: Int32, resume: UInt64, callers: [UInt64], executor: UInt64) -> Int {
    hash(pid, [resume, executor] + callers)
  }

  /// Of 62 bits, so that it can be told as any other number.
  private static func hash(_ pid: Int32, _ words: [UInt64]) -> Int {
    var sum = UInt64(UInt32(bitPattern: pid)) &* 0x9E37_79B1_85EB_CA87
    for word in words {
      sum = (sum ^ word) &* 0x9E37_79B1_85EB_CA87
      sum ^= sum >> 29
    }
    return Int(sum >> 2)
  }
}

/// A sample that has a stack.
struct StackedSample {
  var time: UInt64
  var tid: Int32
  /// The number of its stack.
  var stack: Int
  /// By what it is known besides; nil where there is nothing.
  var key: Int?
}
