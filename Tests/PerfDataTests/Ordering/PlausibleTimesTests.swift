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

  @Test func `where all times are held together there is a pause`() {
    func mayHaveFound(_ times: [UInt64]) -> Bool {
      var pauses = PauseFinder()
      for time in times { pauses.note(time) }
      return pauses.mayHaveFound
    }
    #expect(!mayHaveFound([]) && !mayHaveFound([5]) && !mayHaveFound(Self.usual))
    // An hour lies between some, wherever these begin.
    for start in stride(from: UInt64(0), to: 3600, by: 100) {
      let hours = (0..<20).map { (start + $0 * 1800) * Self.second }
      #expect(!mayHaveFound(hours) && !mayHaveFound(hours.reversed()))
      #expect(mayHaveFound(hours.filter { $0 != hours[7] && $0 != hours[8] && $0 != hours[9] }))
      #expect(mayHaveFound([start * Self.second, (start + 3600) * Self.second + 1]))
    }
    #expect(mayHaveFound(Self.usual + [1 << 63]) && mayHaveFound(Self.usual + [5000 * Self.second]))
  }

  /// A recorder looks at each hour's file so, which may have a hundred megabytes.
  @Test(arguments: [false, true])
  func `the pages of a long trace are given back`(hasPause: Bool) throws {
    var builder = TraceBuilder()
    let stack = [UInt8](repeating: 1, count: 32 << 10)
    let pause: UInt64 = hasPause ? 3700 : 0
    for index in UInt64(0)..<1000 {
      builder.processorSample(
        time: (1 + index * 4 + (index < 500 ? 0 : pause)) * Self.second, 5, registers: [1, 2, 3],
        stack: stack)
    }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/long.perf.data"
    try builder.write(to: path)
    let file = try PerfDataFile(path: path)
    let times = file.forEachBatch([]) { _ in OffsetSpan() }
    #expect(PlausibleTimes.areDoubtful(times, late: 0))
    #expect(!file.leaveOutImplausibleTimes(times))
    #expect(try #require(MappedBytes.count(of: path)) < 8 << 20)
  }

  @Test func `the pages of a trace whose records are counted are given back`() throws {
    var builder = TraceBuilder()
    let stack = [UInt8](repeating: 1, count: 32 << 10)
    for index in UInt64(1)...1000 {
      builder.processorSample(time: index, 5, registers: [1, 2, 3], stack: stack)
    }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/counted.perf.data"
    try builder.write(to: path)
    let file = try PerfDataFile(path: path)
    #expect(file.recordCounts[RecordType.sample] == 1000)
    #expect(try #require(MappedBytes.count(of: path)) < 8 << 20)
  }
}
