import Testing

@testable import Recording

@Suite struct RecentTableTests {
  @Test func `what came longest ago is forgotten, of more than there is room for`() {
    var table = RecentTable<Int, Int>(most: 10)
    for key in 0..<15 { table[key] = key }
    #expect(table.entries.count == 15)
    // It came again.
    table[3] = 33
    for key in 15..<25 { table[key] = key }
    #expect(table[0] == nil && table[3] == 33 && table[14] == 14 && table[24] == 24)
    #expect(table.entries.count <= 20)
  }

  @Test func `what is taken out is in neither half`() {
    var table = RecentTable<Int, Int>(most: 2)
    for key in [1, 2, 3, 1] { table[key] = key }
    table[1] = nil
    #expect(table[1] == nil && table.entries == [2: 2, 3: 3])
  }
}
