import Dispatch
import PerfData
import Quantities
import Synchronization
import Testing

@testable import TraceModel

struct WakeupLogTests {
  private static let wakeups = (0..<2000).map { index -> Wakeup in
    let causes: [WaitCause?] = WaitCause.allCases + [nil]
    let contexts: [Wakeup.Context] = [.task, .softInterrupt, .hardInterrupt, .unknown]
    return Wakeup(
      time: Timestamp(nanoseconds: UInt64(index * index) * 1000 + 5),
      tid: index % 7 == 0 ? .max : Int32(index % 50), pid: Int32(index % 5) - 1,
      waker: index % 11 == 0 ? .min : Int32(index % 13), wakerPid: -1,
      context: contexts[index % 4], waited: causes[index % causes.count],
      cpuWasIdle: index % 3 == 0)
  }

  private func same(_ a: Wakeup, _ b: Wakeup) -> Bool {
    a.time == b.time && a.tid == b.tid && a.pid == b.pid && a.waker == b.waker
      && a.wakerPid == b.wakerPid && a.context == b.context && a.waited == b.waited
      && a.cpuWasIdle == b.cpuWasIdle
  }

  @Test func `wakeups come out as they went in, from any time`() {
    let log = WakeupLog(Self.wakeups)
    #expect(log.count == Self.wakeups.count)
    #expect(zip(log, Self.wakeups).allSatisfy(same))
    for index in stride(from: 0, to: Self.wakeups.count, by: 97) {
      let time = Self.wakeups[index].time
      let later = log.from(time).filter { $0.time >= time }
      let expected = Self.wakeups.filter { $0.time >= time }
      #expect(later.count == expected.count && zip(later, expected).allSatisfy(same))
    }
  }

  /// Also more than may wait, by one core, or by two at once.
  @Test(arguments: [0, 1, 8191, 8192, 8193, 150_000], [false, true])
  func `what is packed later, or by another core, comes out as it went in`(
    count: Int, hasHelp: Bool
  ) {
    let wakeups = (0..<count).map { index in
      var wakeup = Self.wakeups[index % Self.wakeups.count]
      wakeup.time = Timestamp(nanoseconds: UInt64(index) * 1000)
      return wakeup
    }
    var packer = WakeupPacker()
    let packing = packer.packing
    let isOver = Atomic(false)
    let helper = DispatchGroup()
    if hasHelp {
      DispatchQueue.global().async(group: helper) {
        while !isOver.load(ordering: .relaxed) { _ = packing.pack() }
      }
    }
    for wakeup in wakeups { packer.append(wakeup) }
    let log = packer.finish()
    isOver.store(true, ordering: .relaxed)
    helper.wait()
    #expect(log.count == count && zip(log, wakeups).allSatisfy(same))
  }

  @Test func `wakeups out of order are kept, and found`() {
    let shuffled = Self.wakeups.reversed()
    let log = WakeupLog(shuffled)
    #expect(zip(log, shuffled).allSatisfy(same))
    let time = Self.wakeups[1000].time
    #expect(log.from(time).count { $0.time >= time } == 1000)
  }

  /// Of one process by their places, of several by looking at each.
  @Test(arguments: [1, 2], [0, 1, 255, 256, 257, 2000])
  func `wakeups are counted between moments`(processes: Int, count: Int) {
    let wakeups = (0..<count).map { index in
      var wakeup = Self.wakeups[index]
      wakeup.pid = Int32(index % processes)
      return wakeup
    }
    let log = WakeupLog(wakeups)
    let moments = (0..<60).map { UInt64($0) * 80_000_000 } + wakeups.map(\.time.nanoseconds)
    let bounds = Set(moments).sorted().map { Timestamp(nanoseconds: $0) }
    var wanted = [Int](repeating: 0, count: bounds.count + 1)
    for wakeup in wakeups where wakeup.pid == 0 { wanted[bounds.count { $0 <= wakeup.time }] += 1 }
    #expect(log.counts(of: 0, between: bounds) == wanted)
  }

  /// With and without an order that tells where to stop.
  @Test(arguments: [true, false])
  func `what a process was woken for before a moment is left out`(isAscending: Bool) {
    var all = Self.wakeups
    if !isAscending { all.swapAt(10, 1500) }
    for moment: UInt64 in [0, 5, 300 * 300 * 1000 + 5, .max] {
      let time = Timestamp(nanoseconds: moment)
      var log = WakeupLog(all)
      log.leaveOut(2, before: time)
      let rest = WakeupLog(all.filter { $0.pid != 2 || $0.time >= time })
      #expect(log.count == rest.count && log.earliest == rest.earliest)
      #expect(zip(log, rest).allSatisfy { same($0, $1) } && Array(log).count == rest.count)
      #expect(log.countsByProcess.filter { $0.value > 0 } == rest.countsByProcess)
      #expect(log.countsByKind.map(\.count).sorted() == rest.countsByKind.map(\.count).sorted())
      let bounds = (0..<40).map { Timestamp(nanoseconds: $0 * 100_000_000) }
      #expect(log.counts(of: 2, between: bounds) == rest.counts(of: 2, between: bounds))
      #expect(log.counts(of: 1, between: bounds) == rest.counts(of: 1, between: bounds))
    }
  }
}
