import Quantities
import Signals
import Testing

@Suite struct RadioModelTests {
  private func replay(
    _ profile: String, times: [Double] = [0], until end: Double = 100
  ) throws -> RadioReplay {
    RadioModel.replay(
      transfers: times.map { RadioTransfer(time: $0) }, from: 0, to: end,
      profile: try RadioProfileFile.profile(named: profile))
  }

  @Test(arguments: [
    ("lte-2012", 12.786), ("lte-aro", 11.367), ("3g-aro", 9.5), ("wifi-aro", 0.10075),
    // 0.266 s × 1.2107 W + 0.1 s × 1.28804 W + 9.9 s × (1.060 + 0.6202 × 1/40) W.
    ("lte-2021-verizon", 11.0984),
    // 0.21 s × 1.2107 W + 0.1 s × 1.28804 W + 4.9 s × 1.075505 W.
    ("lte-2021-tmobile", 5.6530),
    // (0.263 + 10.2) s × 1.048 W, and nothing for 4.8 s.
    ("5g-sa", 10.9652),
    // (0.29 + 10.2) s × 1.394 W; (0.275 + 11.2) s × 1.394 W.
    ("5g-nsa", 14.6231), ("5g-nsa-mmwave", 15.9962),
    // 0.266 s × 0.6179 W + 10 s × 0.0407 W.
    ("lte-m", 0.57136),
    // (0.1225 + 0.2) s × 0.08 W + 9.8 s × (3.078 + 76.922 × 5/2054) mW.
    ("nb-iot", 0.0577994),
    // (0.1225 + 0.2) s × 0.09 W + 9.8 s × (3 + 87 × 5/2054) mW.
    ("nb-iot-3gpp", 0.0605005),
    // 0.1 s × 0.5624 W.
    ("wifi-n", 0.05624), ("wifi-ac", 0.05624),
  ])
  func `one packet alone`(profile: String, joules: Double) throws {
    let use = try replay(profile).use
    #expect(abs(use.energyJoules - joules) <= joules * 0.001)
  }

  private static let rates: [(sent: [(Double, Int)], more: Double)] = [
    ([(0.0, 125_000)], 0.866), ([(0, 62_500), (0.9, 62_500)], 0.866),
    ([(0, 125_000), (1.4, 125_000)], 2 * 0.866), ([(0, 12_499)], 0), ([(0, 12_500)], 0.501),
    ([(0, 3_000_000)], 1.061),
  ]

  /// What passes in a second decides: 1 Mbit in it is 1.914 W instead of 1.048, whether it comes at once or in parts;
  /// 2 Mbit over two seconds are that twice; less than 0.1 Mbit adds nothing.
  @Test(arguments: rates.indices)
  func `5G costs what was measured at such a rate`(index: Int) throws {
    let (sent, more) = Self.rates[index]
    let profile = try RadioProfileFile.profile(named: "5g-sa")
    let replay = RadioModel.replay(
      transfers: sent.map { RadioTransfer(time: $0.0, bytesUp: UInt64($0.1)) }, from: 0, to: 100,
      profile: profile)
    // The promotion, up to the last transfer, and the tail after that.
    let last = max(sent.last?.0 ?? 0, 0.263)
    let truth = (last + 10.2) * 1.048 + more
    #expect(abs(replay.use.energyJoules - truth) < 1e-9)
    let sum = replay.bursts.reduce(0) { $0 + $1.energyJoules }
    #expect(abs(sum - replay.use.energyJoules) < 1e-9)
  }

  @Test func `5G's upload and download rates add to the same state`() throws {
    let profile = try RadioProfileFile.profile(named: "5g-nsa")
    // 5 Mbit each way: 2.351 and 2.088 W, above 1.394.
    #expect(abs(profile.wattsAdded(bytesUp: 625_000, bytesDown: 625_000) - 0.957 - 0.694) < 1e-12)
    // 0.1 Mbit/s down was measured lower than the state: nothing is taken off.
    #expect(profile.wattsAdded(bytesUp: 0, bytesDown: 12_500) == 0)
  }

