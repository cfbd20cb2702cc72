import CBPF
import PerfData

/// What programs in the kernel record of a target: switches, waits' stacks, wakeups, transfers and calls.
///
/// They take the place of the perf events that come most often. Those cost the target at each switch and record, so
/// that they have to be sampled at high rates; of these nothing is.
final class KernelSource: RecordingSource {
  private let programs: KernelPrograms
  private let writer: KernelWriter
  private let drain: RingDrain
  private let calls: KernelCalls
  private let jobs: KernelJobs?
  private let pid: Int32
  private var transfers = KernelTransfers()
  private var datagrams = KernelDatagrams()
  private var code: KernelCode
  private var lastDrain: UInt64 = 0
  private var lastSums: UInt64 = 0
  /// Whether anything had been added up in the round before.
  private var hadSums = false
  /// What was before is no part of the recording.
  private var started: UInt64 = 0
  /// Of its room so much the fullest ring had taken when it was last emptied.
  private var fill = 0.0
  private var lost: UInt64 = 0
  /// The records of stacks that were told, by thread and time, for parts of the recording that begin in a wait.
  private var told = KernelStacksTold()
  /// The event by which a thread goes back to a stack.
  private let waits: EarlierStackWriter?
  /// The one by which it sends or writes from where it did before.
  private let sites: EarlierStackWriter?

  /// So often the rings are emptied: of a program that fills them faster, more often.
  private static let pace: UInt64 = 150_000_000
  private static let quickPace: UInt64 = 30_000_000
  private static let much = 0.25
  /// So often they are looked at in any case: sockets that are not used any longer are forgotten.
  private static let longestWithoutSums: UInt64 = 1_000_000_000

  init(
    _ programs: KernelPrograms, _ jobs: KernelJobs?, _ drain: RingDrain, pid: Int32,
    stackBytes: UInt32,
    own: [EventAttribute]
  ) throws(KernelPrograms.Absence) {
    self.programs = programs
    self.jobs = jobs
    self.drain = drain
    self.pid = pid
    writer = KernelWriter(stackBytes: stackBytes)
    calls = KernelCalls(writer)
    code = KernelCode(programs)
    waits = EarlierStackWriter(.wait, own)
    sites = EarlierStackWriter(.site, own)
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
    lastDrain + (fill > Self.much ? Self.quickPace : Self.pace)
  }

