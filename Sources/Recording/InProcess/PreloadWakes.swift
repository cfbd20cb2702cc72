import CPreloadRing
import Glibc

/// Who ended the waits of a process's threads, by what was waited on: a futex's address, or a descriptor.
struct PreloadWakes {
  /// What a thread waits on.
  enum Place: Hashable {
    case address(UInt64)
    case descriptor(UInt64)
  }

  private struct Wake {
    var from: UInt64
    var to: UInt64
    var tid: Int32
  }

  private struct Timer {
    var isSetAt: UInt64
    var first: UInt64
    var interval: UInt64
  }

  private var wakes: [Place: [Wake]] = [:]
  /// As the timers of descriptors were set last, and before that.
  private var timers: [UInt64: [Timer]] = [:]
  /// Longer ago it ended nothing of which the end is told now.
  private static let memory: UInt64 = 500_000_000
  /// Of one place at least so many are known, and no more than twice as many.
  private static let kept = 64

  /// Takes in a call that may have ended a wait.
  mutating func add(_ record: lull_record, by tid: Int32) {
    if record.number == CallMeaning.Number.setTimer {
      let timer = Timer(
        isSetAt: record.end, first: record.arguments.1, interval: record.arguments.2)
      timers[record.arguments.0] =
        (timers[record.arguments.0] ?? []).suffix(Self.kept) + [timer]
      return
    }
    guard let place = Self.place(wokenBy: record) else { return }
    wakes[place, default: []].append(Wake(from: record.start, to: record.end, tid: tid))
    if let count = wakes[place]?.count, count > 2 * Self.kept {
      wakes[place]?.removeFirst(count - Self.kept)
    }
  }

  private static func place(wokenBy record: lull_record) -> Place? {
    if record.number == lull_number_wake.rawValue { return .address(record.arguments.0) }
    let isWrite =
      record.descriptor_kind == lull_descriptor_event.rawValue
      && CallMeaning.Number.writes.contains(record.number) && record.result > 0
    return isWrite ? .descriptor(record.arguments.0) : nil
  }

  /// The thread that ended a wait, the last one where several may have; nil where none is known to have.
  func maker(of place: Place, from start: UInt64, to end: UInt64) -> Int32? {
    wake(at: place, from: start, to: end)?.tid
  }

  private func wake(at place: Place, from start: UInt64, to end: UInt64) -> Wake? {
    wakes[place]?.last { $0.from <= end && $0.to >= start }
  }

  /// The same for a wait on a place in memory, of which its own record may tell who ended it.
  func maker(endOf record: lull_record, from start: UInt64) -> Int32? {
    let listed = wake(at: .address(record.arguments.0), from: start, to: record.end)
    let told = record.arguments.2
    guard told > 0 else { return listed?.tid }
    let before = told & (1 << UInt64(LULL_WAKER_SHIFT) - 1)
    if let listed, listed.from > record.end - min(before, record.end) { return listed.tid }
    return Int32(truncatingIfNeeded: told >> UInt64(LULL_WAKER_SHIFT))
  }

  /// When a timer went off within a wait, by what it was set to; nil where it is not known to have.
  ///
  /// It may be set anew before the wait's end is told.
  func expiry(of descriptor: UInt64, in wait: PreloadThread.Wait) -> UInt64? {
    guard let timer = timers[descriptor]?.last(where: { $0.isSetAt <= wait.to }),
      timer.first > 0, timer.first < wait.to
    else { return nil }
    let periods = timer.interval > 0 ? (wait.to - timer.first) / timer.interval : 0
    let last = timer.first + periods * timer.interval
    return last > wait.from ? last : nil
  }

  /// Whether a timer of any descriptor went off just before a wait's end.
  func hasExpiry(before end: UInt64, in wait: PreloadThread.Wait) -> Bool {
    timers.keys.contains { descriptor in
      expiry(of: descriptor, in: wait).map { $0 + Self.longestDelay >= end } ?? false
    }
  }

  /// How a wait for several descriptors ended.
  enum Ending: Equatable {
    /// By what was written into one of them; by whom may not be known.
    case woken(Int32?)
    /// By something else.
    case byItself
  }

