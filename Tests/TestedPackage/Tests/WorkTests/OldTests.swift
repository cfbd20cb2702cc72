import Work
import XCTest

final class OldTests: XCTestCase {
  func testSpins() { spin(0.2) }
  func testWrites() throws { try write(300_000) }
}
