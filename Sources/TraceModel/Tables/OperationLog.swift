import PerfData
import Quantities

/// One operation as it is packed: the number of its kind and what is its own.
struct OperationEntry {
  var kind: Int
  /// Nanoseconds on the trace's clock.
  var time: UInt64
  var bytes: UInt64
  /// How long it took, where that is known.
  var duration: TimeSpan?
  var offset: UInt64?
}

/// Operations in the order of the trace, packed: about eight bytes each where they are alike.
///
/// Who did what (of files: to which) comes again and again, so each such kind is kept once; an operation is the number
/// of its kind, the time since the one before, and its bytes.
///
///     +------+--------+-----------+-----------+ - - - - - +- - - - - +
///     | head |  kind  |   step    |   bytes   | duration  |  offset  |
///     +------+--------+-----------+-----------+ - - - - - +- - - - - +
///        1     2 or 4  2, 3, 4, 8  2, 3, 4, 8   8, if any   8, if any    bytes
///
///     head, from the lowest bit:  2 width of the step | 2 width of the bytes | 1 the kind has 4 bytes
///                                 | 1 there is a duration | 1 there is an offset | 1 unused
///
/// The step is the zigzag of the nanoseconds since the operation before, since times may go back. The widths are
/// `ByteLog.Width`.
public struct OperationLog<Kind: Hashable & Sendable>: Sendable {
  typealias Entry = OperationEntry

  private var log = ByteLog()
  private var numbering = Numbering<Kind>()
  private var time: UInt64 = 0
  public private(set) var count = 0
  /// The earliest operation.
  public private(set) var earliest = Timestamp(nanoseconds: .max)

  init() {}

  /// The kinds by their numbers.
  var kinds: ContiguousArray<Kind> { numbering.values }

  public var isEmpty: Bool { count == 0 }

  /// The number of a kind; kinds with other hints are other kinds.
  mutating func number(of kind: Kind, hint: Int) -> Int { numbering.number(of: kind, hint: hint) }

  mutating func append(_ entry: Entry) {
    let step = Int64(bitPattern: entry.time &- time).zigzag
    let stepWidth = ByteLog.Width(of: step)
    let bytesWidth = ByteLog.Width(of: entry.bytes)
    log.append { place in
      var head = stepWidth.code | bytesWidth.code << 2
      place.put(UInt16(truncatingIfNeeded: entry.kind), at: 1)
      var end = 3
      if entry.kind > UInt16.max {
        head |= Packing.isWide
        place.put(UInt32(truncatingIfNeeded: entry.kind), at: 1)
        end = 5
      }
      place.put(step, at: end)
      end += stepWidth.bytes
      place.put(entry.bytes, at: end)
      end += bytesWidth.bytes
      if let duration = entry.duration {
        head |= Packing.hasDuration
        place.put(duration.nanoseconds, at: end)
        end += 8
      }
      if let offset = entry.offset {
        head |= Packing.hasOffset
        place.put(offset, at: end)
        end += 8
      }
      place.put(head, at: 0)
      return end
    }
    time = entry.time
    earliest = Swift.min(earliest, Timestamp(nanoseconds: entry.time))
    count += 1
  }

  var entries: Entries { Entries(cursor: log.cursor(at: 0), left: count) }

  /// Unpacks one operation after another.
  struct Entries: Sequence, IteratorProtocol {
    fileprivate var cursor: ByteLog.Cursor
    fileprivate var left: Int
    private var time: UInt64 = 0

    fileprivate init(cursor: ByteLog.Cursor, left: Int) {
      self.cursor = cursor
      self.left = left
    }

    mutating func next() -> Entry? {
      guard left > 0 else { return nil }
      left -= 1
      let head = cursor.next(UInt8.self)
      let kind =
        head & Packing.isWide != 0 ? Int(cursor.next(UInt32.self)) : Int(cursor.next(UInt16.self))
      let step = cursor.number(ByteLog.Width(code: head))
      time &+= UInt64(bitPattern: Int64(zigzag: step))
      var entry = Entry(
        kind: kind, time: time, bytes: cursor.number(ByteLog.Width(code: head >> 2)))
      if head & Packing.hasDuration != 0 {
        entry.duration = TimeSpan(nanoseconds: cursor.next(Int64.self))
      }
      if head & Packing.hasOffset != 0 { entry.offset = cursor.next(UInt64.self) }
      return entry
    }
  }
}

/// The bits of an operation's first byte, above the two widths.
private enum Packing {
  static let isWide: UInt8 = 0x10
  static let hasDuration: UInt8 = 0x20
  static let hasOffset: UInt8 = 0x40
}

/// File operations in the order of the trace.
public typealias FileOperations = OperationLog<FileOperation.Shape>

extension OperationLog: Sequence, TraceTable, PackedTable, ExpressibleByArrayLiteral
where Kind == FileOperation.Shape {
  public init(_ operations: some Sequence<FileOperation>) {
    self.init()
    for operation in operations { append(operation) }
  }

  public init(arrayLiteral elements: FileOperation...) { self.init(elements) }

  public var underestimatedCount: Int { 0 }

  mutating func append(_ operation: FileOperation) {
    append(
      Entry(
        kind: number(of: operation.shape, hint: Int(operation.tid)),
        time: operation.time.nanoseconds, bytes: operation.bytes, duration: operation.duration,
        offset: operation.offset))
  }

  public func makeIterator() -> FileOperationIterator {
    FileOperationIterator(
      entries: entries, shapes: kinds,
      isWanted: ContiguousArray(repeating: true, count: kinds.count))
  }

  /// What a process did to files on storage.
  public func onDisk(by pid: Int32) -> IteratorSequence<FileOperationIterator> {
    matching { $0.pid == pid && $0.isDisk }
  }

  /// Operations of the kinds that are wanted; the others take next to no time.
  public func matching(
    _ isWanted: (FileOperation.Shape) -> Bool
  ) -> IteratorSequence<FileOperationIterator> {
    let wanted = ContiguousArray(kinds.map(isWanted))
    return IteratorSequence(
      FileOperationIterator(
        entries: wanted.contains(true) ? entries : OperationLog().entries, shapes: kinds,
        isWanted: wanted))
  }
}

/// Unpacks file operations.
public struct FileOperationIterator: IteratorProtocol {
  var entries: FileOperations.Entries
  let shapes: ContiguousArray<FileOperation.Shape>
  let isWanted: ContiguousArray<Bool>

  public mutating func next() -> FileOperation? {
    while let entry = entries.next() {
      guard isWanted[entry.kind] else { continue }
      return FileOperation(
        shapes[entry.kind], time: Timestamp(nanoseconds: entry.time), bytes: entry.bytes,
        duration: entry.duration, offset: entry.offset)
    }
    return nil
  }
}
