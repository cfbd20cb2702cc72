import PerfData
import Quantities

/// Wakeups in the order of the trace, packed: about five bytes each.
///
/// Who woke whom, and how, comes again and again, so each such kind is kept once; a wakeup is the number of its kind
/// and the time since the one before.
///
///     +-----------------+- - - - - - - - -+-----------+
///     | head            | kind, if wide   |   step    |    a wakeup; 256 of them, then a mark
///     +-----------------+- - - - - - - - -+-----------+
///              2               4           2, 3, 4, 8     bytes
///
///     head, from the lowest bit:  2 width of the step | 14 number of the kind; all ones: it follows in 4 bytes
///
///     marks:  [offset of wakeup 0, time before it] [of wakeup 256] [of wakeup 512] ...
///
/// The step is the zigzag of the nanoseconds since the wakeup before. What is left out stays where it is and is passed
/// over.
public struct WakeupLog: Sequence, PackedTable, ExpressibleByArrayLiteral, Sendable {
  /// Where every 256th wakeup begins, with the time of the one before.
  private struct Mark {
    var offset: Int
    var time: UInt64
  }

  /// What a process was woken for before a moment.
  struct LeftOut {
    var pid: Int32
    var time: UInt64
  }

  private static let stride = 256

  enum Packing {
    /// Stands for kinds whose number does not fit in a wakeup's first two bytes, and follows them.
    static let wide = (1 << 14) - 1
  }

  private var log = ByteLog()
  private var marks: [Mark] = []
  private var kinds = Numbering<Kind>()
  /// How many wakeups there are of each kind.
  private var counts: ContiguousArray<Int> = []
  private var time: UInt64 = 0
  /// Wakeups that are not older than the one before.
  private var isAscending = true
  private var leftOut: LeftOut?
  /// How many are packed, those included that were left out.
  private var packed = 0
  public private(set) var count = 0
  /// The earliest and the latest wakeup.
  public private(set) var earliest = Timestamp(nanoseconds: .max)
  public private(set) var latest = Timestamp(nanoseconds: 0)

  public init() {}

  public init(_ wakeups: some Sequence<Wakeup>) {
    var packer = WakeupPacker()
    for wakeup in wakeups { packer.append(wakeup) }
    self = packer.finish()
  }

  public init(arrayLiteral elements: Wakeup...) { self.init(elements) }

  /// One wakeup of each kind, of no meaningful time, with the number of the kind's wakeups.
  public var countsByKind: [(wakeup: Wakeup, count: Int)] {
    zip(kinds.values, counts).lazy.filter { $1 > 0 }.map { ($0.wakeup(at: 0), $1) }
  }

  /// How often each process was woken.
  public var countsByProcess: [Int32: Int] {
    Dictionary(zip(kinds.values.map(\.pid), counts), uniquingKeysWith: +)
  }

