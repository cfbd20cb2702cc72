import Quantities
import Testing

@testable import Signals

@Suite struct RadioReplayTests {
  private let profile = RadioProfile(
    name: "step", title: "1 W for 10 s", source: "test", promotion: nil,
    tail: [RadioState(name: "tail", seconds: 10, power: RadioPower(milliwatts: 1000))],
    idle: RadioPower(milliwatts: 0))

  private func poll(every period: Double, count: Int) -> [NetworkTransfer] {
    (0..<count).map {
      NetworkTransfer(time: Double($0) * period, bytesUp: 100, bytesDown: 100, remote: "a")
    }
  }

  /// A poll each 20 s costs its 10 s tail of 1 W: 10 J. With 60 s of patience, four at a time wait for
  /// the fourth (0, 20, 40 and 60 s): 30 polls make 8 bursts, and 80 J are left of 300.
  @Test func `a poller's saving is what paper says`() {
    let transfers = poll(every: 20, count: 30)
    let replay = RadioReplays.coalesced(
      transfers, delay: 60, from: 0, to: 700, profile: profile)
    #expect(replay.bursts == 8)
    #expect(abs(replay.energyJoules - 80) < 1e-9)
    #expect(abs(replay.savedJoules - 220) < 1e-9)
    #expect(replay.delaySeconds == 60 && replay.movedSends == 22)
  }

  /// Told instead of asked: the first request is left, 10 J of 300.
  @Test func `polls replaced by one wake`() {
    let replay = RadioReplays.withoutPolls(
      poll(every: 20, count: 30), from: 0, to: 700, profile: profile)
    #expect(replay.bursts == 1)
    #expect(abs(replay.savedJoules - 290) < 1e-9)
  }

  @Test func `one burst, or bursts far apart, save nothing`() {
    for transfers in [poll(every: 100, count: 5), poll(every: 1, count: 1), []] {
      let replay = RadioReplays.coalesced(
        transfers, delay: 60, from: 0, to: 600, profile: profile)
      #expect(abs(replay.savedJoules) < 1e-9 && replay.movedSends == 0)
    }
  }

  /// Both tails are charged to their ends: joining them saves one of two, however soon the recording ends.
  @Test func `two bursts joined are half of two`() {
    let replay = RadioReplays.coalesced(
      poll(every: 60, count: 2), delay: 60, from: 0, to: 60.1, profile: profile)
    #expect(abs(replay.energyJoules - 10) < 1e-9)
    #expect(abs(replay.savedJoules - 10) < 1e-9)
  }

  @Test func `what the server begins is waited for, not moved`() {
    // Ours at 0 s, the server's at 30 s, ours at 50 s: ours waits for the server's.
    let transfers = [
      NetworkTransfer(time: 0, bytesUp: 10, remote: "a"),
      NetworkTransfer(time: 30, bytesDown: 10, remote: "b"),
      NetworkTransfer(time: 50, bytesUp: 10, remote: "a"),
    ]
    let moved = RadioReplays.schedule(transfers, delay: 60, from: 0, to: 200, profile: profile)
    #expect(moved.transfers.map(\.time) == [30, 30, 50])
    #expect(moved.transfers.map(\.remote) == ["a", "b", "a"])
  }

  /// Bytes, order, distances within a burst and causality are kept; the number of bursts is the least
  /// that any choice of consecutive groups within the delay gives.
  @Test(arguments: 1...60)
  func `random schedules are conserved and optimal`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var time = 0.0
    var transfers: [NetworkTransfer] = []
    let count = Int.random(in: 1...9, using: &random)
    for _ in 0..<count {
      time += Double.random(in: 2...50, using: &random)
      let isOwn = Int.random(in: 0..<4, using: &random) > 0
      transfers.append(
        NetworkTransfer(
          time: time, bytesUp: isOwn ? 100 : 0, bytesDown: isOwn ? 0 : 100,
          remote: isOwn ? "a" : "b"))
      if Bool.random(using: &random) {
        time += 0.5
        transfers.append(NetworkTransfer(time: time, bytesDown: 50, remote: isOwn ? "a" : "b"))
      }
    }
    let delay = 40.0
    let end = time + 60
    let moved = RadioReplays.schedule(
      transfers, delay: delay, from: 0, to: end, profile: profile)
    #expect(moved.transfers.map(\.bytesUp) == transfers.map(\.bytesUp))
    #expect(moved.transfers.map(\.bytesDown) == transfers.map(\.bytesDown))
    #expect(moved.transfers.map(\.remote) == transfers.map(\.remote))
    for (old, new) in zip(transfers, moved.transfers) {
      #expect(new.time >= old.time - 1e-9 && new.time <= old.time + delay + 1e-9)
    }
    let times = moved.transfers.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 + 1e-9 })

    // Every way to cut the bursts into consecutive groups whose last member the others may wait for.
    let groups = BurstSplitter.split(transfers)
    let movable = BurstSplitter.bursts(of: transfers, from: 0, to: end, profile: profile).bursts
      .map { $0.class == .application || $0.class == .periodic }
    let starts = groups.map { $0[0].time }
    let lengths = groups.map { ($0.last?.time ?? 0) - $0[0].time }
    var least = groups.count
    for cuts in 0..<(1 << (groups.count - 1)) {
      var first = 0
      var number = 0
      var isPossible = true
      for index in groups.indices {
        let isLast = index == groups.count - 1 || cuts & (1 << index) != 0
        guard isLast else {
          isPossible = isPossible && movable[index]
          continue
        }
        let shift = starts[index] - lengths[first..<index].reduce(0, +) - starts[first]
        isPossible = isPossible && shift <= delay
        number += 1
        first = index + 1
      }
      if isPossible { least = min(least, number) }
    }
    let bursts = BurstSplitter.split(moved.transfers).count
    // Two groups may come to lie so close that they are one burst, never the other way.
    #expect(bursts <= least)
  }

  @Test func `the same traffic on other radios`() throws {
    let models = RadioReplays.models(
      poll(every: 60, count: 2), delay: 60, from: 0, to: 100, profile: profile,
      others: try RadioProfileFile.builtIn().map { ($0, $0.technology == "lte") })
    let two = Dictionary(uniqueKeysWithValues: models.map { ($0.use.profile, $0) })
    // Joined they cost about one; a radio that is none of the program's is not asked.
    let lte = try #require(two["lte-2012"])
    #expect(abs(lte.use.energyJoules - 2 * 12.786) < 0.01)
    #expect(abs(try #require(lte.coalescedJoules) - 12.786) < 0.01)
    #expect(two["wifi-aro"]?.coalescedJoules == nil)
    let all = RadioReplays.models(
      [NetworkTransfer(time: 0)], delay: 60, from: 0, to: 100, profile: profile,
      others: try RadioProfileFile.builtIn().map { ($0, false) })
    let joules = Dictionary(
      uniqueKeysWithValues: all.map { ($0.use.profile, $0.use.energyJoules) })
    #expect(abs((joules["lte-2012"] ?? 0) - 12.786) < 0.001)
    #expect(abs((joules["3g-aro"] ?? 0) - 9.5) < 0.001)
    #expect(abs((joules["wifi-aro"] ?? 0) - 0.101) < 0.001)
  }
}
