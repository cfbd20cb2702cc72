import PerfData
import Quantities

/// Everything that decoders fill in; one value, so that each event's decoder is a function over it.
struct LoaderState: ~Copyable {
  /// What goes into the trace as it is decoded.
  var tables = Tables()
  var schedule = ScheduleTracker()
  var sockets = SocketTracker()
  var descriptors = DescriptorTracker()
  var folders = WorkingFolders()
  var descriptorSockets = DescriptorSockets()
  var stacks: StackTracker
  var processes = ProcessTracker()
  var wakeups = WakeupPacker()
  /// Wakes were recorded, so that one which is not there was missed.
  var hasWakeups = false
  var operations = PendingOperations()
  var jobs = JobTracker()
  var tests = TestTracker()
  var callSites = CallSites()
  var capture: CaptureEvent?
  /// What the finished parts of the recording before its part tell.
  var partsBefore: CaptureEvent?
  /// When that was written.
  var captureTime: Timestamp?
  var trigger: TriggerEvent?
  /// Of the recorder's own events that are longer than a record.
  var parts = SyntheticJoiner()
  var weights = SampleWeights()
  /// When each thread entered its present sync call.
  var syncStarts: [Int32: Timestamp] = [:]
  /// Requests to io_uring that are under way, by the kernel's address.
  var ringRequests: [Int64: IOUringDecoder.Request] = [:]
  var unseen = UnseenWrites()
  var calls = SystemCallTracker()
  /// The trace has every call's end.
  var countsCalls = false
  /// No SWITCH record tells when a thread gets a CPU: what it does there has to.
  var infersRuns = false
  /// Where the trace has each call beside the switches: what its number tells of the waits in it.
  var callWaits: CallWaits?
  /// Paths given to open by the probe, until its return tells the descriptor.
  var openings: [Int32: (path: String, since: Timestamp)] = [:]
  /// Labels given to the function that makes queues, until it returns.
  var queueLabels: [Int32: String] = [:]
  /// Where tracepoints' fields name threads by other ids than samples do.
  var kernelThreadIDs: KernelThreadIDs?
  /// Since when threads wait for a lock of the kernel.
  var contentions: [Contention.Key: Contention] = [:]
  var lostEvents: UInt64 = 0
  var lostSamples: UInt64 = 0
  var throttled = 0
  /// Records that no decoder takes, by reason.
  var undecodable: [String: Int] = [:]

  /// The thread that a tracepoint's field names; 0 for the idle task, -1 for one that the trace does not know.
  @inline(__always)
  func thread(_ named: Int32, at time: Timestamp) -> Int32 {
    kernelThreadIDs?.tid(of: named, at: time) ?? named
  }

  /// The thread that leaves its CPU: as the field names it, or else the sample, which is taken in it.
  @inline(__always)
  func leaver(_ named: Int32, _ tid: Int32, at time: Timestamp) -> Int32 {
    let known = thread(named, at: time)
    return known > 0 || kernelThreadIDs == nil ? known : KernelThreadIDs.maker(tid, named)
  }

  /// Whether a record's process is none of the PID namespace that the trace was recorded in: all of these have one id.
  func isOutside(_ pid: Int32) -> Bool { pid == 0 && kernelThreadIDs != nil }
}
