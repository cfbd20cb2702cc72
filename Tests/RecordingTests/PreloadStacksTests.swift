import CPreloadRing
import Testing

@testable import Recording

@Suite struct PreloadStacksTests {
  private let stack = PreloadStacks.Stack([UInt64](repeating: 1, count: 20), [1, 2, 3])
  private let place = PreloadStacks.Place(slot: 3, number: 7)

  @Test func `a wait goes back to the one in which its stack was told, for five seconds`() {
    var stacks = PreloadStacks()
    stacks.note(stack, isShared: true, at: place)
    #expect(stacks.told("ep_poll", at: place, now: 1_000) == nil)
    stacks.tell("ep_poll", at: place, now: 1_000)
    #expect(stacks.told("ep_poll", at: place, now: 2_000) == 1_000)
    #expect(stacks.told("ep_poll", at: place, now: 4_999_999_999) == 1_000)
    #expect(stacks.told("ep_poll", at: place, now: 5_000_001_001) == nil)
    // From the same place a read of another sort of descriptor waits elsewhere in the kernel.
    #expect(stacks.told("pipe_read", at: place, now: 2_000) == nil)
    #expect(stacks.told("ep_poll", at: .init(slot: 3, number: 8), now: 2_000) == nil)
  }

  @Test func `what is not shared stands for no other call`() {
    var stacks = PreloadStacks()
    stacks.note(stack, isShared: false, at: place)
    stacks.tell(nil, at: place, now: 1_000)
    #expect(stacks.parts(at: place) == nil && stacks.told(nil, at: place, now: 2_000) == nil)
  }

  @Test func `neither a part nor a thread of the same slot knows of the one before`() {
    var stacks = PreloadStacks()
    stacks.note(stack, isShared: true, at: place)
    stacks.tell(nil, at: place, now: 1_000)
    stacks.beginPart()
    #expect(stacks.told(nil, at: place, now: 2_000) == nil)
    #expect(stacks.parts(at: place)?.stack?.bytes == [1, 2, 3])
    stacks.forget(slot: 4)
    #expect(stacks.parts(at: place) != nil)
    stacks.forget(slot: 3)
    #expect(stacks.parts(at: place) == nil)
  }
}
