import Testing

@testable import Files

struct ChecksumTests {
  @Test func `what was summed up is told piece by piece, up to the last words`() {
    let bytes = (0..<(3 << 20) + 77).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    bytes.withUnsafeBytes { bytes in
      var passed: [Range<Int>] = []
      let sum = Checksum.of(bytes, from: 16) { passed.append($0) }
      #expect(sum == Checksum.of(bytes, from: 16))
      #expect(passed.count == 4 && passed.first?.lowerBound == 16)
      #expect(zip(passed, passed.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      #expect(bytes.count - (passed.last?.upperBound ?? 0) < 32)
    }
  }

  @Test(arguments: [16, 47, 1 << 20, (1 << 20) + 16, (2 << 20) + 50])
  func `each byte counts, wherever a piece ends`(count: Int) {
    var bytes = [UInt8](repeating: 7, count: count)
    func sum() -> UInt64 { bytes.withUnsafeBytes { Checksum.of($0, from: 0) } }
    let whole = sum()
    for place in [0, count / 2, count - 1] {
      bytes[place] ^= 1
      #expect(sum() != whole)
      bytes[place] ^= 1
    }
    #expect(sum() == whole)
  }
}