  /// How a wait ended after which, by a time, what was written into an eventfd was read.
  ///
  /// A write that was over long before ended an earlier wait, and one that began after the wait's end a later one, too
  /// short to be told.
  func end(of wait: PreloadThread.Wait, at place: Place, toldBy time: UInt64) -> Ending {
    let soonest = wait.to > Self.longestDelay ? wait.to - Self.longestDelay : 0
    if let maker = maker(of: place, from: max(wait.from, soonest), to: wait.to) {
      return .woken(maker)
    }
    return maker(of: place, from: wait.from, to: time) == nil ? .woken(nil) : .byItself
  }

  /// Who is woken goes on within that, a choice.
  private static let longestDelay: UInt64 = 10_000_000

  /// Forgets what is long over.
  mutating func forget(before time: UInt64) {
    let oldest = time > Self.memory ? time - Self.memory : 0
    for (place, list) in wakes {
      let rest = list.filter { $0.to >= oldest }
      wakes[place] = rest.isEmpty ? nil : rest
    }
  }
}

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
  func noteWakes(_ records: [(record: lull_record, slot: Int)], of process: PreloadProcess) {
    var tids = process.threads.mapValues(\.tid)
    for (record, slot) in records {
      if record.kind == lull_record_thread_begin.rawValue {
        tids[slot] = Int32(truncatingIfNeeded: record.result)
      } else if record.kind == lull_record_call.rawValue, let tid = tids[slot] {
        process.wakes.add(record, by: tid)
      }
    }
  }

  /// Tells who ended the wait of a call, or of the one before it, where that was not the kernel by itself.
  func tellWaker(
    of record: lull_record, waited waits: [PreloadThread.Wait], _ process: PreloadProcess,
    _ thread: inout PreloadThread, into output: inout RecordBytes
  ) {
    typealias Number = CallMeaning.Number
    let wait = waits.last { $0.to > $0.from }
    switch record.number {
    case Number.futex:
      leaveUnexplained(process, &thread, into: &output)
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
      leaveUnexplained(process, &thread, into: &output)
      thread.unexplained = record.result > 0 ? wait : nil
      if record.arguments.1 > 0 {
        tell(.timer(record.arguments.1), ended: wait, thread.tid, process.pid, into: &output)
      }
    case Number.sleep:
      leaveUnexplained(process, &thread, into: &output)
      guard let wait, record.arguments.1 > 0 else { return }
      tell(.timer(record.arguments.1), ended: wait, thread.tid, process.pid, into: &output)
    default:
      if let wait = thread.unexplained, Number.reads.contains(record.number), record.result > 0 {
        thread.unexplained = nil
        switch UInt32(record.descriptor_kind) {
        case lull_descriptor_event.rawValue:
          let place = PreloadWakes.Place.descriptor(record.arguments.0)
          let ending = process.wakes.end(of: wait, at: place, toldBy: record.start)
          guard case .woken(let maker) = ending else { return }
          tell(.thread(maker), ended: wait, thread.tid, process.pid, into: &output)
        case lull_descriptor_pipe.rawValue, lull_descriptor_local_socket.rawValue:
          tell(.otherProcess, ended: wait, thread.tid, process.pid, into: &output)
        case lull_descriptor_timer.rawValue:
          let expiry = process.wakes.expiry(of: record.arguments.0, in: wait)
          guard let expiry else { return }
          tell(.timer(expiry), ended: wait, thread.tid, process.pid, into: &output)
        default: break
        }
      } else if wait != nil {
        leaveUnexplained(process, &thread, into: &output)
      }
    }
  }

  /// Nothing that the thread read tells what ended a wait for descriptors: another thread may read it. Which timers of
  /// descriptors there are is known; where none went off it was something else that was ready.
  private func leaveUnexplained(
    _ process: PreloadProcess, _ thread: inout PreloadThread, into output: inout RecordBytes
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
      // From then on it waited for a CPU, on which something else ran.
      if let time, wait.to > time + Self.timerSlack {
        (place.pid, place.time) = (-1, max(time + Self.timerSlack / 2, wait.from + 1))
      }
    // TRACE_FLAG_SOFTIRQ: as what comes by a socket does.
    case .ready: (place.pid, place.tid, flags) = (0, 0, 0x10)
    }
    templates.tellWake(of: woken, by: place, context: flags, into: &output)
  }
}
