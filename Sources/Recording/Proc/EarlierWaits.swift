import PerfData

/// What the threads of a running program waited in when its recording began, and from where.
///
/// No event tells of a wait that began before: of a program that hangs already neither cause nor function would be
/// known, nor that one which is idle waits for events.
final class EarlierWaits: RecordingSource {
  private let threads: [(pid: Int32, thread: EarlierThread)]
  private var writer: OutsideWriter
  private struct Wait {
    let pid: Int32
    let thread: EarlierThread
    /// As far as it may be read.
    let stack: [UInt8]
    /// The kernel's function, as far as it is known with the stack and without.
    let functions: (withStack: String?, alone: String?)
  }

  private var waits: [Wait] = []
  private var records: [[UInt8]] = []
  private let root: Int32
  private var began: UInt64 = 0

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
        EarlierThread(pid: pid, tid: tid).flatMap { $0.wait == nil ? nil : (pid, $0) }
      }
  }

  var attributes: [EventAttribute] { writer.attributes }

  /// All events are on: who still waits is told to have waited at that moment. What comes until records are collected
  /// takes long enough for a wait to end, which the events tell.
  func eventsAreOn(at time: UInt64) {
    began = time
    for (pid, thread) in threads {
      let stack = thread.stack(of: pid, bytes: UInt32(writer.stackBytes))?.bytes ?? []
      // One that has gone on since is told of by the events.
      let functions = (thread.function(hasStack: true), thread.function(hasStack: false))
      guard case .waited = thread.course else { continue }
      waits.append(Wait(pid: pid, thread: thread, stack: stack, functions: functions))
    }
  }

  /// Which queue is drained in a stack may stand in a register, of which /proc tells nothing: such a stack would be of
  /// any queue, the main one too.
  private func tell(_ wait: Wait, _ layout: QueueLayout?) {
    guard var call = wait.thread.wait else { return }
    let place = OutsideWriter.Place(pid: wait.pid, tid: wait.thread.thread.tid, time: began)
    let stack = layout?.isDraining(wait.stack) == true ? [] : wait.stack
    if stack.isEmpty { (call.stackPointer, call.instruction) = (0, 0) }
    let function = stack.isEmpty ? wait.functions.alone : wait.functions.withStack
    if function != nil || !stack.isEmpty {
      records.append(
        writer.wait(
          in: function, at: call, stack: stack, place,
          kernelTid: PIDNamespace.isInitial ? nil : 0))
    }
    records.append(writer.switch(.left(began), pid: wait.pid, tid: place.tid))
  }

  private func layout(of pid: Int32) -> QueueLayout? {
    ProcessMemory(of: pid).flatMap { QueueLayout(pid: pid, MemoryMapping.all(of: pid), $0) }
  }

  func collect(_ round: Round) throws(PerfDataError) {
    guard !waits.isEmpty else { return }
    let layouts = Dictionary(
      uniqueKeysWithValues: Set(waits.map(\.pid)).map { ($0, layout(of: $0)) })
    for wait in waits { tell(wait, layouts[wait.pid] ?? nil) }
    waits = []
    for record in records { try round.sink.append(record) }
    records = []
    for (function, address) in writer.functions.sorted(by: { $0.value < $1.value }) {
      try round.sink.append(
        KernelSymbolEvent(address: address, name: function), pid: root, time: began)
    }
  }
}
