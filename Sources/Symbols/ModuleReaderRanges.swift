import CElf
import Glibc

extension ModuleReader {
  /// Where functions of these names lie, by the symbol tables of this file and of `debugFile`, in the order of their
  /// addresses.
  ///
  /// What is asked of every module of a trace, most of which have none of them: a table of all functions, of which a
  /// compiler has 500,000, is not made for that.
  func ranges(named wanted: [String], debugFile: ModuleReader? = nil) -> [Range<UInt64>] {
    let readers = [self, debugFile].compactMap { $0 }
    var found: [UInt64: UInt64] = [:]
    for reader in readers {
      reader.eachTable { symbols, text in
        let places = Self.places(of: wanted, in: text)
        guard let first = places.min(), let last = places.max() else { return }
        Self.eachFunction(symbols, segments) { symbol, segment, _ in
          guard symbol.st_name >= first, symbol.st_name <= last, places.contains(symbol.st_name)
          else { return }
          let size = min(symbol.st_size, segment.address + segment.fileSize - symbol.st_value)
          found[symbol.st_value] = max(found[symbol.st_value] ?? 0, size)
        }
      }
    }
    // Those without a size reach to the next function.
    for start in found.filter({ $0.value == 0 }).keys {
      var end = segments.first { start >= $0.address && start - $0.address < $0.fileSize }
        .map { $0.address + $0.fileSize }
      for reader in readers {
        reader.eachTable { symbols, _ in
          Self.eachFunction(symbols, segments) { symbol, _, _ in
            if symbol.st_value > start { end = min(end ?? .max, symbol.st_value) }
          }
        }
      }
      found[start] = (end ?? start) - start
    }
    return found.sorted { $0.key < $1.key }.map { $0.key..<$0.key + $0.value }
  }

  /// The offsets at which names are told in a table of strings: a name is also the end of a longer one.
  private static func places(of names: [String], in text: UnsafeRawBufferPointer) -> Set<UInt32> {
    var places: Set<UInt32> = []
    guard let base = text.baseAddress else { return places }
    let wanted = names.map { Array($0.utf8) }.filter { !$0.isEmpty }
    // Most names end otherwise.
    var ends = [Bool](repeating: false, count: 256)
    for name in wanted { ends[Int(name[name.count - 1])] = true }
    var from = 0
    while from < text.count, let hit = memchr(base + from, 0, text.count - from) {
      let end = base.distance(to: hit)
      defer { from = end + 1 }
      guard end > from, ends[Int(text[end - 1])] else { continue }
      for name in wanted where name.count <= end - from && name.last == text[end - 1] {
        let place = end - name.count
        if memcmp(base + place, name, name.count) == 0 { places.insert(UInt32(clamping: place)) }
      }
    }
    return places
  }
}
