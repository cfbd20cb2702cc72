import Testing
import Work

@Suite struct NewTests {
  @Test func spins() { spin(0.15) }
  @Test("writes a file") func writes() throws { try write(500_000) }
  @Test(arguments: [1, 2]) func each(times: Int) { spin(0.05 * Double(times)) }
}

@Suite struct OtherTests {
  @Test func spins() { spin(0.1) }
}
