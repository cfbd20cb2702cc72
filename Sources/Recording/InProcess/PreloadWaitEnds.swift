import CPreloadRing
import Glibc

/// How threads come out of their waits.
extension PreloadSource {
  /// What made a thread go on, where that is known.
  private enum Waker {
    /// A thread of its own process; of what number may not be known.
    case thread(Int32?)
    case otherProcess
    /// It was over at a time; nil where that is not known.
    case timer(UInt64?)
    /// A descriptor was ready, by what is not known: no thread of its own, and no time.
    case ready
  }

  /// Takes in who ended whose wait, before the waits' ends are looked at: they may be told first.
  func noteWakes(_ batch: PreloadBatch, of process: PreloadProcess) {
    var tids = process.threads.mapValues(\.tid)
    var wakes = PreloadWakes()
    swap(&wakes, &process.wakes)
    defer { swap(&wakes, &process.wakes) }
    for entry in batch {
      let (record, slot) = (entry.record, entry.slot)
      if record.kind == lull_record_thread_begin.rawValue {
        tids[slot] = Int32(truncatingIfNeeded: record.result)
      } else if record.kind == lull_record_call.rawValue, let tid = tids[slot] {
        wakes.add(record, by: tid)
      }
    }
  }

  /// Tells who ended the wait of a call, or of the one before it, where that was not the kernel by itself.
  func tellWaker(
    of record: lull_record, waited: PreloadThread.Wait?, _ process: PreloadProcess,
    _ thread: PreloadThread, into output: inout RecordBytes
  ) {
    typealias Number = CallMeaning.Number
    let wait = waited.flatMap { $0.to > $0.from ? $0 : nil }
    switch record.number {
    case Number.futex:
      leaveUnexplained(process, thread, into: &output)
      guard let wait else { return }
      switch Int32(truncatingIfNeeded: record.arguments.1) {
      case ETIMEDOUT: tell(.timer(nil), ended: wait, thread.tid, process.pid, into: &output)
      case EINTR: return
      default:
        let maker = process.wakes.maker(endOf: record, from: wait.from)
        tell(.thread(maker), ended: wait, thread.tid, process.pid, into: &output)
      }
    case Number.poll, Number.select, Number.epoll:
      // One that found what an earlier one had waited for is no wait.
      guard let wait else { return }
      leaveUnexplained(process, thread, into: &output)
      thread.unexplained = record.result > 0 ? wait : nil
      if record.arguments.1 > 0 {
        tell(.timer(record.arguments.1), ended: wait, thread.tid, process.pid, into: &output)
      }
    case Number.sleep:
      leaveUnexplained(process, thread, into: &output)
      guard let wait, record.arguments.1 > 0 else { return }
      let end = record.arguments.1 == LULL_SOMETIME ? nil : record.arguments.1
      tell(.timer(end), ended: wait, thread.tid, process.pid, into: &output)
    case let number where Number.endsByError(number):
      leaveUnexplained(process, thread, into: &output)
      guard let wait, Int32(truncatingIfNeeded: record.arguments.1) == ETIMEDOUT else { return }
      tell(.timer(nil), ended: wait, thread.tid, process.pid, into: &output)
    case let number where Number.signals.contains(number):
      leaveUnexplained(process, thread, into: &output)
      guard let wait else { return }
      let isOver = Int32(truncatingIfNeeded: record.arguments.1) == ETIMEDOUT
      let waker = isOver ? .timer(nil) : sender(record, to: record.arguments.0, in: wait, process)
      guard let waker else { return }
      tell(waker, ended: wait, thread.tid, process.pid, into: &output)
    default:
      if let wait, record.result == -Int64(EAGAIN), Number.isOfSocket(record.number) {
        // The time that it was given for that (SO_RCVTIMEO, SO_SNDTIMEO).
        leaveUnexplained(process, thread, into: &output)
        tell(.timer(nil), ended: wait, thread.tid, process.pid, into: &output)
      } else if let wait, Number.reads.contains(record.number), record.result > 0,
        UInt32(record.descriptor_kind) == lull_descriptor_event.rawValue
      {
        leaveUnexplained(process, thread, into: &output)
        let place = PreloadWakes.Place.descriptor(record.arguments.0)
        let maker = process.wakes.maker(of: place, from: wait.from, to: wait.to)
        guard let maker else { return }
        tell(.thread(maker), ended: wait, thread.tid, process.pid, into: &output)
      } else if let wait, Number.reads.contains(record.number), record.result > 0,
        UInt32(record.descriptor_kind) == lull_descriptor_timer.rawValue
      {
        leaveUnexplained(process, thread, into: &output)
        let expiry = process.wakes.expiry(of: record.arguments.0, in: wait)
        tell(.timer(expiry), ended: wait, thread.tid, process.pid, into: &output)
      } else if let wait = thread.unexplained, Number.reads.contains(record.number),
        record.result > 0
      {
        thread.unexplained = nil
        switch UInt32(record.descriptor_kind) {
        case lull_descriptor_event.rawValue:
          let place = PreloadWakes.Place.descriptor(record.arguments.0)
          let ending = process.wakes.end(of: wait, at: place, toldBy: record.start)
          guard case .woken(let maker) = ending else { return }
          tell(.thread(maker), ended: wait, thread.tid, process.pid, into: &output)
        case lull_descriptor_pipe.rawValue, lull_descriptor_local_socket.rawValue:
          let writer = process.wakes.writer(
            of: record.arguments.0, in: wait, readAt: record.start)
          guard let writer else { return }
          let waker: Waker =
            if case .thread(let tid) = writer { .thread(tid) } else { .otherProcess }
          tell(waker, ended: wait, thread.tid, process.pid, into: &output)
        case lull_descriptor_timer.rawValue:
          let expiry = process.wakes.expiry(of: record.arguments.0, in: wait)
          guard let expiry else { return }
          tell(.timer(expiry), ended: wait, thread.tid, process.pid, into: &output)
        default: break
        }
      } else if wait != nil {
        leaveUnexplained(process, thread, into: &output)
      }
    }
  }