  /// 1 Mbit up on Wi-Fi with power save: 38 mA more at 3.7 V for 1/65 s and for 1/433.3 s.
  @Test(arguments: [("wifi-n", 0.1406 / 65), ("wifi-ac", 0.1406 / 433.3)])
  func `sending on Wi-Fi costs its time on the air`(name: String, joules: Double) throws {
    let profile = try RadioProfileFile.profile(named: name)
    let replay = RadioModel.replay(
      transfers: [RadioTransfer(time: 0, bytesUp: 125_000)], from: 0, to: 10, profile: profile)
    #expect(abs(replay.use.energyJoules - 0.05624 - joules) < 0.001 * joules)
  }

  /// Promotion 0.2601 s × 1.2107 W; reception 0.1 s × 1.28804 W; 11.476 s × 1.075505 W.
  @Test func `the parts of one packet on lte-2012`() throws {
    let made = try replay("lte-2012")
    let parts = Dictionary(
      uniqueKeysWithValues: made.segments.map {
        ($0.state, ($0.end - $0.start) * $0.milliwatts / 1000)
      })
    #expect(abs(try #require(parts["promotion"]) - 0.3149) < 0.0001)
    #expect(abs(try #require(parts["continuousReception"]) - 0.1288) < 0.0001)
    #expect(abs(try #require(parts["drx"]) - 12.3425) < 0.0001)
    #expect(abs(made.use.tailEnergyJoules - 12.4713) < 0.0002)
    #expect(abs(made.use.fullTailJoules - made.use.tailEnergyJoules) < 1e-9)
  }

  @Test func `the parts of one packet on lte-aro`() throws {
    let parts = try replay("lte-aro").segments.map { ($0.end - $0.start) * $0.milliwatts / 1000 }
    for (part, truth) in zip(parts, [0.3146, 0.12, 0.02244, 10.91]) {
      #expect(abs(part - truth) <= truth * 0.001)
    }
  }

  /// 11.367 J for the packet and 49.62 s of idle paging at 20.06 mW, 0.995 J.
  @Test func `a packet a minute on lte-aro`() throws {
    let use = try replay(
      "lte-aro", times: (0..<10).map { Double($0) * 60 }, until: 600
    ).use
    let period = (use.energyJoules + use.idleJoules) / 10
    #expect(abs(period - 12.36) <= 12.36 * 0.001)
    #expect(abs(period / 60 - 0.206) <= 0.206 * 0.001)
    #expect(abs(use.idleJoules / 10 - 0.9953) < 0.001)
    #expect(use.promotions == 10)
    #expect(abs(use.dutyCycle - 10.38 / 60) < 1e-9)
  }

  @Test func `medium to high on 3G pays the second promotion`() throws {
    // 2 s promotion, high to 6, medium from 6 to 7, promotion 7 to 8.5, then high 4 and medium 10.
    let use = try replay3G([(0, 100, 100), (7, 600, 0)])
    let truth = 2 * 0.65 + 4 * 1.3 + 1 * 0.3 + 1.5 * 0.8 + 4 * 1.3 + 10 * 0.3
    #expect(abs(use.energyJoules - truth) < 1e-9)
    #expect(use.promotions == 2)
  }

  /// What is sent in the medium state, and whether that is more than its channel takes.
  private static let inMedium: [(transfers: [(Double, Int, Int)], isPromoted: Bool)] = [
    ([(7, 543, 475)], false), ([(7, 544, 0)], true), ([(7, 0, 476)], true),
    // 300 bytes up take 20 + 480 + 126 ms.
    ([(7, 300, 0), (7.6, 300, 0)], true), ([(7, 300, 0), (7.7, 300, 0)], false),
    ([(7, 300, 0), (7, 300, 0)], true),
    // 300 bytes down take 10 + 30 ms.
    ([(7, 0, 300), (7.03, 0, 300)], true), ([(7, 0, 300), (7.05, 0, 300)], false),
    ([(7, 300, 300)], false),
  ]

  /// The shared channel takes 543 bytes up and 475 down by itself; what comes while it still empties its queue adds to
  /// that.
  @Test(arguments: inMedium.indices)
  func `on 3G's medium channel only what it cannot take is promoted`(
    index: Int
  ) throws {
    let (later, isPromoted) = Self.inMedium[index]
    let use = try replay3G([(0, 100, 100)] + later)
    #expect(use.promotions == (isPromoted ? 2 : 1))
    guard !isPromoted, let last = later.last else { return }
    // Promotion and high as ever; medium from 6 until 10 s after the last small transfer.
    let truth = 2 * 0.65 + 4 * 1.3 + (last.0 + 10 - 6) * 0.3
    #expect(abs(use.energyJoules - truth) < 1e-9)
  }