  /// Adds wakeups; many at once take less time each, since what is asked once for all is asked once.
  mutating func append(contentsOf wakeups: UnsafeBufferPointer<Wakeup>) {
    var rest = wakeups[...]
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.stride) { numbers in
      while !rest.isEmpty {
        let next = rest.prefix(Self.stride - packed % Self.stride)
        rest = rest[next.endIndex...]
        pack(UnsafeBufferPointer(rebasing: next), numbers)
      }
    }
  }

  /// Adds wakeups up to the next mark at most; `numbers` has room for the numbers of their kinds.
  private mutating func pack(
    _ wakeups: UnsafeBufferPointer<Wakeup>, _ numbers: UnsafeMutableBufferPointer<Int32>
  ) {
    if packed % Self.stride == 0 { marks.append(Mark(offset: log.count, time: time)) }
    for (index, wakeup) in wakeups.enumerated() {
      let kind = Kind(wakeup)
      numbers[index] = Int32(truncatingIfNeeded: kinds.number(of: kind, hint: kind.hint))
    }
    counts.append(contentsOf: repeatElement(0, count: kinds.values.count - counts.count))
    counts.withUnsafeMutableBufferPointer { counts in
      for index in wakeups.indices { counts[Int(numbers[index])] += 1 }
    }
    var (time, earliest, latest) = (time, UInt64.max, UInt64.min)
    var isAscending = isAscending
    log.append(wakeups.count) { place in
      var place = place
      let start = place
      for (index, wakeup) in wakeups.enumerated() {
        let moment = wakeup.time.nanoseconds
        let step = Int64(bitPattern: moment &- time)
        if step < 0 { isAscending = false }
        place = Self.pack(step, UInt32(bitPattern: numbers[index]), to: place)
        time = moment
        earliest = Swift.min(earliest, moment)
        latest = Swift.max(latest, moment)
      }
      return place - start
    }
    self.time = time
    self.isAscending = isAscending
    self.earliest = Swift.min(self.earliest, Timestamp(nanoseconds: earliest))
    self.latest = Swift.max(self.latest, Timestamp(nanoseconds: latest))
    packed += wakeups.count
    count += wakeups.count
  }

  /// Writes a wakeup and tells where the next one begins.
  @inline(__always)
  private static func pack(
    _ step: Int64, _ number: UInt32, to place: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let length = step.zigzag
    let width = ByteLog.Width(of: length)
    var head = UInt16(width.code)
    var end = 2
    if number < Packing.wide {
      head |= UInt16(truncatingIfNeeded: number) << 2
    } else {
      head |= UInt16(Packing.wide) << 2
      place.put(number, at: 2)
      end = 6
    }
    place.put(head, at: 0)
    place.put(length, at: end)
    return place + (end + width.bytes)
  }

  /// Leaves out, once, what woke a process before a moment; takes no longer than reading up to there.
  mutating func leaveOut(_ pid: Int32, before time: Timestamp) {
    precondition(leftOut == nil)
    guard earliest < time else { return }
    earliest = Timestamp(nanoseconds: .max)
    var iterator = makeIterator()
    while let (moment, kind) = iterator.step() {
      if moment < time.nanoseconds, kinds.values[kind].pid == pid {
        counts[kind] -= 1
        count -= 1
      } else {
        earliest = Swift.min(earliest, Timestamp(nanoseconds: moment))
        if isAscending, moment >= time.nanoseconds { break }
      }
    }
    leftOut = LeftOut(pid: pid, time: time.nanoseconds)
  }

  public var underestimatedCount: Int { count }

  public func makeIterator() -> Iterator { iterator(from: nil) }

  /// Wakeups of the kinds that are wanted; the others take next to no time.
  public func matching(_ isWanted: (Wakeup) -> Bool) -> IteratorSequence<Iterator> {
    var iterator = makeIterator()
    iterator.isWanted = kinds.values.map { isWanted($0.wakeup(at: 0)) }
    if !iterator.isWanted.contains(true) { iterator.left = 0 }
    return IteratorSequence(iterator)
  }

  /// The wakeups from about a moment on: none that are later are left out.
  public func from(_ time: Timestamp) -> IteratorSequence<Iterator> {
    guard isAscending else { return IteratorSequence(makeIterator()) }
    let place = marks.partitioningIndex { $0.time >= time.nanoseconds }
    return IteratorSequence(iterator(from: place > 0 ? place - 1 : nil))
  }

  /// How often a process was woken before the first of some ascending times, between each two, and from the last on.
  public func counts(of pid: Int32, between times: [Timestamp]) -> [Int] {
    // Added rather than asked for: whether one counts cannot be foretold.
    let amounts = kinds.values.map { $0.pid == pid ? 1 : 0 }
    let bounds = times.map(\.nanoseconds)
    var counts = [Int](repeating: 0, count: bounds.count + 1)
    guard amounts.contains(1) else { return counts }
    if isAscending, leftOut == nil, !amounts.contains(0) {
      var before = 0
      for (part, bound) in bounds.enumerated() {
        let until = place(of: bound)
        counts[part] = until - before
        before = until
      }
      counts[bounds.count] = packed - before
      return counts
    }
    var part = 0
    var inPart = 0
    var (from, until) = (UInt64(0), bounds.first ?? .max)
    var iterator = makeIterator()
    while let (time, kind) = iterator.step() {
      if time < from || time >= until {
        counts[part] += inPart
        inPart = 0
        part = bounds.partitioningIndex { $0 > time }
        from = part > 0 ? bounds[part - 1] : 0
        until = part < bounds.count ? bounds[part] : .max
      }
      inPart += amounts[kind]
    }
    counts[part] += inPart
    return counts
  }

  /// How many wakeups are before a moment, where none is older than the one before.
  private func place(of time: UInt64) -> Int {
    let mark = Swift.max(marks.partitioningIndex { $0.time >= time } - 1, 0)
    var place = mark * Self.stride
    var iterator = iterator(from: mark)
    while let (moment, _) = iterator.step(), moment < time { place += 1 }
    return place
  }

  private func iterator(from place: Int?) -> Iterator {
    let mark = place.map { marks[$0] } ?? Mark(offset: 0, time: 0)
    return Iterator(
      cursor: log.cursor(at: mark.offset), kinds: kinds.values,
      left: packed - (place ?? 0) * Self.stride, time: mark.time, leftOut: leftOut)
  }
}
