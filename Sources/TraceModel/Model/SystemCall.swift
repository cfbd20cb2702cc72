import PerfData

/// One system call that came back.
public struct SystemCall: Sendable {
  /// What many calls have in common.
  public struct Shape: Hashable, Sendable {
    public var pid: Int32
    public var tid: Int32
    /// The call's number on the machine that recorded.
    public var number: Int32
    /// It came back with an error.
    public var hasFailed: Bool
    /// Its beginning was recorded.
    public var isTimed: Bool
  }

  public var shape: Shape
  /// When it came back.
  public var time: Timestamp
  /// From its beginning to its end; zero where its beginning was not recorded.
  public var duration: TimeSpan
}

/// System calls in the order of their ends, as a recording of `raw_syscalls` tells them.
public typealias SystemCalls = OperationLog<SystemCall.Shape>

extension OperationLog where Kind == SystemCall.Shape {
  mutating func append(_ call: SystemCall) {
    append(
      Entry(
        kind: number(of: call.shape, hint: Int(call.shape.tid) &+ 61 &* Int(call.shape.number)),
        time: call.time.nanoseconds, bytes: 0, duration: call.duration))
  }

  /// The calls that are wanted, as if only they had been recorded.
  func filtered(_ isWanted: (SystemCall) -> Bool) -> SystemCalls {
    var result = SystemCalls()
    forEach { if isWanted($0) { result.append($0) } }
    return result
  }

  private func forEach(_ body: (SystemCall) -> Void) {
    for entry in entries {
      body(
        SystemCall(
          shape: kinds[entry.kind], time: Timestamp(nanoseconds: entry.time),
          duration: entry.duration))
    }
  }

  /// How often each thread made each call and how long they took.
  public var totals: [SystemCallTotals.Key: SystemCallTotals] {
    var byKind = ContiguousArray(repeating: SystemCallTotals(), count: kinds.count)
    for entry in entries {
      byKind[entry.kind].add(kinds[entry.kind], entry.duration)
    }
    var result: [SystemCallTotals.Key: SystemCallTotals] = [:]
    for (shape, totals) in zip(kinds, byKind) {
      let key = SystemCallTotals.Key(pid: shape.pid, tid: shape.tid, number: shape.number)
      result[key, default: SystemCallTotals()].add(totals)
    }
    return result
  }
}

/// Sums over one thread's calls of one number.
public struct SystemCallTotals: Sendable {
  /// Whose calls of what.
  public struct Key: Hashable, Sendable {
    public var pid: Int32
    public var tid: Int32
    public var number: Int32
  }

  public private(set) var count = 0
  public private(set) var errors = 0
  /// Calls whose beginning was recorded: the times are of these.
  public private(set) var timed = 0
  public private(set) var total = TimeSpan.zero
  public private(set) var shortest: TimeSpan?
  public private(set) var longest: TimeSpan?

  public init() {}

  mutating func add(_ shape: SystemCall.Shape, _ duration: TimeSpan) {
    count += 1
    if shape.hasFailed { errors += 1 }
    guard shape.isTimed else { return }
    timed += 1
    total += duration
    shortest = min(shortest ?? duration, duration)
    longest = max(longest ?? duration, duration)
  }

  /// Takes in the sums of other calls.
  public mutating func add(_ other: SystemCallTotals) {
    count += other.count
    errors += other.errors
    timed += other.timed
    total += other.total
    shortest = [shortest, other.shortest].compactMap { $0 }.min()
    longest = [longest, other.longest].compactMap { $0 }.max()
  }
}
