import Quantities

/// Functions of one module, sorted by address.
public struct SymbolTable: Sendable {
  /// One function.
  public struct Entry: Sendable {
    var address: UInt64
    /// First address after the function.
    var end: UInt64
    var nameOffset: UInt32
    var nameLength: UInt32
    /// Order among names of one address: the lowest is shown.
    var rank: UInt8
  }

  /// A function as found by address.
  public struct Function: Hashable, Sendable {
    public var mangledName: String
    public var start: UInt64
    public var end: UInt64
  }

  let addresses: Column<UInt64>
  let ends: Column<UInt64>
  let nameOffsets: Column<UInt32>
  let nameLengths: Column<UInt32>
  let names: Column<UInt8>

  /// A table without any function.
  public static var empty: SymbolTable { SymbolTable(entries: [], names: [], limit: 0) }

  /// Number of functions.
  public var count: Int { addresses.count }

  /// A table that is sorted already; nil where its columns differ in length.
  init?(
    addresses: Column<UInt64>, ends: Column<UInt64>, nameOffsets: Column<UInt32>,
    nameLengths: Column<UInt32>, names: Column<UInt8>
  ) {
    guard [ends.count, nameOffsets.count, nameLengths.count].allSatisfy({ $0 == addresses.count })
    else { return nil }
    self.addresses = addresses
    self.ends = ends
    self.nameOffsets = nameOffsets
    self.nameLengths = nameLengths
    self.names = names
  }

  /// Sorts `entries`; those without a size reach to the next function, at most to `limit`.
  init(entries: [Entry], names: [UInt8], limit: UInt64) {
    var sorted = entries.sorted {
      ($0.address, $0.rank, $0.nameLength) < ($1.address, $1.rank, $1.nameLength)
    }
    var next = limit
    var index = sorted.count
    var address = UInt64.max
    var following = limit
    while index > 0 {
      index -= 1
      if sorted[index].address != address {
        following = next
        address = sorted[index].address
        next = address
      }
      if sorted[index].end <= sorted[index].address {
        sorted[index].end = max(following, sorted[index].address)
      }
    }
    // Of several names of one address the best comes first; the others are of no use any more.
    var unique: [Entry] = []
    unique.reserveCapacity(sorted.count)
    for entry in sorted where unique.last?.address != entry.address { unique.append(entry) }
    addresses = Column(unique.map(\.address))
    ends = Column(unique.map(\.end))
    nameOffsets = Column(unique.map(\.nameOffset))
    nameLengths = Column(unique.map(\.nameLength))
    self.names = Column(names)
  }

  /// The function that contains `address`.
  public func find(_ address: UInt64) -> Function? {
    let next = addresses.partitioningIndex { $0 > address }
    // Functions may enclose others (hand-written assembly), so look back a little.
    for index in stride(from: next - 1, through: max(0, next - 8), by: -1)
    where index >= 0 && address < ends[index] {
      guard let range = name(at: index) else { return nil }
      let name = names.withBytes { String(decoding: $0[range], as: UTF8.self) }
      return Function(mangledName: name, start: addresses[index], end: ends[index])
    }
    return nil
  }

  /// Where in `names` a function's name lies; what another process sent may lead nowhere.
  private func name(at index: Int) -> Range<Int>? {
    let start = Int(nameOffsets[index])
    let end = start + Int(nameLengths[index])
    return end <= names.count ? start..<end : nil
  }
}
