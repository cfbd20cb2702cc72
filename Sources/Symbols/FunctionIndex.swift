import Quantities

/// Where the functions of a module lie, by the symbol tables that were read, in which their names stay.
///
/// A compiler has 500,000 functions, of which an analysis names some hundred: a table with all their names is made only
/// where it is sent.
struct FunctionIndex {
  /// One function.
  struct Entry {
    var address: UInt64
    /// First address after the function.
    var end: UInt64
    var nameOffset: UInt32
    var nameLength: UInt32
    /// Which of the tables of strings its name is in.
    var text: UInt16
    /// Order among names of one address: the lowest is shown.
    var rank: UInt8
  }

  private let entries: [Entry]
  /// Tables of strings, as the readers hold them.
  private let texts: [UnsafeRawBufferPointer]
  private let readers: [ModuleReader]

  /// Sorts `entries`; those without a size reach to the next function, at most to `limit`.
  init(
    _ entries: [Entry], texts: [UnsafeRawBufferPointer], of readers: [ModuleReader], limit: UInt64
  ) {
    var sorted = entries
    sorted.sort {
      $0.address == $1.address
        ? ($0.rank, $0.nameLength) < ($1.rank, $1.nameLength) : $0.address < $1.address
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
    var kept = 0
    for entry in sorted where kept == 0 || sorted[kept - 1].address != entry.address {
      sorted[kept] = entry
      kept += 1
    }
    sorted.removeLast(sorted.count - kept)
    self.entries = sorted
    self.texts = texts
    self.readers = readers
  }

  /// The function that contains `address`, with the addresses of which the same is true.
  func find(_ address: UInt64) -> Ranged<SymbolTable.Function?> {
    let place = SymbolTable.place(
      of: address, among: entries.count, starts: { entries[$0].address }, ends: { entries[$0].end })
    guard let index = place.value else { return Ranged(range: place.range, value: nil) }
    let entry = entries[index]
    let name = withExtendedLifetime(readers) { String(decoding: text(entry), as: UTF8.self) }
    return Ranged(
      range: place.range,
      value: SymbolTable.Function(mangledName: name, start: entry.address, end: entry.end))
  }

  /// All of them with their names.
  var table: SymbolTable {
    var names: [UInt8] = []
    names.reserveCapacity(entries.reduce(0) { $0 + Int($1.nameLength) })
    var offsets: [UInt32] = []
    offsets.reserveCapacity(entries.count)
    withExtendedLifetime(readers) {
      for entry in entries {
        guard names.count + Int(entry.nameLength) < Int(UInt32.max) else { break }
        offsets.append(UInt32(names.count))
        names.append(contentsOf: text(entry))
      }
    }
    let named = entries.prefix(offsets.count)
    return SymbolTable(
      addresses: Column(named.map(\.address)), ends: Column(named.map(\.end)),
      nameOffsets: Column(offsets), nameLengths: Column(named.map(\.nameLength)),
      names: Column(names)) ?? .empty
  }

  private func text(_ entry: Entry) -> UnsafeRawBufferPointer {
    let start = Int(entry.nameOffset)
    return UnsafeRawBufferPointer(
      rebasing: texts[Int(entry.text)][start..<start + Int(entry.nameLength)])
  }
}
