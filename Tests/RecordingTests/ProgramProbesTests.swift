import Testing

@testable import Recording

@Suite struct ProgramProbesTests {
  private static let second: UInt64 = 1_000_000_000

  @Test
  func
    `a program that begins while the target is busy has its turn, and what it starts has it too`()
  {
    var programs = ProgramProbes([1])
    let start = 100 * Self.second
    programs.note(isBusy: true, now: start)
    #expect(programs.takeDue(now: start).isEmpty)
    programs.began(2, by: 1)
    programs.executed(2)
    #expect(programs.takeDue(now: start) == [2])
    programs.gave([50, 51], to: 2, now: start)
    #expect(programs.takeDue(now: start).isEmpty)
    // What it starts inherits them, whatever program it becomes.
    programs.began(3, by: 2)
    programs.executed(3)
    #expect(programs.takeDue(now: start).isEmpty && programs.has(3))
    // They are closed when nobody has them any longer.
    programs.ended(2)
    #expect(programs.takeUnused().isEmpty)
    programs.ended(3)
    #expect(programs.takeUnused() == [50, 51] && programs.takeUnused().isEmpty)
  }

  @Test func `a program that has lasted while the target is busy loses them`() {
    var programs = ProgramProbes([1])
    let start = 100 * Self.second
    programs.gave([50], to: 1, now: start)
    programs.gave([60], to: 2, now: start + ProgramProbes.trial / 2)
    #expect(programs.takeTried(now: start + ProgramProbes.trial - 1).isEmpty)
    #expect(programs.takeTried(now: start + ProgramProbes.trial) == [50])
    #expect(!programs.has(1) && programs.has(2))
    #expect(programs.takeAll() == [60])
  }

  @Test
  func `of programs that begin one after another a few a second have their turn, the newest first`()
  {
    var programs = ProgramProbes([1])
    let start = 100 * Self.second
    for pid in 2...30 { programs.executed(Int32(pid)) }
    #expect(programs.takeDue(now: start) == (23...30).reversed().map { Int32($0) })
    programs.ended(22)
    #expect(programs.takeDue(now: start + Self.second / 2) == [21, 20])
    #expect(programs.takeDue(now: start + Self.second / 2).isEmpty)
    programs.forgetWaiting()
    #expect(programs.takeDue(now: start + 60 * Self.second).isEmpty)
  }

  @Test func `when the target has become quiet all that it has are given them, each time later`() {
    var programs = ProgramProbes([1, 2])
    programs.began(3, by: 1)
    programs.ended(2)
    var now = 100 * Self.second
    func given(after seconds: UInt64) -> [Int32] {
      var due: [Int32] = []
      for _ in 0..<(seconds * 10) {
        programs.note(isBusy: false, now: now)
        due += programs.takeDue(now: now)
        now += Self.second / 10
      }
      return due
    }
    programs.note(isBusy: true, now: now)
    #expect(given(after: 2).isEmpty)
    #expect(given(after: 1) == [3, 1])
    // Once.
    #expect(given(after: 20).isEmpty)
    programs.note(isBusy: true, now: now)
    #expect(given(after: 4).isEmpty)
    #expect(given(after: 1) == [3, 1])
  }
}
