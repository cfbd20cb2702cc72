import PerfData
import Quantities

/// Transfers in the order of the trace, packed: about eight bytes each where they are alike.
///
/// An `OperationLog`, in which a transfer's weight, where it is not 1, stands for the offset.
public struct TransferLog: Sequence, PackedTable, ExpressibleByArrayLiteral, Sendable {
  private var log = OperationLog<Transfer.Shape>()

  public init() {}

  public init(_ transfers: some Sequence<Transfer>) {
    for transfer in transfers { append(transfer) }
  }

  public init(arrayLiteral elements: Transfer...) { self.init(elements) }

  public var count: Int { log.count }
  public var underestimatedCount: Int { log.count }
  /// The earliest transfer.
  var earliest: Timestamp { log.earliest }

  mutating func append(_ transfer: Transfer) {
    let shape = Transfer.Shape(transfer)
    log.append(
      OperationEntry(
        kind: log.number(of: shape, hint: shape.hint), time: transfer.time.nanoseconds,
        bytes: transfer.bytes, offset: transfer.weight == 1 ? nil : transfer.weight))
  }

  /// Adds the stacks that were taken of some sends.
  mutating func add(_ sites: [CallSiteSample]) {
    let stacks = CallSiteDecoder.nearest(sites, lazy.map { (tid: $0.tid, time: $0.time) })
    guard !stacks.isEmpty else { return }
    self = TransferLog(
      enumerated().lazy.map { index, transfer in
        var told = transfer
        told.stack = stacks[index] ?? transfer.stack
        return told
      })
  }

  /// Puts transfers of sockets whose connections were seen only as they ended to those; gives whose they are.
  mutating func add(
    _ late: [UInt64: [(until: Timestamp, connection: Int)]]
  ) -> [Int: [Int32]] {
    guard !late.isEmpty else { return [:] }
    var owners: [Int: [Int32]] = [:]
    var told: [Transfer] = []
    for var transfer in self {
      if transfer.connection == nil, transfer.isInternet,
        let end = late[transfer.socket]?.first(where: { $0.until >= transfer.time })
      {
        transfer.connection = end.connection
        if owners[end.connection]?.contains(transfer.pid) != true {
          owners[end.connection, default: []].append(transfer.pid)
        }
      }
      told.append(transfer)
    }
    if !owners.isEmpty { self = TransferLog(told) }
    return owners
  }

  public func makeIterator() -> Iterator { iterator { _ in true } }

  /// What a process sent to and received from the internet.
  public func internet(of pid: Int32) -> IteratorSequence<Iterator> {
    IteratorSequence(iterator { $0.pid == pid && $0.isInternet })
  }

  /// Transfers of the kinds that are wanted; the others take next to no time.
  private func iterator(_ isWanted: (Transfer.Shape) -> Bool) -> Iterator {
    let wanted = ContiguousArray(log.kinds.map(isWanted))
    let entries = wanted.contains(true) ? log.entries : OperationLog<Transfer.Shape>().entries
    return Iterator(entries: entries, shapes: log.kinds, isWanted: wanted)
  }

  /// Unpacks transfers.
  public struct Iterator: IteratorProtocol {
    fileprivate var entries: OperationLog<Transfer.Shape>.Entries
    fileprivate let shapes: ContiguousArray<Transfer.Shape>
    fileprivate let isWanted: ContiguousArray<Bool>

    public mutating func next() -> Transfer? {
      while let entry = entries.next() {
        guard isWanted[entry.kind] else { continue }
        return shapes[entry.kind].transfer(
          at: Timestamp(nanoseconds: entry.time), bytes: entry.bytes, weight: entry.offset ?? 1)
      }
      return nil
    }
  }
}

extension Transfer {
  /// What many transfers have in common.
  struct Shape: Hashable, Sendable {
    let pid: Int32
    private let tid: Int32
    private let socket: UInt64
    private let family: Int
    private let transportProtocol: Int
    private let stack: Int?
    private let connection: Int?
    private let direction: Direction
    private let isSample: Bool

    init(_ transfer: Transfer) {
      pid = transfer.pid
      tid = transfer.tid
      socket = transfer.socket
      family = transfer.family
      transportProtocol = transfer.transportProtocol
      stack = transfer.stack
      connection = transfer.connection
      direction = transfer.direction
      isSample = transfer.isSample
    }

    /// Tells most shapes from each other; sockets stand at multiples of 64.
    var hint: Int {
      Int(truncatingIfNeeded: socket >> 5) ^ Int(tid) << 1 ^ (direction == .send ? 1 : 0)
    }

    var isInternet: Bool { Transfer.isInternet(family) }

    func transfer(at time: Timestamp, bytes: UInt64, weight: UInt64) -> Transfer {
      Transfer(
        time: time, pid: pid, tid: tid, direction: direction, bytes: bytes, weight: weight,
        socket: socket, family: family, transportProtocol: transportProtocol, stack: stack,
        connection: connection, isSample: isSample)
    }
  }
}
