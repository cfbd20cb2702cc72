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

  private var wakes: [Place: [Wake]] = [:]
  /// Longer ago it ended nothing of which the end is told now.
  private static let memory: UInt64 = 500_000_000
  /// Of one place at least so many are known, and no more than twice as many.
  private static let kept = 64

  /// Takes in a call that may have ended a wait.
  mutating func add(_ record: lull_record, by tid: Int32) {
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
    wakes[place]?.last { $0.from <= end && $0.to >= start }?.tid
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
    case timer
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
    _ thread: inout PreloadThread, into output: inout [[UInt8]]
  ) {
    typealias Number = CallMeaning.Number
    let wait = waits.last { $0.to > $0.from }
    switch record.number {
    case Number.futex:
      thread.unexplained = nil
      guard let wait else { return }
      switch Int32(truncatingIfNeeded: record.arguments.1) {
      case ETIMEDOUT: tell(.timer, ended: wait, thread.tid, process.pid, into: &output)
      case EINTR: return
      default:
        let place = PreloadWakes.Place.address(record.arguments.0)
        let maker = process.wakes.maker(of: place, from: wait.from, to: record.end)
        tell(.thread(maker), ended: wait, thread.tid, process.pid, into: &output)
      }
    case Number.poll, Number.select, Number.epoll:
      // One that found what an earlier one had waited for is no wait.
      if let wait { thread.unexplained = record.result > 0 ? wait : nil }
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
        default: break
        }
      } else if wait != nil {
        thread.unexplained = nil
      }
    }
  }

  private func tell(
    _ waker: Waker, ended wait: PreloadThread.Wait, _ woken: Int32, _ pid: Int32,
    into output: inout [[UInt8]]
  ) {
    var place = Place(pid: pid, tid: -1, time: wait.to - 1)
    var flags: UInt8 = 0
    switch waker {
    case .thread(let tid): place.tid = tid ?? -1
    case .otherProcess: place.pid = -1
    // TRACE_FLAG_HARDIRQ, and the idle task.
    case .timer: (place.pid, place.tid, flags) = (0, 0, 0x08)
    }
    var payload = PreloadPayload(.waking, pid: place.tid, flags: flags)
    payload.add([], padded: 16)
    payload.add(woken)
    payload.add(Int32(120))
    payload.add(Int32(0))
    output.append(writer.sample(.waking, payload, place))
  }
}
