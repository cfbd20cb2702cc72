import PerfData

/// What the threads of a running program waited in when its recording began, and from where.
///
/// No event tells of a wait that began before: of a program that hangs already neither cause nor function would be
/// known, nor that one which is idle waits for events.
final class EarlierWaits: RecordingSource {
  private var threads: [(pid: Int32, thread: EarlierThread)]
  private var writer: OutsideWriter
  private var records: [[UInt8]] = []
  private let root: Int32
  private var began: UInt64 = 0
  /// Who was told to wait, with how often it had got a CPU by then: it waits still where that has not changed.
  private var told: [(pid: Int32, tid: Int32, arrivals: UInt64)] = []

  private static let most = 1024

  /// Looks at the threads of these processes, before any event of theirs is open; nil where no event tells of what
  /// comes after. Beside programs in the kernel a switch is described as they write it.
  init?(of pids: [Int32], _ tracefs: TraceFS?, besidePrograms: Bool, stackBytes: UInt32) {
    let event = tracefs?.eventID("sched", "sched_switch")
    guard let root = pids.first, besidePrograms || event != nil else { return nil }
    self.root = root
    writer = OutsideWriter(
      stackBytes: stackBytes, switchEvent: besidePrograms ? nil : event, isSecond: besidePrograms)
    threads = pids.flatMap { pid in ProcessProbe.threadIDs(pid: pid).map { (pid, $0) } }
      .prefix(Self.most).compactMap { pid, tid in
        EarlierThread(pid: pid, tid: tid).map { (pid, $0) }
      }
  }

  /// All events are open, which takes long enough for threads to go on to other waits: of these no event may tell.
  func eventsAreOpen() {
    threads = threads.compactMap { pid, thread in
      if case .waited = thread.course { return (pid, thread) }
      return EarlierThread(pid: pid, tid: thread.thread.tid).map { (pid, $0) }
    }
  }

  var attributes: [EventAttribute] { writer.attributes }

  /// All events are on: who still waits is told to have waited at that moment. What comes until records are collected
  /// takes long enough for a wait to end, which the events tell.
  func eventsAreOn(at time: UInt64) {
    began = time
    for (pid, thread) in threads { tell(thread, of: pid, at: time) }
    threads = []
  }

  /// Of one that has gone on since its look the events tell.
  private func tell(_ thread: EarlierThread, of pid: Int32, at time: UInt64) {
    let stack = thread.stack(of: pid, bytes: UInt32(writer.stackBytes))?.bytes ?? []
    let function = thread.function(hasStack: !stack.isEmpty)
    guard case .waited = thread.course, var call = thread.wait else { return }
    let place = OutsideWriter.Place(pid: pid, tid: thread.thread.tid, time: time)
    if stack.isEmpty { (call.stackPointer, call.instruction) = (0, 0) }
    if function != nil || !stack.isEmpty {
      records.append(
        writer.wait(
          in: function, at: call, stack: stack, place, kernelTid: PIDNamespace.isInitial ? nil : 0))
    }
    records.append(writer.switch(.left(time), pid: pid, tid: place.tid))
    told.append((pid, place.tid, thread.reading.arrivals))
  }

  func collect(_ round: Round) throws(PerfDataError) {
    try write(at: began, to: round.sink)
  }

  /// A part that begins is to tell the waits that go on from before the recording: no record of theirs is of it.
  func beginPart(_ round: Round) throws(PerfDataError) {
    let before = told
    told = []
    for (pid, tid, arrivals) in before {
      guard let thread = EarlierThread(pid: pid, tid: tid), thread.reading.arrivals == arrivals
      else { continue }
      tell(thread, of: pid, at: round.now)
    }
    try write(at: round.now, to: round.sink)
  }

  private func write(at time: UInt64, to sink: TraceSink) throws(PerfDataError) {
    guard !records.isEmpty else { return }
    for record in records { try sink.append(record) }
    records = []
    for (function, address) in writer.functions.sorted(by: { $0.value < $1.value }) {
      try sink.append(
        KernelSymbolEvent(address: address, name: function), pid: root, time: time)
    }
  }
}
