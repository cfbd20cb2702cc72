import Glibc
import Testing

@testable import Recording

/// When the mappings of a program that is looked at from outside are asked for.
@Suite struct OutsideMappingsTests {
  private static let millisecond: UInt64 = 1_000_000

  private func address(of function: UnsafeMutableRawPointer?) throws -> UInt64 {
    UInt64(UInt(bitPattern: try #require(function)))
  }

  // The first asking came before the C library was there, the next 2 s later: a sleep of 400 ms was in [unknown].
  @Test func `a program that begins is asked again soon, and then less and less`() {
    let process = OutsideProcess(pid: getpid(), parent: getppid(), at: 0)
    var asked: [UInt64] = []
    for time in 0..<UInt64(7000) where process.newMappings(now: time * Self.millisecond) != nil {
      asked.append(time)
    }
    #expect(asked == [0, 20, 60, 140, 300, 620, 1260, 2540, 4540, 6540])
  }

  @Test func `code that no mapping is known of has them asked for anew`() throws {
    let process = OutsideProcess(pid: getpid(), parent: getppid(), at: 0)
    for time in 0..<UInt64(3000) { _ = process.newMappings(now: time * Self.millisecond) }
    process.isAt(try address(of: dlsym(nil, "clock_nanosleep")))
    #expect(process.newMappings(now: 3000 * Self.millisecond) == nil)
    process.isAt(0x1000)
    #expect(process.newMappings(now: 3000 * Self.millisecond) != nil)
    // Not at each look: it may be code that no file has.
    process.isAt(0x1000)
    #expect(process.newMappings(now: 3001 * Self.millisecond) == nil)
    #expect(process.newMappings(now: 3020 * Self.millisecond) != nil)
  }

  // A program's first wait, 2 ms after it was found, was in [unknown] for the 2 s that it lasted.
  @Test func `of one that has just begun they are asked for at once, and then less and less`() {
    let process = OutsideProcess(pid: getpid(), parent: getppid(), at: 0)
    var asked: [UInt64] = []
    for time in 0..<UInt64(100) {
      if process.newMappings(now: time * Self.millisecond) != nil { asked.append(time) }
      process.isAt(0x1000)
    }
    #expect(asked == [0, 1, 3, 7, 15, 31, 51, 71, 91])
  }
}
