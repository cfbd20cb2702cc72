import PerfData

/// What is made of an event's samples.
struct EventHandler: Sendable {
  enum Order {
    /// Each in its place among all records.
    case inPlace
    /// Before all else, wherever they stand in the file.
    case first
    /// Before all else, and again in their places.
    case firstAndInPlace
  }

  let order: Order
  /// Of an event that a trace may hold millions of.
  let frequent: FrequentEvent.Kind?
  private let decode: SampleDecoder
  /// What is made of a sample where only the names of stacks are wanted.
  private let names: SampleDecoder?

  /// What is done with a sample in its place.
  var inPlace: SampleDecoder? { order == .first ? nil : decode }
  /// What is done with a sample before all else.
  var first: SampleDecoder? { order == .inPlace ? nil : decode }

  /// The same where only the names of stacks are wanted; nil where it tells nothing of these.
  var forNames: EventHandler? {
    names.map { EventHandler(order: order, frequent: nil, decode: $0, names: $0) }
  }

  static func each(
    _ decode: @escaping SampleDecoder, names: SampleDecoder? = nil
  ) -> EventHandler {
    EventHandler(order: .inPlace, frequent: nil, decode: decode, names: names)
  }

  static func frequent(
    _ kind: FrequentEvent.Kind, _ decode: @escaping SampleDecoder, names: SampleDecoder? = nil
  ) -> EventHandler {
    EventHandler(order: .inPlace, frequent: kind, decode: decode, names: names)
  }

  static func first(again: Bool = false, _ decode: @escaping SampleDecoder) -> EventHandler {
    EventHandler(
      order: again ? .firstAndInPlace : .first, frequent: nil, decode: decode, names: decode)
  }
}

