import Quantities
import TestSupport
import Testing

@testable import PerfData

struct PlausibleTimesTests {
  private static let second: UInt64 = 1_000_000_000
  private static let day = 86400 * second
  /// A thousand records from the 100th second of the machine on, a millisecond apart.
  private static let usual = (0..<1000).map { 100 * second + UInt64($0) * 1_000_000 }

  private func believed(_ change: (inout [UInt64]) -> Void) -> ClosedRange<UInt64>? {
    var times = Self.usual
    change(&times)
    return PlausibleTimes.range(times)
  }

  @Test func `a leap that no clock makes is not believed, wherever it stands`() {
    let all = Self.usual[0]...Self.usual[999]
    #expect(believed { _ in } == nil)
    #expect(believed { $0[500] += 71_772_209 * Self.second }?.upperBound == Self.usual[999])
    #expect(believed { $0[999] += 71_772_209 * Self.second } == all.lowerBound...Self.usual[998])
    #expect(believed { $0[500] += 2 * 3600 * Self.second } == all)
    #expect(believed { $0.insert(1 << 63, at: 700) } == all)
    // The machine had been up for a day.
    let later = Self.usual.map { $0 + Self.day }
    #expect(
      PlausibleTimes.range(Array(later[..<300] + [5] + later[300...])) == later[0]...later[999])
  }

  @Test func `a program that sleeps is believed`() {
    // The last records of the file are hours younger than all others.
    #expect(believed { $0.append(5 * 3600 * Self.second) } == nil)
    #expect(believed { $0 += [20, 21].map { $0 * Self.day } } == nil)
    // Rings of two CPUs, one behind the other, of which the first has the program's end.
    let few = (0..<20).map { UInt64($0 + 1) * Self.second }
    #expect(PlausibleTimes.range([4000 * Self.second] + few) == nil)
    // A tick an hour.
    #expect(PlausibleTimes.range((1...500).map { UInt64($0) * 3700 * Self.second }) == nil)
  }

  /// One bit of one time, in each of its bits that make more than an hour.
  @Test(arguments: 42..<64)
  func `a trace with one damaged time has the span of its other records`(bit: Int) throws {
    var builder = TraceBuilder()
    builder.comm(time: Self.usual[0], pid: 5, tid: 5, name: "five")
    for (index, time) in Self.usual.enumerated() {
      let flipped = index == 400 ? time ^ 1 << UInt64(bit) : time
      builder.processorSample(time: flipped, 5)
      if index % 50 == 0 { builder.append(RecordBuilder.finishedRound()) }
    }
    let file = try builder.file()
    func times() -> RecordTimes {
      file.forEachBatchAhead([]) { (batch: OrderedBatch) in OffsetSpan() }
    }
    #expect(times().latest - times().earliest >= 3600 * Self.second)
    #expect(file.leaveOutImplausibleTimes(times()))
    #expect(file.implausibleTimes == 1)
    #expect(times().earliest == Self.usual[0] && times().latest == Self.usual[999])
    #expect(times().count == 1000 && file.lateRecords == 0)
    #expect(!file.leaveOutImplausibleTimes(times()), "once is enough")
  }
}
