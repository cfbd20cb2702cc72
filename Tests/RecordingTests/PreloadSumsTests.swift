import CPreloadRing
import Testing

@testable import Recording

/// What threads added up, of which some was told before.
@Suite struct PreloadSumsTests {
  /// Of descriptor 7 by call 44.
  private let key: UInt64 = 0x4000 << 48 | 3 << 32 | 45 << 16 | 7

  private func record(_ count: UInt64, _ bytes: UInt64, goesOn: Bool = true) -> lull_record {
    var record = lull_record()
    record.kind = UInt8(lull_record_sum.rawValue)
    record.arguments = (key, count, bytes)
    record.repeats = goesOn ? 1 : 0
    return record
  }

  @Test func `what was told is not told again, and another of the key begins anew`() {
    var sums = PreloadSums()
    func told(_ record: lull_record, slot: Int = 0) -> [UInt64] {
      let sum = sums.take(record, slot: slot)
      #expect(sum.number == 44 && sum.descriptor == 7 && sum.flags == 0x4000)
      return [sum.count, sum.bytes]
    }
    #expect(told(record(3, 300)) == [3, 300])
    #expect(told(record(3, 300)) == [0, 0])
    #expect(told(record(5, 321)) == [2, 21])
    // Another thread's.
    #expect(told(record(1, 8), slot: 1) == [1, 8])
    #expect(told(record(6, 330, goesOn: false)) == [1, 9])
    #expect(told(record(6, 331)) == [6, 331])
    // The one before was given up where nobody was told.
    #expect(told(record(2, 500)) == [2, 500])
  }

  @Test func `transfers that were added up are equal ones of two sizes`() {
    func parts(_ count: UInt64, _ bytes: UInt64) -> [[UInt64]] {
      EvenTransfers.of(count: count, bytes: bytes).map { [$0.bytes, $0.count] }
    }
    #expect(parts(0, 0) == [])
    #expect(parts(4, 40) == [[10, 4]])
    #expect(parts(4, 43) == [[10, 1], [11, 3]])
  }
}
