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

  let entries: [Entry]
  let names: [UInt8]

  /// A table without any function.
  public static var empty: SymbolTable { SymbolTable(entries: [], names: [], limit: 0) }

  /// Number of functions.
  public var count: Int { entries.count }

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
    self.entries = unique
    self.names = names
  }

  /// Where the functions of these names lie.
  func ranges(named wanted: Set<String>) -> [Range<UInt64>] {
    let texts = wanted.map { Array($0.utf8) }
    let lengths = Set(texts.map { UInt32($0.count) })
    return entries.compactMap { entry in
      guard lengths.contains(entry.nameLength), entry.end > entry.address else { return nil }
      let start = Int(entry.nameOffset)
      let name = names[start..<start + Int(entry.nameLength)]
      return texts.contains { $0.elementsEqual(name) } ? entry.address..<entry.end : nil
    }
  }

  /// The function that contains `address`.
  public func find(_ address: UInt64) -> Function? {
    let next = entries.partitioningIndex { $0.address > address }
    // Functions may enclose others (hand-written assembly), so look back a little.
    for index in stride(from: next - 1, through: max(0, next - 8), by: -1)
    where index >= 0 && address < entries[index].end {
      let entry = entries[index]
      let range = Int(entry.nameOffset)..<Int(entry.nameOffset) + Int(entry.nameLength)
      guard range.upperBound <= names.count else { return nil }
      return Function(
        mangledName: String(decoding: names[range], as: UTF8.self), start: entry.address,
        end: entry.end)
    }
    return nil
  }
}
