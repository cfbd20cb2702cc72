import PerfData
import Testing

@testable import Recording

struct KernelThreadIDsTests {
  @Test func `a sample's two ids are one thread's until either is another's`() {
    var ids = KernelThreadIDs()
    #expect(ids.tid(of: 900) == -1 && ids.kernelTid(of: 7) == nil)
    ids.learn(7, is: 900)
    ids.learn(7, is: 900)
    #expect(ids.takeFresh() == [ThreadIDsEvent.Thread(tid: 7, kernelTid: 900)])
    #expect(ids.takeFresh().isEmpty)
    // The namespace gives 7 again.
    ids.learn(7, is: 901)
    #expect(ids.tid(of: 901) == 7 && ids.tid(of: 900) == -1)
    // The kernel gives 901 again.
    ids.learn(8, is: 901)
    #expect(ids.tid(of: 901) == 8 && ids.kernelTid(of: 7) == nil)
    ids.forget(8)
    #expect(ids.tid(of: 901) == -1 && ids.kernelTid(of: 8) == nil)
  }

  @Test func `a thread is known from its beginning, in whatever order its parent's records come`() {
    var ids = KernelThreadIDs()
    ids.began(11, by: 10, at: 100)
    ids.firstWoken(501, by: 10, at: 105)
    ids.began(21, by: 20, at: 101)
    // The record of the fork is in a ring that is read later.
    ids.firstWoken(502, by: 10, at: 205)
    ids.endRound()
    #expect(ids.tid(of: 501) == 11 && ids.tid(of: 502) == -1)
    ids.began(12, by: 10, at: 200)
    ids.began(12, by: 10, at: 200)
    ids.began(13, by: 10, at: 300)
    ids.firstWoken(601, by: 20, at: 106)
    ids.endRound()
    #expect(ids.tid(of: 502) == 12 && ids.tid(of: 601) == 21)
    ids.firstWoken(503, by: 10, at: 305)
    ids.endRound()
    #expect(ids.tid(of: 503) == 13)
    // What nothing belongs to is forgotten.
    ids.began(14, by: 10, at: 400)
    ids.endRound()
    ids.endRound()
    ids.firstWoken(504, by: 10, at: 405)
    ids.endRound()
    #expect(ids.tid(of: 504) == -1)
  }
}