  /// Tells who sent the signal whose handler came in the midst of a wait, where that is known.
  func tellSender(
    of record: lull_record, waited: PreloadThread.Wait?, _ process: PreloadProcess,
    _ thread: PreloadThread, into output: inout RecordBytes
  ) {
    guard let wait = waited, wait.to > wait.from else { return }
    leaveUnexplained(process, thread, into: &output)
    guard let waker = sender(record, to: record.arguments.1, in: wait, process) else { return }
    tell(waker, ended: wait, thread.tid, process.pid, into: &output)
  }

  /// Who sent the signal that ended a wait, where signals of the thread come at a place; nil where that is not known.
  private func sender(
    _ record: lull_record, to place: UInt64, in wait: PreloadThread.Wait, _ process: PreloadProcess
  ) -> Waker? {
    switch UInt32(truncatingIfNeeded: record.arguments.2) {
    case lull_sender_timer.rawValue: .timer(nil)
    case lull_sender_own_process.rawValue:
      .thread(process.wakes.sender(to: place, from: wait.from, to: wait.to))
    case lull_sender_other_process.rawValue: .otherProcess
    // A handler of signal() is not told by the kernel.
    default: process.wakes.sender(to: place, from: wait.from, to: wait.to).map { .thread($0) }
    }
  }

  /// Tells that a thread handed something on before a call of it: to whom is not known (-1).
  func tellHandedOn(
    before record: lull_record, by tid: Int32, _ pid: Int32, into output: inout RecordBytes
  ) {
    guard UInt32(record.parts) & lull_part_handed_on.rawValue != 0 else { return }
    let place = Place(pid: pid, tid: tid, time: record.start - 1)
    templates.tellWake(of: -1, by: place, context: 0, into: &output)
  }

  /// Nothing that the thread read tells what ended a wait for descriptors: another thread may read it. Which timers of
  /// descriptors there are is known; where none went off it was something else that was ready.
  private func leaveUnexplained(
    _ process: PreloadProcess, _ thread: PreloadThread, into output: inout RecordBytes
  ) {
    guard let wait = thread.unexplained else { return }
    thread.unexplained = nil
    // Of a program that ran before it may be a timer that was set then.
    guard !process.isEarlier, !process.wakes.hasExpiry(before: wait.to, in: wait) else { return }
    tell(.ready, ended: wait, thread.tid, process.pid, into: &output)
  }

  /// A timer goes off so much later than it is set to, and to wake up from idleness takes its time.
  private static let timerSlack: UInt64 = 100_000

  private func tell(
    _ waker: Waker, ended wait: PreloadThread.Wait, _ woken: Int32, _ pid: Int32,
    into output: inout RecordBytes
  ) {
    var place = Place(pid: pid, tid: -1, time: wait.to - 1)
    var flags: UInt8 = 0
    switch waker {
    case .thread(let tid): place.tid = tid ?? -1
    case .otherProcess: place.pid = -1
    // TRACE_FLAG_HARDIRQ, and the idle task.
    case .timer(let time):
      (place.pid, place.tid, flags) = (0, 0, 0x08)
      // From then on it waited for a CPU, on which something else ran, unless it stood still.
      let isHeld = time.map { known[pid]?.stops.within($0, wait.to).isEmpty == false } ?? false
      if let time, wait.to > time + Self.timerSlack, !isHeld {
        (place.pid, place.time) = (-1, max(time + Self.timerSlack / 2, wait.from + 1))
      }
    // TRACE_FLAG_SOFTIRQ: as what comes by a socket does.
    case .ready: (place.pid, place.tid, flags) = (0, 0, 0x10)
    }
    templates.tellWake(of: woken, by: place, context: flags, into: &output)
  }
}
