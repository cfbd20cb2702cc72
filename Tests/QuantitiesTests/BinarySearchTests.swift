import Quantities
import Testing

@Suite struct `Binary search` {
  @Test(arguments: 0...9)
  func `the first index of the second part, wherever that begins`(first: Int) {
    #expect((0..<9).partitioningIndex { $0 >= first } == first)
  }

  @Test func `of equal elements the first is found`() {
    #expect([1, 2, 2, 2, 3].partitioningIndex { $0 >= 2 } == 1)
    #expect([1, 2, 2, 2, 3].partitioningIndex { $0 > 2 } == 4)
  }

  @Test func `nothing to search ends where it begins`() {
    #expect([Int]().partitioningIndex { _ in true } == 0)
  }

  @Test func `a slice keeps its own indices, and a range may be long`() {
    #expect([0, 1, 2, 3, 4, 5][2..<5].partitioningIndex { $0 >= 4 } == 4)
    let numbers: Range<UInt64> = 0..<1 << 60
    #expect(numbers.partitioningIndex { $0 >= 1 << 59 } == 1 << 59)
  }
}
