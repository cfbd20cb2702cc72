import PerfData
import Testing

@testable import Recording

@Suite struct RecordBytesTests {
  @Test func `what is appended is there in order, however much it is, and may be patched`() {
    var output = RecordBytes()
    var expected: [UInt8] = []
    for number in 0..<1_000 {
      let record = [UInt8](repeating: UInt8(number % 251), count: 8 + number % 300)
      output.append(record) { $0.storeBytes(of: UInt8(255), as: UInt8.self) }
      expected += [255] + record.dropFirst()
    }
    #expect(output.bytes == expected && output.count == expected.count && output.records == 1_000)
    output.removeAll()
    #expect(output.isEmpty && output.records == 0)
    output.append([1, 2, 3])
    #expect(output.bytes == [1, 2, 3])
  }

  @Test func `a table of numbers has those, and none beyond it or below zero`() {
    let numbers: CallNumbers = [0, 17, 295]
    #expect((-2..<400).filter { numbers.contains($0) } == [0, 17, 295])
    #expect(!numbers.contains(UInt64.max) && !numbers.contains(Int64.min))
    #expect(!([] as CallNumbers).contains(0))
  }

  @Test func `a slot has what it was given, until that is taken`() {
    var table = SlotTable<String>()
    #expect(table[5] == nil)
    (table[5], table[0]) = ("five", "none")
    #expect(table.values == ["none", "five"] && table.mapValues(\.count)[5] == 4)
    #expect(table.removeValue(at: 5) == "five" && table[5] == nil && table[900] == nil)
    table[900] = nil
    #expect(table.values == ["none"])
  }
}