  private func replay3G(_ transfers: [(time: Double, up: Int, down: Int)]) throws -> RadioUse {
    RadioModel.replay(
      transfers: transfers.map {
        RadioTransfer(time: $0.time, bytesUp: UInt64($0.up), bytesDown: UInt64($0.down))
      }, from: 0, to: 100, profile: try RadioProfileFile.profile(named: "3g-aro")
    ).use
  }

  @Test func `throughput adds its power`() throws {
    let profile = try RadioProfileFile.profile(named: "lte-2012")
    let silent = RadioModel.replay(
      transfers: [RadioTransfer(time: 0)], from: 0, to: 60, profile: profile)
    let busy = RadioModel.replay(
      transfers: [RadioTransfer(time: 0, bytesUp: 125_000, bytesDown: 1_250_000)], from: 0, to: 60,
      profile: profile)
    // 1 Mbit up and 10 Mbit down.
    let added = busy.use.energyJoules - silent.use.energyJoules
    #expect(abs(added - (0.43839 + 0.5197)) < 1e-9)
    #expect(abs(busy.use.tailEnergyJoules - silent.use.tailEnergyJoules) < 1e-12)
  }

  @Test func `nothing sent is nothing charged`() throws {
    let use = try replay("lte-2012", times: [], until: 128).use
    #expect(use.energyJoules == 0)
    #expect(use.dutyCycle == 0)
    #expect(abs(use.idleJoules - 100 * 0.0432 * 0.5943) < 1e-9)
    let empty = try replay("lte-2012", times: [], until: 0).use
    #expect(empty.dutyCycle == 0 && empty.idleJoules == 0)
  }

  /// A packet costs what it costs, however soon after it one stops to look: the golden vectors again.
  @Test(arguments: [
    ("lte-2012", 12.786, 11.3361), ("lte-aro", 11.367, 9.88), ("3g-aro", 9.5, 15.5),
    ("wifi-aro", 0.10075, 0),
  ])
  func `a tail is charged to its end, recorded or not`(
    profile: String, joules: Double, after: Double
  ) throws {
    let use = try replay(profile, until: 0.5).use
    #expect(abs(use.energyJoules - joules) <= joules * 0.001)
    #expect(abs(use.secondsAfterEnd - after) < 1e-4)
    // The states are those of the recording, and the rest is told apart.
    #expect(abs(use.stateSeconds.values.reduce(0, +) - 0.5) < 1e-9)
    let whole = try replay(profile).use
    #expect(abs(use.energyJoules - whole.energyJoules) < 1e-9)
    #expect(abs(use.tailEnergyJoules - whole.tailEnergyJoules) < 1e-9)
    #expect(whole.secondsAfterEnd == 0 && whole.joulesAfterEnd == 0)
  }

  /// After 0.5 s on lte-2012 there are 11.3361 s of drx at 1075.505 mW.
  @Test func `what comes after the end is told apart`() throws {
    let use = try replay("lte-2012", until: 0.5).use
    #expect(abs(use.joulesAfterEnd - 11.3361 * 1.075505) < 1e-6)
  }

  @Test func `each tail is charged to its burst`() throws {
    let made = try replay("wifi-aro", times: [1, 3, 4.9], until: 5)
    #expect(made.bursts.map(\.energyJoules).allSatisfy { abs($0 - 0.10075) < 1e-12 })
    // 0.15 s at 403 mW.
    #expect(abs(made.use.joulesAfterEnd - 0.06045) < 1e-12)
  }

