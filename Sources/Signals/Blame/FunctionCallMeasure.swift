import TraceModel

/// System calls by function: how many, and how long the threads waited in them.
///
/// The time is that off a CPU, by the scheduler's events. How many calls there were is known of what is recorded one by
/// one (writes to files, syncs, sends); of the others those are known that waited. Waits for events are none's cost.
struct FunctionCallMeasure {
  /// Rows at most, the costliest.
  static let rowLimit = 200

  private struct Key: Hashable {
    var function: String
    var module: String
    var call: String
  }

  private struct Row {
    var call: FunctionCall
    /// Of the line that is shown.
    var weight = 0.0
  }

  let subject: SubjectView
  private var rows: [Key: Row] = [:]

  init(_ subject: SubjectView) { self.subject = subject }

  static func measure(_ subject: SubjectView, _ samples: BlameSamples) -> [FunctionCall] {
    var measure = FunctionCallMeasure(subject)
    measure.add(waits: samples.samples(of: .blocked))
    measure.add(operations: .write, as: "write", samples)
    measure.add(operations: .sync, as: "sync", samples)
    measure.add(counted: samples.samples(of: .network), as: "send")
    return measure.rows.values.map(\.call).sorted {
      ($1.seconds, $1.calls ?? Double($1.waits), $0.function, $0.call)
        < ($0.seconds, $0.calls ?? Double($0.waits), $1.function, $1.call)
    }.prefix(rowLimit).map { $0 }
  }

  private mutating func add(waits: [BlameSample]) {
    var calls: [Int: String?] = [:]
    for sample in waits {
      guard let stack = sample.stack, let cause = sample.cause else { continue }
      let name =
        calls[stack] ?? WaitingCall.name(of: subject.trace.stacks.frames(of: stack))
      calls[stack] = .some(name)
      guard let name else { continue }
      update(stack, Self.kind(of: name, cause), weight: sample.seconds) {
        $0.waits += sample.events
        $0.seconds += sample.seconds
      }
    }
  }

  private mutating func add(
    operations kind: FileOperation.Kind, as name: String, _ samples: BlameSamples
  ) {
    add(counted: samples.operations(of: kind), as: name)
  }

  private mutating func add(counted samples: [BlameSample], as name: String) {
    for sample in samples {
      update(sample.stack, name, weight: 0) { $0.calls = ($0.calls ?? 0) + sample.count }
    }
  }

  private mutating func update(
    _ stack: Int?, _ name: String, weight: Double, _ change: (inout FunctionCall) -> Void
  ) {
    let known = stack.map { subject.trace.stacks.frames(of: $0).blamed } ?? Frame.noStack
    guard let frame = known else { return }
    let key = Key(function: frame.displayName, module: frame.module, call: name)
    var row =
      rows.removeValue(forKey: key)
      ?? Row(
        call: FunctionCall(
          function: key.function, module: key.module, file: frame.file, line: frame.line,
          call: name, calls: nil, waits: 0, seconds: 0))
    if weight > row.weight {
      (row.call.file, row.call.line, row.weight) = (frame.file, frame.line, weight)
    }
    change(&row.call)
    rows[key] = row
  }

  private static let writes: Set = [
    "write", "pwrite", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range",
  ]
  private static let reads: Set = [
    "read", "pread", "pread64", "readv", "preadv", "preadv2",
  ]
  private static let syncs: Set = [
    "fsync", "fdatasync", "msync", "sync_file_range", "sync", "syncfs",
  ]
  private static let sends: Set = ["send", "sendto", "sendmsg", "sendmmsg"]
  private static let receives: Set = ["recv", "recvfrom", "recvmsg", "recvmmsg"]

  /// One name for what does the same: `pwrite64` is a write, `writev` on a socket a send.
  static func kind(of call: String, _ cause: WaitCause) -> String {
    let isNetwork = cause == .network
    if syncs.contains(call) { return "sync" }
    if sends.contains(call) || isNetwork && writes.contains(call) { return "send" }
    if receives.contains(call) || isNetwork && reads.contains(call) { return "receive" }
    if writes.contains(call) { return "write" }
    return reads.contains(call) ? "read" : call
  }
}
