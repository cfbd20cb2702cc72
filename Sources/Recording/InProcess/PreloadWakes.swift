import CPreloadRing

/// Who ended the waits of a process's threads, by what was waited on: a futex's address, a descriptor, or one end of a
/// pipe or a pair of sockets.
struct PreloadWakes {
  /// What a thread waits on: an address, or with the highest bit, which no program's address has, a descriptor.
  struct Place: Hashable {
    private let value: UInt64

    static func address(_ address: UInt64) -> Place { .init(value: address) }
    static func descriptor(_ number: UInt64) -> Place { .init(value: number | 1 << 63) }
    /// Where something can be read that was written to the other end.
    fileprivate static func end(_ end: End) -> Place {
      .init(value: end.pair << 1 | (end.isSecond ? 1 : 0) | 3 << 62)
    }
    /// Any end of a pipe or socket of which the other one is not known.
    fileprivate static let unpaired = Place(value: .max)
  }

  /// One of two descriptors that a call made.
  fileprivate struct End {
    var pair: UInt64
    var isSecond: Bool

    var other: End { End(pair: pair, isSecond: !isSecond) }
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
  /// What descriptors were made, copied and closed as, and since when; nil is something else.
  private var ends: [UInt64: [(since: UInt64, end: End?)]] = [:]
  private var pairs: UInt64 = 0
  /// Until when all is known that is not long over.
  private var forgotten: UInt64 = 0
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
    noteEnds(record)
    guard let place = place(wokenBy: record) else { return }
    let wake = Wake(from: record.start, to: record.end, tid: tid)
    Self.add(wake, to: &wakes[place, default: []])
  }

  private static func add(_ wake: Wake, to list: inout [Wake]) {
    list.append(wake)
    if list.count > 2 * kept { list.removeFirst(list.count - kept) }
  }

  private func place(wokenBy record: lull_record) -> Place? {
    if record.number == lull_number_wake.rawValue { return .address(record.arguments.0) }
    guard record.result > 0, CallMeaning.Number.writes.contains(record.number) else { return nil }
    switch UInt32(record.descriptor_kind) {
    case lull_descriptor_event.rawValue: return .descriptor(record.arguments.0)
    case lull_descriptor_pipe.rawValue, lull_descriptor_local_socket.rawValue:
      return end(of: record.arguments.0, at: record.start).map { .end($0.other) } ?? .unpaired
    default: return nil
    }
  }

  private mutating func noteEnds(_ record: lull_record) {
    typealias Number = CallMeaning.Number
    func note(_ descriptor: UInt64, _ end: End?, since time: UInt64) {
      ends[descriptor] = (ends[descriptor] ?? []).suffix(Self.kept) + [(time, end)]
    }
    if Number.joins.contains(record.number) {
      guard record.result == 0 else { return }
      pairs += 1
      note(record.arguments.0, End(pair: pairs, isSecond: false), since: record.end)
      note(record.arguments.1, End(pair: pairs, isSecond: true), since: record.end)
    } else if record.number == Number.close {
      if ends[record.arguments.0] != nil { note(record.arguments.0, nil, since: record.start) }
    } else if Number.duplicates.contains(record.number) || record.number == Number.control {
      guard record.result >= 0 else { return }
      let (copy, end) = (
        UInt64(record.result), end(of: record.arguments.0, at: record.start)
      )
      if end != nil || ends[copy] != nil { note(copy, end, since: record.end) }
    }
  }

  private func end(of descriptor: UInt64, at time: UInt64) -> End? {
    ends[descriptor]?.last { $0.since <= time }?.end
  }

  /// Who wrote what a thread read of a pipe or a local socket, for which it had waited.
  enum Writer: Equatable {
    case thread(Int32)
    case otherProcess
  }

  /// Nil where that is not known: a thread of the process may have written it to an end of which nothing is known.
  func writer(of descriptor: UInt64, in wait: PreloadThread.Wait, readAt time: UInt64) -> Writer? {
    if let end = end(of: descriptor, at: time) {
      return maker(of: .end(end), from: wait.from, to: wait.to).map { .thread($0) } ?? .otherProcess
    }
    return maker(of: .unpaired, from: wait.from, to: wait.to) == nil ? .otherProcess : nil
  }

  /// The thread that ended a wait, the last one where several may have; nil where none is known to have.
  func maker(of place: Place, from start: UInt64, to end: UInt64) -> Int32? {
    wake(at: place, from: start, to: end)?.tid
  }

  private func wake(at place: Place, from start: UInt64, to end: UInt64) -> Wake? {
    wakes[place]?.last { $0.from <= end && $0.to >= start }
  }

  /// The thread that sent the last signal to where a thread's come, or those of its process.
  func sender(to place: UInt64, from start: UInt64, to end: UInt64) -> Int32? {
    [place, UInt64(LULL_PROCESS_SIGNALS)]
      .compactMap { wake(at: .address($0), from: start, to: end) }
      .max { $0.to < $1.to }?.tid
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
    guard time > forgotten + Self.memory * 2 else { return }
    forgotten = time - Self.memory
    wakes = wakes.compactMapValues { list in
      let rest = list.filter { $0.to >= forgotten }
      return rest.isEmpty ? nil : rest
    }
  }
}