  @Test(arguments: ["lte-2012", "lte-aro", "3g-aro", "wifi-aro"], 0..<8 as Range<UInt64>)
  func `bursts add up to the integral of the power`(name: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &* 7919 &+ 1)
    let profile = try RadioProfileFile.profile(named: name)
    let end = 300.0
    var transfers: [RadioTransfer] = []
    var time = random.unit() * 3
    while time < end {
      transfers.append(
        RadioTransfer(
          time: time, bytesUp: UInt64(random.unit() * 20_000),
          bytesDown: UInt64(random.unit() * 200_000)))
      // Mostly packets of a burst, sometimes a pause within or beyond the tail.
      let kind = random.unit()
      time += kind < 0.6 ? random.unit() * 0.2 : kind < 0.8 ? random.unit() * 4 : random.unit() * 30
    }
    let made = RadioModel.replay(
      transfers: transfers.reversed(), from: 0, to: end, profile: profile)
    let integral = PowerFunction(profile: profile, transfers: transfers).integral(to: end)
    let sum = made.bursts.reduce(0) { $0 + $1.energyJoules }
    #expect(abs(sum - integral.active) <= integral.active * 1e-9, "seed \(seed)")
    #expect(abs(made.use.energyJoules - integral.active) <= integral.active * 1e-9)
    #expect(abs(made.use.idleJoules - integral.idle) <= max(integral.idle, 1) * 1e-9)
    let tails = made.bursts.reduce(0) { $0 + $1.tailEnergyJoules }
    #expect(abs(tails - made.use.tailEnergyJoules) <= tails * 1e-9)
    let seconds = made.use.stateSeconds.values.reduce(0, +)
    #expect(abs(seconds - end) < 1e-6)
    #expect(zip(made.segments, made.segments.dropFirst()).allSatisfy { $0.end == $1.start })
  }
}

/// The radio's power as a function of time, written down without the replay's state machine.
///
/// Each transfer gets the time at which it passes; the power between two of these follows from the
/// time since the last one. It is integrated between all the points at which it can change.
private struct PowerFunction {
  let profile: RadioProfile
  /// When each transfer passes, with the promotion before it.
  var passes: [(time: Double, promotion: RadioPromotion?, joules: Double)] = []

  init(profile: RadioProfile, transfers: [RadioTransfer]) {
    self.profile = profile
    for transfer in transfers {
      let joules =
        (Double(transfer.bytesUp) * profile.uplinkMilliwattsPerMbps
          + Double(transfer.bytesDown) * profile.downlinkMilliwattsPerMbps) * 8e-9
      guard let last = passes.last?.time else {
        let promotion = profile.promotion
        passes.append((transfer.time + (promotion?.seconds ?? 0), promotion, joules))
        continue
      }
      guard transfer.time > last else {
        passes.append((last, nil, joules))
        continue
      }
      let promotion = state(after: transfer.time - last)?.promotion ?? idlePromotion(transfer, last)
      passes.append((transfer.time + (promotion?.seconds ?? 0), promotion, joules))
    }
  }

  private func idlePromotion(_ transfer: RadioTransfer, _ last: Double) -> RadioPromotion? {
    transfer.time - last > profile.tailSeconds ? profile.promotion : nil
  }

  private func state(after seconds: Double) -> RadioState? {
    var rest = seconds
    for state in profile.tail {
      if rest <= state.seconds { return state }
      rest -= state.seconds
    }
    return nil
  }

  /// Power at a time without throughput, and whether it is idle.
  private func power(at time: Double) -> (milliwatts: Double, isIdle: Bool) {
    let next = passes.first { $0.time > time }
    if let promotion = next?.promotion, let at = next?.time, time > at - promotion.seconds {
      return (promotion.milliwatts, false)
    }
    if let last = passes.last(where: { $0.time <= time }),
      let state = state(after: time - last.time)
    {
      return (state.power.meanMilliwatts, false)
    }
    return (profile.idle.meanMilliwatts, true)
  }

  /// The energy of all that passed before the end of the recording, to the end of its tail; of an idle radio to the end
  /// alone.
  func integral(to end: Double) -> (active: Double, idle: Double) {
    var points: [Double] = [0, end]
    for pass in passes {
      points.append(pass.time - (pass.promotion?.seconds ?? 0))
      var at = pass.time
      points.append(at)
      for state in profile.tail {
        at += state.seconds
        points.append(at)
      }
    }
    points = points.filter { $0 >= 0 }.sorted()
    var active = 0.0
    var idle = 0.0
    for (from, to) in zip(points, points.dropFirst()) where to > from {
      let power = power(at: (from + to) / 2)
      if power.isIdle {
        idle += max(0, min(to, end) - from) * power.milliwatts / 1000
      } else {
        active += (to - from) * power.milliwatts / 1000
      }
    }
    return (passes.reduce(active) { $0 + $1.joules }, idle)
  }
}
