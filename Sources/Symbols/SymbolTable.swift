import Quantities

/// Functions of one module, sorted by address.
public struct SymbolTable: Sendable {
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
  public static var empty: SymbolTable { SymbolTable() }

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

  private init() {
    addresses = Column([])
    ends = Column([])
    nameOffsets = Column([])
    nameLengths = Column([])
    names = Column([])
  }

  /// The function that contains `address`.
  public func find(_ address: UInt64) -> Function? {
    let place = Self.place(
      of: address, among: count, starts: { addresses[$0] }, ends: { ends[$0] })
    guard let index = place.value, let range = name(at: index) else { return nil }
    let name = names.withBytes { String(decoding: $0[range], as: UTF8.self) }
    return Function(mangledName: name, start: addresses[index], end: ends[index])
  }

  /// Which of so many functions, sorted by their starts, contains an address, with the addresses of which the same is
  /// true.
  static func place(
    of address: UInt64, among count: Int, starts: (Int) -> UInt64, ends: (Int) -> UInt64
  ) -> Ranged<Int?> {
    let next = (0..<count).partitioningIndex { starts($0) > address }
    var first = next > 0 ? starts(next - 1) : 0
    let last = next < count ? starts(next) - 1 : .max
    // Functions may enclose others (hand-written assembly), so look back a little.
    for index in stride(from: next - 1, through: max(0, next - 8), by: -1) where index >= 0 {
      let end = ends(index)
      if address < end { return Ranged(range: first...min(last, end - 1), value: index) }
      first = max(first, end)
    }
    return Ranged(range: first...last, value: nil)
  }

  /// Where in `names` a function's name lies; what another process sent may lead nowhere.
  private func name(at index: Int) -> Range<Int>? {
    let start = Int(nameOffsets[index])
    let end = start + Int(nameLengths[index])
    return end <= names.count ? start..<end : nil
  }
}