  func collect(_ round: Round) throws(PerfDataError) {
    let before = lastDrain
    lastDrain = round.now
    calls.earliest = before
    if code.lookAgain() { programs.tellStacksAgain(since: SystemInfo.monotonicNanoseconds()) }
    fill = programs.drain()
    jobs?.consider(Double(round.now &- (before == 0 ? started : before)) / 1e9)
    calls.takeStanding(programs)
    round.tell(calls.takeObservations())
    // What is added in the rest of a tick that was looked at says nothing of itself.
    let (hasSums, hadSums) = (programs.takeHasSums(), self.hadSums)
    self.hadSums = hasSums
    if hasSums || hadSums || round.isLast || round.now >= lastSums + Self.longestWithoutSums {
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
    guard !writer.output.isEmpty else { return }
    try round.sink.append(writer.output)
    round.sink.endRound()
    writer.output.removeAll()
  }

  private func take(_ record: UnsafeRawPointer, _ size: Int) {
    let head = record.load(as: lull_kernel_head.self)
    guard head.time >= started else { return }
    switch lull_kernel_kind(UInt32(head.kind)) {
    case lull_kernel_switch: takeSwitch(record.load(as: lull_kernel_switch_record.self))
    case lull_kernel_waking: writer.tell(record.load(as: lull_kernel_waking_record.self))
    case lull_kernel_stack: takeStack(KernelStack(record), .scheduleSwitch)
    case lull_kernel_send_stack: takeStack(KernelStack(record), .sendStack)
    case lull_kernel_call_stack: takeStack(KernelStack(record), .systemCallStack)
    case lull_kernel_site:
      takeSite(record.load(as: lull_kernel_site_record.self))
    case lull_kernel_send:
      writer.tell(record.load(as: lull_kernel_transfer_record.self), isReceive: false)
    case lull_kernel_receive:
      writer.tell(record.load(as: lull_kernel_transfer_record.self), isReceive: true)
    case lull_kernel_ends:
      let ends = record.load(as: lull_kernel_ends_record.self)
      for record in datagrams.records(of: ends, writer.writer) { writer.output.append(record) }
    default: if !calls.take(record) { jobs?.take(record, writer) }
    }
  }

  private func takeSite(_ site: lull_kernel_site_record) {
    let time = site.head.time
    if let stack = told.again(site.tid, told: site.stack, at: time, isOfWait: false) {
      writer.output.append(stack)
      return
    }
    sites?.tell(
      .init(pid: site.pid, tid: site.tid, time: time), cpu: UInt32(site.head.cpu),
      asAt: site.stack, into: &writer.output)
  }

  private func takeSwitch(_ record: lull_kernel_switch_record) {
    let isWatched = drain.standingWaits != nil
    if record.left_tid != 0 {
      drain.governor.noteSwitch()
      if record.head.flags & UInt32(LULL_KERNEL_PREEMPTED) == 0,
        let stack = told.again(
          record.left_tid, told: record.stack, at: record.head.time, isOfWait: true)
      {
        writer.output.append(stack)
      } else if record.head.flags & UInt32(LULL_KERNEL_OTHER_STACK) != 0, let waits {
        // From here on, until another is told.
        let place = PreloadWriter.Place(
          pid: record.left_pid, tid: record.left_tid, time: record.head.time)
        waits.tell(
          place, cpu: UInt32(record.head.cpu), asAt: record.stack, into: &writer.output)
      }
      let isPreempted = record.head.flags & UInt32(LULL_KERNEL_PREEMPTED) != 0
      if isWatched, !isPreempted {
        // All stacks of a round are told before its switches.
        told.goesBack(record.left_tid, to: record.stack)
        if let stack = told.last(of: record.left_tid) {
          drain.standingWaits?.left(record.left_tid, at: record.head.time, stack)
        }
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

  private func takeStack(_ stack: KernelStack, _ event: PreloadEvent) {
    drain.kernelAddresses.formUnion(stack.kernel)
    let record = writer.tell(stack, event)
    let isOfWait = event == .scheduleSwitch
    if isOfWait, code.waited(stack.pid) {
      programs.tellStacksAgain(since: SystemInfo.monotonicNanoseconds())
    }
    if drain.standingWaits != nil {
      told.add(record, of: stack.tid, at: stack.time, isOfWait: isOfWait)
    }
  }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    switch observation {
    case .processEnded(let pid, _):
      programs.remove(pid)
      jobs?.ended(pid)
      code.isOther(pid)
    case .processExecuted(let pid, _, _): code.isOther(pid)
    case .fileMapped(let pid, let path, _, _):
      jobs?.mapped(path, by: pid)
      code.mapped(path, by: pid)
    default: break
    }
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    programs.tellStacksAgain(since: round.now)
    told.beginPart(at: round.now)
    let place = PreloadWriter.Place(pid: pid, tid: pid, time: round.now)
    for record in datagrams.standing(at: place, writer.writer) {
      try round.sink.append(record)
    }
  }

  func stop() { programs.detach() }

  func remove(_ leftovers: Leftovers) { jobs?.leave(to: leftovers) }

  var unavailable: [CaptureEvent.Unavailable] {
    jobs?.reason.map { [.init(.concurrency, $0)] } ?? []
  }

  func describe(_ summary: inout RecordingSummary) {
    if summary.features.tracingData == nil {
      summary.features.tracingData = PreloadEvent.tracingData
    } else {
      summary.features.tracingData?.formats += KernelWriter.formats
    }
    summary.capture.recorder = CaptureEvent.kernelRecorder
    summary.capture.recordsLargeReads = true
    summary.capture.recordsSmallReads = !SystemCallFilter.smallReads.numbers.isEmpty
    summary.capture.privilege +=
      ", switches, wakeups, transfers and calls by programs in the kernel"
  }
}
