import TraceModel

/// The part that a thread plays, each with an expectation of its own.
package enum ThreadRole: String, Sendable, CaseIterable {
  /// Plays the main thread's part: runs MainActor and the main queue.
  case main
  /// Runs channels of SwiftNIO; blocking it stalls all of them.
  case eventLoop = "event loop"
  /// Runs Swift tasks; there are as many as CPUs, and one that blocks is one less.
  case cooperativePool = "cooperative pool"
  /// Runs work of dispatch queues.
  case dispatchWorker = "dispatch worker"
  /// Runs blocking work for SwiftNIO: it may block.
  case threadPool = "thread pool"
  case other

  /// Whether work that others wait for stalls when such a thread blocks.
  package var isCritical: Bool { [.main, .eventLoop, .cooperativePool].contains(self) }
}

/// A function by which a thread's part is known.
struct RoleSignature {
  var function: String
  var role: ThreadRole
  /// Where the row was seen.
  var seenIn: String

  /// The first row that any stack of a thread matches gives its part.
  static let functions: [RoleSignature] = [
    .init(function: "SelectableEventLoop.run", role: .eventLoop, seenIn: "SwiftNIO 2.101.2"),
    .init(function: "NIOThreadPool.process", role: .threadPool, seenIn: "SwiftNIO 2.101.2"),
    .init(function: "NIOThreadPool._process", role: .threadPool, seenIn: "SwiftNIO 2.101.2"),
    .init(function: job, role: .cooperativePool, seenIn: "the runtime of Swift 6.3.1"),
    .init(
      function: "_dispatch_worker_thread", role: .dispatchWorker,
      seenIn: "libdispatch of Swift 6.3.1"),
    .init(
      function: "_dispatch_mgr_invoke", role: .dispatchWorker, seenIn: "libdispatch of Swift 6.3.1"),
  ]

  /// A job of Swift concurrency runs under it (runtime of Swift 6.3.1).
  static let job = "swift_job_run"
  /// libdispatch drains a serial queue, as it does the main queue once the first thread is parked (Swift 6.3.1).
  static let serialDrain = ["_dispatch_lane_serial_drain", mainDrain]
  /// It drains the main queue on the first thread, as a run loop has it do.
  static let mainDrain = "_dispatch_main_queue_drain"
  /// The first thread when it has left the main queue to workers (Swift 6.3.1).
  static let parked = "_dispatch_sigsuspend"

  /// Thread names by their beginnings or ends, for threads without a stack.
  static func role(ofThreadNamed name: String) -> ThreadRole {
    if name.hasPrefix("NIO-ELT-") || name.hasPrefix("NIO-SGLTN") { return .eventLoop }
    if name.hasPrefix("TP-#") { return .threadPool }
    let workers = ["-qos", "-qos.overcommit", ".overcommit", "qos.cooperative", ".cooperative"]
    return workers.contains(where: name.hasSuffix) ? .dispatchWorker : .other
  }
}

/// Finds the part that each thread plays.
struct ThreadRoles {
  private let subject: SubjectView
  private let main: Int32?
  private var stacks: StackSigns
  /// What stacks alone do not tell.
  let cut: CutStackWork

  init(_ subject: SubjectView, main: Int32?) {
    self.subject = subject
    self.main = main
    stacks = StackSigns(subject.trace.stacks)
    cut = CutStackWork(of: subject, besides: subject.pid, &stacks)
  }

  mutating func role(of thread: ThreadModel) -> ThreadRole {
    if thread.tid == main { return .main }
    if cut.taskWaits[thread.tid] != nil { return .cooperativePool }
    var found: RoleSigns = []
    for stack in thread.intervals.totals.stacks { found.formUnion(stacks.signs(of: stack)) }
    for sample in subject.trace.processorSamples where sample.tid == thread.tid {
      found.formUnion(stacks.signs(of: sample.stack))
    }
    for row in RoleSignature.functions where found.contains(.function(of: row.role)) {
      // The first thread runs MainActor's jobs until it is parked, and is never one of the pool.
      let isOfPool = found.contains(.pooledJob) && thread.tid != subject.pid
      if row.role == .cooperativePool, !isOfPool { continue }
      return row.role
    }
    return RoleSignature.role(ofThreadNamed: thread.name)
  }

  /// What a thread did in Swift tasks on the pool.
  mutating func pooledWork(of thread: ThreadModel, in intervals: ThreadHistory) -> [ThreadInterval]
  {
    let jobs = intervals.totals.stacks.filter { stacks.signs(of: $0).contains(.pooledJob) }
    let waits = cut.taskWaits[thread.tid] ?? []
    return intervals.filter {
      $0.stack.map(jobs.contains) == true || waits.contains($0.start)
    }
  }
}
