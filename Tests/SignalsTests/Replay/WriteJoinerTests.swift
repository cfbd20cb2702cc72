import Testing

@testable import Signals

@Suite struct WriteJoinerTests {
  private func join(_ writes: [(UInt64, Double, UInt64?)]) -> (writes: Int, bytes: UInt64) {
    var joiner = WriteJoiner()
    for (bytes, time, offset) in writes { joiner.write(bytes, at: time, offset: offset) }
    joiner.flush()
    return (joiner.writes, joiner.bytes)
  }

  /// 1000 lines of 80 bytes in half a second are 80 kB: a buffer of 64 KiB is emptied twice.
  @Test func `a log of small lines`() {
    let result = join((0..<1000).map { (80, Double($0) / 2000, nil) })
    #expect(result.writes == 2 && result.bytes == 80_000)
  }

  @Test func `a pause or a seek ends a buffer, and bytes stay the same`() {
    #expect(join([(10, 0, nil), (10, 2, nil)]).writes == 2)
    #expect(join([(10, 0, 0), (10, 0.1, 10), (10, 0.2, 20)]).writes == 1)
    #expect(join([(10, 0, 0), (10, 0.1, 500)]).writes == 2)
    #expect(join([(200_000, 0, nil), (10, 0.1, nil)]).bytes == 200_010)
    #expect(join([]).writes == 0)
  }

  @Test func `a sync empties the buffer`() {
    var joiner = WriteJoiner()
    for step in 0..<10 {
      joiner.write(100, at: Double(step) / 100)
      joiner.flush()
    }
    #expect(joiner.writes == 10 && joiner.bytes == 1000)
  }
}
