import Testing

@testable import Symbols

@Suite struct `Mapping tables` {
  private func mapping(_ start: UInt64, _ end: UInt64, _ path: String) -> ModuleMapping {
    ModuleMapping(start: start, end: end, fileOffset: start, path: path)
  }

  @Test func `a newer mapping replaces what it overlaps`() {
    var table = MappingTable()
    table.insert(mapping(0x1000, 0x5000, "/a"))
    table.insert(mapping(0x2000, 0x3000, "/b"))
    #expect(table.mappings.map(\.path) == ["/a", "/b", "/a"])
    #expect(table.find(0x1fff)?.path == "/a")
    #expect(table.find(0x2000)?.path == "/b")
    #expect(table.find(0x3000)?.fileOffset == 0x3000)
    #expect(table.find(0x5000) == nil)
    table.insert(mapping(0, 0x6000, "/c"))
    #expect(table.mappings.map(\.path) == ["/c"])
    table.insert(mapping(0x7000, 0x7000, "/empty"))
    #expect(table.mappings.count == 1)
  }

  @Test func `any order of insertions agrees with a byte-wise model`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var table = MappingTable()
      var model = [Int?](repeating: nil, count: 64)
      for number in 0..<20 {
        let start = Int.random(in: 0..<60, using: &generator)
        let end = Int.random(in: (start + 1)...63, using: &generator)
        table.insert(
          ModuleMapping(
            start: UInt64(start), end: UInt64(end), fileOffset: UInt64(start),
            path: "\(number)"))
        for index in start..<end { model[index] = number }
      }
      for index in 0..<64 {
        let found = table.find(UInt64(index))
        #expect(found?.path == model[index].map { "\($0)" })
        if let found { #expect(found.fileOffset == found.start) }
      }
    }
  }
}
