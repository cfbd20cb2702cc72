import Quantities

/// Breaks traces as a damaged disk or a hostile sender would: record by record rather than byte by byte.
package struct StructuralMutator {
  private var random: SeededGenerator

  /// The same seed breaks in the same way.
  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func next() -> UInt64 { random.next() }

  private mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }

  private static let extremes: [UInt64] = [
    0, 1, 7, 8, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 61, 1 << 63, .max, .max - 7,
  ]

  private func size(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset + 6]) | Int(bytes[offset + 7]) << 8
  }

  /// Where the records of a plain little-endian data section begin.
  private func records(_ bytes: [UInt8], _ data: Range<Int>) -> [Int] {
    var offsets: [Int] = []
    var offset = data.lowerBound
    while offset + 8 <= min(data.upperBound, bytes.count) {
      let size = size(bytes, offset)
      guard size >= 8 else { break }
      offsets.append(offset)
      offset += size
    }
    return offsets
  }

  private func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    guard offset + 8 <= bytes.count else { return 0 }
    var value: UInt64 = 0
    for index in 0..<8 { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return Int(clamping: value)
  }

  private func put(_ value: UInt64, _ width: Int, at offset: Int, in bytes: inout [UInt8]) {
    for index in 0..<width where offset + index < bytes.count {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
  }

  /// A broken copy of a file with a header, or of one from a pipe.
  package mutating func mutate(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...below(6) {
      let isPipe = word(bytes, 8) == 16
      let start = isPipe ? 16 : min(word(bytes, 40), bytes.count)
      let end = isPipe ? bytes.count : min(start + min(word(bytes, 48), bytes.count), bytes.count)
      let offsets = records(bytes, start..<max(start, end))
      guard let record = offsets.isEmpty ? nil : offsets[below(offsets.count)] else { break }
      let length = min(size(bytes, record), bytes.count - record)
      switch below(10) {
      case 0: put(UInt64(below(90)), 4, at: record, in: &bytes)
      case 1: put(Self.extremes[below(Self.extremes.count)], 2, at: record + 6, in: &bytes)
      case 2: put(UInt64(max(0, length + 8 * (below(5) - 2))), 2, at: record + 6, in: &bytes)
      case 3, 4:
        // Counts and sizes are aligned words and half-words.
        let width = below(2) == 0 ? 8 : 4
        put(
          Self.extremes[below(Self.extremes.count)], width,
          at: record + 8 + below(max(length - 8, 1)) / width * width, in: &bytes)
      case 5: bytes.removeSubrange(record..<record + length)
      case 6: bytes.insert(contentsOf: bytes[record..<record + length], at: record)
      case 7:
        for index in record..<min(record + 8 * below(64), bytes.count) { bytes[index] = 0 }
      case 8:
        // The header, attributes and ids.
        put(
          Self.extremes[below(Self.extremes.count)], 8, at: below(max(start, 8)) / 8 * 8,
          in: &bytes)
      default:
        // The features.
        if end < bytes.count {
          put(
            Self.extremes[below(Self.extremes.count)], 8,
            at: end + below(bytes.count - end) / 8 * 8, in: &bytes)
        } else {
          bytes.removeLast(below(bytes.count))
        }
      }
    }
    return bytes
  }
}