/// Which decoder has each event: a line for each.
enum EventDispatch {
  static let handlers: [String: EventHandler] = [
    "sched:sched_switch": .frequent(
      .scheduleSwitch, SchedulerDecoder.schedSwitch, names: NameDecoder.schedSwitch),
    "sched:sched_waking": .frequent(.scheduleWaking, SchedulerDecoder.schedWaking),
    "sched:sched_wakeup_new": .each(SchedulerDecoder.schedWakeupNew),
    "sched:sched_switch/stack/": .each(SchedulerDecoder.blockedStack, names: NameDecoder.stack),
    "context-switches": .each(SchedulerDecoder.leavingStack, names: NameDecoder.leavingStack),
    "cpu-clock": .each(SchedulerDecoder.processorSample, names: NameDecoder.stackOrPlace),
    "raw_syscalls:sys_enter": .frequent(.systemCallEnter, SystemCallDecoder.sysEnter),
    "raw_syscalls:sys_exit": .frequent(.systemCallExit, SystemCallDecoder.sysExit),
    "raw_syscalls:sys_exit/spin/": .each(SpinCallDecoder.sysExit),
    "raw_syscalls:sys_exit/wait/": .each(SchedulerDecoder.leftEventWait),
    "raw_syscalls:sys_exit/stack/": .each(CallSiteDecoder.write, names: NameDecoder.stack),
    "syscalls:sys_enter_fsync": .each(SystemCallDecoder.syncEnter),
    "syscalls:sys_enter_fdatasync": .each(SystemCallDecoder.syncEnter),
    "syscalls:sys_enter_mmap": .each(IOUringDecoder.mapped),
    "io_uring:io_uring_submit_req": .each(IOUringDecoder.submitted),
    "io_uring:io_uring_file_get": .each(IOUringDecoder.fileFound),
    "io_uring:io_uring_complete": .each(IOUringDecoder.completed),
    "sock:sock_send_length": .each(SocketDecoder.send),
    "sock:sock_send_length/stack/": .each(CallSiteDecoder.send, names: NameDecoder.stack),
    "sock:sock_recv_length": .each(SocketDecoder.receive),
    "sock:inet_sock_set_state": .each(SocketDecoder.setState),
    "offcpu-time": .each(BlockedSampleDecoder.offCPU, names: NameDecoder.stack),
    "lock:contention_begin": .each(
      BlockedSampleDecoder.contentionBegin, names: BlockedSampleDecoder.contentionBegin),
    "lock:contention_end": .each(
      BlockedSampleDecoder.contentionEnd, names: NameDecoder.contentionEnd),
    "signal:signal_generate": .each(SignalDecoder.generate),

    // The recorder's probes, without its pid in their group's name.
    "lull_*:open64": .each(PathProbeDecoder.opening),
    "lull_*:openat64": .each(PathProbeDecoder.opening),
    "lull_*:open": .each(PathProbeDecoder.opening),
    "lull_*:openat": .each(PathProbeDecoder.opening),
    "lull_*:open64_ret": .each(PathProbeDecoder.opened),
    "lull_*:openat64_ret": .each(PathProbeDecoder.opened),
    "lull_*:open_ret": .each(PathProbeDecoder.opened),
    "lull_*:openat_ret": .each(PathProbeDecoder.opened),
    "lull_*:rename": .each(PathProbeDecoder.renamed),
    "lull_*:renameat": .each(PathProbeDecoder.renamed),
    "lull_*:renameat2": .each(PathProbeDecoder.renamed),
    "lull_*:unlink": .each(PathProbeDecoder.unlinked),
    "lull_*:unlinkat": .each(PathProbeDecoder.unlinked),
    "lull_*:swift_task_create": .each(JobDecoder.created),
    "lull_*:swift_task_enqueue": .each(JobDecoder.enqueued),
    "lull_*:swift_job_run": .each(JobDecoder.began, names: NameDecoder.job),
    "lull_*:swift_job_run_ret": .each(JobDecoder.ended),
    "lull_*:dispatch_queue_create_with_target": .each(
      QueueDecoder.creating, names: QueueDecoder.creating),
    "lull_*:dispatch_queue_create_with_target_ret": .each(
      QueueDecoder.created, names: QueueDecoder.created),
    "lull_*:fwrite": .each(TestRunnerDecoder.written),
    "lull_*:fputs": .each(TestRunnerDecoder.put),

    // The one at the end tells the slices of time that were recorded.
    SyntheticEvent.capture.rawValue: .first(again: true, SyntheticDecoder.capture),
    // It stands at the end, and may tell what part of the trace is looked at.
    SyntheticEvent.trigger.rawValue: .first(SyntheticDecoder.trigger),
    SyntheticEvent.threadIDs.rawValue: .first(SyntheticDecoder.threadIDs),
    SyntheticEvent.kernelSymbol.rawValue: .first(SyntheticDecoder.kernelSymbol),
    SyntheticEvent.symbol.rawValue: .first(SyntheticDecoder.symbol),
    SyntheticEvent.stack.rawValue: .first(SyntheticDecoder.stack),
    SyntheticEvent.footprint.rawValue: .each(SyntheticDecoder.footprint),
    SyntheticEvent.process.rawValue: .each(SyntheticDecoder.process),
    SyntheticEvent.descriptor.rawValue: .each(SyntheticDecoder.descriptor),
    SyntheticEvent.counter.rawValue: .each(SyntheticDecoder.counter),
    SyntheticEvent.mark.rawValue: .each(SyntheticDecoder.mark),
    SyntheticEvent.held.rawValue: .each(SyntheticDecoder.held),
    SyntheticEvent.queue.rawValue: .each(SyntheticDecoder.queue, names: SyntheticDecoder.queue),
    SyntheticEvent.wait.rawValue: .each(SyntheticDecoder.wait),
    SyntheticEvent.site.rawValue: .each(CallSiteDecoder.again),
    SyntheticEvent.content.rawValue: .each(SyntheticDecoder.content),
  ]

  /// Whether it is known what a tracepoint's fields say: of one that Lull reads or records, and of numbers alone.
  static func isUnderstood(_ format: TracepointFormat) -> Bool {
    let name = "\(format.system):\(format.name)"
    if handlers[name] != nil || name == "sched:sched_process_exec"
      || format.system.hasPrefix("lull_")
    {
      return true
    }
    return format.fields.allSatisfy { field in
      let isTask = field.name.hasSuffix("comm") && field.size == 16
      return isTask || !field.isArray && !field.isDynamic && !field.typeName.hasPrefix("__be")
    }
  }

  /// The handler of an attribute's samples; nil where nothing is made of them.
  static func handler(for event: EventAttribute) -> EventHandler? {
    // Whatever modifiers perf has in their names.
    if event.samplingRank != nil { return handlers["cpu-clock"] }
    if event.name.hasPrefix("lull_"), let colon = event.name.firstIndex(of: ":") {
      // Those in a second library, or in the program itself, have its number in their names.
      let words = event.name[colon...].split(separator: "_")
      return handlers["lull_*" + words.filter { Int($0) == nil }.joined(separator: "_")]
    }
    return handlers[event.name]
  }
}
