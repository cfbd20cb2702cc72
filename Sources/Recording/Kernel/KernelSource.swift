import CBPF
import PerfData

/// What programs in the kernel record of a target: switches, waits' stacks, wakeups and transfers.
///
/// They take the place of the perf events that come most often. Those cost the target at each switch and record, so
/// that they have to be sampled at high rates; of these nothing is.
final class KernelSource: RecordingSource {
  private let programs: KernelPrograms
  private let writer: KernelWriter
  private let drain: RingDrain
  private let pid: Int32
  private var transfers = KernelTransfers()
  private var lastDrain: UInt64 = 0
  private var lastSums: UInt64 = 0
  /// What was before is no part of the recording.
  private var started: UInt64 = 0
  private var bytes = 0
  private var lost: UInt64 = 0
  /// The records of stacks that were told, by thread and time, for parts of the recording that begin in a wait.
  private var told = KernelStacksTold()
  /// The event by which a thread goes back to a stack.
  private let waitEvent: (attribute: EventAttribute, id: UInt64)?

  /// So often the ring is emptied, which holds 16 MB: of a program that fills it faster, more often.
  private static let pace: UInt64 = 150_000_000
  private static let quickPace: UInt64 = 30_000_000
  private static let muchBytes = 2 << 20
  /// So often they are looked at in any case: what was added in a tick that had been looked at is told, and sockets
  /// that are not used any longer are forgotten.
  private static let longestWithoutSums: UInt64 = 1_000_000_000

  init(
    _ programs: KernelPrograms, _ drain: RingDrain, pid: Int32, stackBytes: UInt32,
    own: [EventAttribute]
  ) throws(KernelPrograms.Absence) {
    self.programs = programs
    self.drain = drain
    self.pid = pid
    writer = KernelWriter(stackBytes: stackBytes)
    let waits = own.first { SyntheticEvent(attribute: $0) == .wait }
    waitEvent = waits.flatMap { waits in waits.ids.first.map { (waits, $0) } }
    try programs.open(
      { context, record, size in
        Unmanaged<KernelSource>.fromOpaque(context).takeUnretainedValue().take(record, size)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  var attributes: [EventAttribute] { writer.attributes }

  var lostRecords: UInt64 { lost }

  func start(at time: UInt64) {
    started = time
    programs.tellStacksAgain(since: SystemInfo.monotonicNanoseconds())
  }

  func nextDue(now: UInt64) -> UInt64 {
    lastDrain + (bytes > Self.muchBytes ? Self.quickPace : Self.pace)
  }

  func collect(_ round: Round) throws(PerfDataError) {
    let before = lastDrain
    lastDrain = round.now
    programs.drain()
    if programs.takeHasSums() || round.isLast
      || round.now >= lastSums + Self.longestWithoutSums
    {
      lastSums = round.now
      for part in transfers.parts(of: programs, now: round.now, after: before) {
        writer.tell(part.record, isReceive: part.isReceive, standingFor: part.count)
      }
    }
    let losses = programs.lost
    if losses > lost {
      writer.tellLost(losses - lost, pid: pid, at: round.now)
      lost = losses
    }
    bytes = writer.output.count
    guard bytes > 0 else { return }
    try round.sink.append(writer.output)
    round.sink.endRound()
    writer.clear()
  }

  private func take(_ record: UnsafeRawPointer, _ size: Int) {
    let head = record.load(as: lull_kernel_head.self)
    guard head.time >= started else { return }
    switch lull_kernel_kind(UInt32(head.kind)) {
    case lull_kernel_switch: takeSwitch(record.load(as: lull_kernel_switch_record.self))
    case lull_kernel_waking: writer.tell(record.load(as: lull_kernel_waking_record.self))
    case lull_kernel_stack: takeStack(KernelStack(record), waits: true)
    case lull_kernel_send_stack: takeStack(KernelStack(record), waits: false)
    case lull_kernel_send:
      writer.tell(record.load(as: lull_kernel_transfer_record.self), isReceive: false)
    case lull_kernel_receive:
      writer.tell(record.load(as: lull_kernel_transfer_record.self), isReceive: true)
    default: break
    }
  }

  private func takeSwitch(_ record: lull_kernel_switch_record) {
    let isWatched = drain.standingWaits != nil
    if record.left_tid != 0 {
      drain.governor.noteSwitch()
      if record.head.flags & UInt32(LULL_KERNEL_OTHER_STACK) != 0, let waitEvent {
        writer.tellOtherStack(record.stack, waitEvent, record)
        if isWatched { told.goesBack(record.left_tid, to: record.stack) }
      }
      let isPreempted = record.head.flags & UInt32(LULL_KERNEL_PREEMPTED) != 0
      if isWatched, !isPreempted, let stack = told.last(of: record.left_tid) {
        drain.standingWaits?.left(record.left_tid, at: record.head.time, stack)
      }
      writer.tell(
        isPreempted ? .preempted : .left, record.head, pid: record.left_pid, tid: record.left_tid)
    }
    if record.arrived_tid != 0 {
      drain.governor.noteSwitch()
      if isWatched { drain.standingWaits?.arrived(record.arrived_tid, at: record.head.time) }
      writer.tell(.arrived, record.head, pid: record.arrived_pid, tid: record.arrived_tid)
    }
  }

  private func takeStack(_ stack: KernelStack, waits: Bool) {
    drain.kernelAddresses.formUnion(stack.kernel)
    let record = writer.tell(stack, waits: waits)
    if waits, drain.standingWaits != nil { told.add(record, of: stack.tid, at: stack.time) }
  }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    guard case .processEnded(let pid, _) = observation else { return }
    programs.remove(pid)
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    programs.tellStacksAgain(since: round.now)
  }

  func stop() { programs.detach() }

  func describe(_ summary: inout RecordingSummary) {
    if summary.features.tracingData == nil {
      summary.features.tracingData = PreloadEvent.tracingData
    } else {
      summary.features.tracingData?.formats += KernelWriter.formats
    }
    summary.capture.recorder = CaptureEvent.kernelRecorder
    summary.capture.privilege += ", switches, wakeups and transfers by programs in the kernel"
  }
}
