import PerfData
import Quantities
import TestSupport
import Testing

struct FuzzTests {
  /// A fixed seed that has been seen to pass, and a new one each time.
  static let seeds: [UInt64] = [1, UInt64.random(in: 0 ... .max)]

  private func mutate(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    let extremes: [UInt64] = [0, 1, 0x7fff_ffff, 0xffff_ffff, .max, .max - 7, 1 << 63, 0xffff]
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0 ... .max, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2:
        let value = extremes.randomElement(using: &random) ?? 0
        let aligned = place / 8 * 8
        for index in 0..<8 where aligned + index < bytes.count {
          bytes[aligned + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
        }
      case 3:
        let end = min(bytes.count, place + Int.random(in: 1...64, using: &random))
        if bytes.count - (end - place) > 104 { bytes.removeSubrange(place..<end) }
      default: bytes.removeLast(min(Int.random(in: 0...64, using: &random), bytes.count - 1))
      }
    }
    return bytes
  }

  @Test(arguments: seeds) func `no bytes make the reader crash`(seed: UInt64) {
    print("PerfData fuzz seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let original = SmallTrace.bytes
    var opened = 0
    for _ in 0..<4000 {
      guard let file = try? PerfDataFile(bytes: mutate(original, &random)) else { continue }
      opened += 1
      SmallTrace.exercise(file)
    }
    // The mutations must leave most files open-able, or nothing behind the header is tried.
    #expect(opened > 1000, "seed \(seed)")
  }

  @Test(arguments: seeds) func `any attribute layout over any bytes is decoded or refused`(
    seed: UInt64
  ) {
    print("PerfData sample fuzz seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      var attribute = EventAttribute(
        type: 1, config: 0,
        sampleType: SampleFields(rawValue: UInt64.random(in: 0..<1 << 25, using: &random)),
        readFormat: UInt64.random(in: 0..<32, using: &random),
        sampleRegsUser: UInt64.random(in: 0...0xffffff, using: &random),
        sampleStackUser: UInt32.random(in: 0...128, using: &random), ids: [3], name: "x")
      attribute.branchSampleType = Bool.random(using: &random) ? 1 << 17 | 1 << 19 : 0
      attribute.sampleRegsIntr = 0xff
      var record: [UInt8] = [9, 0, 0, 0, 2, 0, 0, 0]
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        var word = UInt64.random(in: 0...6, using: &random)
        if Int.random(in: 0..<10, using: &random) == 0 { word = random.next() }
        for index in 0..<8 { record.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
      }
      record[6] = UInt8(record.count & 0xff)
      record[7] = UInt8(record.count >> 8)
      let bytes = PerfDataWriter.file(
        attributes: [attribute], records: record, features: FileFeatures())
      guard let file = try? PerfDataFile(bytes: bytes) else {
        Issue.record("seed \(seed): the file did not open")
        return
      }
      SmallTrace.exercise(file)
    }
  }
}
