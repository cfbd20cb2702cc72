import Foundation
import Quantities
import Reporting
import Testing

@testable import Budgets

@Suite struct BaselineTests {
  static let budget = """
    [[budget]]
    path = "signals.disk.syncs"
    change = { relative = 0.1, absolute = 1 }
    """

  private func baseline(_ counts: [Int]) throws -> Baseline {
    try Baseline(sets: [RunSet(scenario: nil, runs: SampleRuns.syncing(counts))])
  }

  @Test func `a change from the baseline is judged by all runs together`() throws {
    let base = try baseline([10, 10, 10])
    func verdict(_ counts: [Int]) throws -> BudgetVerdict {
      try SampleRuns.check(Self.budget, SampleRuns.syncing(counts), baseline: base).verdict
    }
    #expect(try verdict([10, 10, 10]) == .pass)
    #expect(try verdict([11, 11, 11]) == .pass)
    #expect(try verdict([12, 12, 12]) == .fail)
    #expect(try verdict([8, 8, 8]) == .pass)
    #expect(try verdict([12]) == .fail)
    // Runs that do not agree are noise until there are enough of them.
    #expect(try verdict([12, 15, 13]) == .inconclusive)
  }

  @Test func `a single run before and now cannot tell change from noise`() throws {
    let check = try SampleRuns.check(
      Self.budget, SampleRuns.syncing([20]), baseline: baseline([10]))
    #expect(check.verdict == .inconclusive)
    #expect(check.results.first?.message.contains("too few runs") == true)
  }

  @Test func `without a baseline a change is inconclusive`() throws {
    let check = try SampleRuns.check(Self.budget, SampleRuns.syncing([10]))
    #expect(check.verdict == .inconclusive)
    #expect(check.results.first?.message.contains("--update-baseline") == true)
  }

  @Test func `a baseline of another environment is refused for what depends on it`() throws {
    let runs = try SampleRuns.syncing([10, 10, 10])
    var base = try Baseline(sets: [RunSet(scenario: nil, runs: runs)])
    base.scenarios[""]?.environment.cpuModel = "Another CPU"
    // Counts do not depend on the CPU, times do.
    #expect(try SampleRuns.check(Self.budget, runs, baseline: base).verdict == .pass)
    let text = """
      [[budget]]
      path = "signals.cpu.totalSeconds"
      change = { relative = 0.5 }
      """
    let refused = try SampleRuns.check(text, runs, baseline: base)
    #expect(refused.verdict == .inconclusive)
    #expect(refused.results.first?.message.contains("Another CPU became") == true)
    var checker = BudgetChecker(
      file: try BudgetParser.parse(text, path: "b"), sets: [RunSet(scenario: nil, runs: runs)],
      baseline: base)
    checker.force = true
    #expect(checker.check().verdict == .pass)
    base.scenarios[""]?.environment.lullVersion = "9.0.0"
    #expect(try SampleRuns.check(Self.budget, runs, baseline: base).verdict == .inconclusive)
  }

  @Test(arguments: ["user, looked at from outside", "user, recorded within the process", "user"])
  func `a baseline by another recorder is refused, for counts too`(privilege: String) throws {
    let runs = try SampleRuns.syncing([10, 10, 10])
    var base = try Baseline(sets: [RunSet(scenario: nil, runs: runs)])
    base.scenarios[""]?.environment.privilege = privilege
    let refused = try SampleRuns.check(Self.budget, runs, baseline: base)
    #expect(refused.verdict == .inconclusive)
    #expect(refused.results.first?.message.contains("the privilege \(privilege) became") == true)
  }

  /// Whichever comes first.
  @Test(arguments: [0, 1, 2], [false, true])
  func `recordings of different environments or programs are not taken together`(
    place: Int, isOtherProgram: Bool
  ) throws {
    let base = try SampleRuns.syncing([10, 10, 10])
    var runs = try SampleRuns.syncing([10, 10])
    let other = try SampleRuns.run("other") {
      $0.signals.disk?.syncs = 10
      if isOtherProgram { $0.process.name = "sleep" } else { $0.capture.privilege = "user" }
    }
    runs.insert(other, at: place)
    let file = try BudgetParser.parse(Self.budget, path: "b")
    let baseline = try Baseline(sets: [RunSet(scenario: nil, runs: base)])
    var checker = BudgetChecker(
      file: file, sets: [RunSet(scenario: nil, runs: runs)], baseline: baseline)
    let message = checker.check().results.first?.message ?? ""
    #expect(checker.check().verdict == .inconclusive)
    #expect(message.contains("the recordings are not of one environment: from "), "\(message)")
    checker.force = true
    #expect(checker.check().verdict == .pass)
    #expect(throws: BaselineError.self) {
      try Baseline(sets: [RunSet(scenario: nil, runs: runs)])
    }
    var comparer = RunComparer(file: file, scenario: nil)
    #expect(comparer.compare(base: base, new: runs).verdict == .inconclusive)
    #expect(comparer.compare(base: runs, new: base).verdict == .inconclusive)
    comparer.force = true
    #expect(comparer.compare(base: base, new: runs).verdict == .pass)
  }

  @Test func `a baseline is written the same each time, a figure a line, and reads back`() throws {
    let base = try baseline([10, 11, 12])
    let text = try base.render()
    #expect(try base.render() == text)
    #expect(text.contains("        \"signals.disk.syncs\": [10, 11, 12],\n"))
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("        \"") }
    #expect(lines == lines.sorted())
    #expect(try Baseline.parse(text) == base)
    #expect(!text.contains("\"trace.") && !text.contains(".pid"))
  }

  @Test func `a plain report is a baseline of one run`() throws {
    let base = try Baseline.parse(JSONReport.render(SampleRuns.report))
    #expect(base.part(for: nil)?.figures["signals.disk.syncs"] == [12])
    #expect(throws: BaselineError.self) { try Baseline.parse("{\"schema\": \"x\"}") }
    #expect(throws: (any Error).self) { try Baseline.parse("no JSON") }
  }

  @Test(arguments: [
    (0.0, 0.0), (12345678.0, 12345678.0), (0.123456789, 0.123457), (1234.56789, 1234.57),
    (-0.000123456789, -0.000123457),
  ])
  func `figures are rounded to six digits, counts not at all`(value: Double, rounded: Double) {
    #expect(Baseline.rounded(value) == rounded)
  }

  @Test(arguments: [3, 6, 12])
  func `of a thousand runs like those it came from, a first budget fails one or two`(
    count: Int
  ) throws {
    var random = SeededGenerator(seed: 25)
    func uniform() -> Double { Double(random.next() >> 11) / Double(UInt64(1) << 53) }
    func footprint() -> UInt64 {
      let normal = (-2 * log(max(uniform(), 1e-12))).squareRoot() * cos(2 * .pi * uniform())
      return UInt64(1_770_000 * (1 + 0.015 * normal))
    }
    var failures = 0
    for _ in 0..<40 {
      let runs = try (0..<count).map { index in
        try SampleRuns.run("run\(index)") { $0.signals.memory?.peakFootprintBytes = footprint() }
      }
      let text = BudgetTemplate.render(runs)
      let lines = text.split(separator: "\n")
      let path = try #require(lines.firstIndex { $0.contains("peakFootprintBytes\"") })
      let limit = try #require(Double(lines[path + 1].split(separator: " ").last ?? ""))
      failures += (0..<100).count { _ in Double(footprint()) > limit }
    }
    // 4,000 runs of which one in a thousand may fail: more than 12 has a chance of one in a thousand.
    #expect(failures <= 12)
  }

  private func blocking(_ seconds: [Double]) throws -> [Run] {
    try seconds.enumerated().map { index, seconds in
      try SampleRuns.run("run\(index)") { $0.signals.mainThread?.blockedSeconds = seconds }
    }
  }

  // A lock that was waited for twice as long passed: its limit was 0.2 s, or there was none.
  @Test(arguments: [
    [0.100, 0.105, 0.098], [0.100, 0.112, 0.098], [0.100, 0.113, 0.098, 0.104, 0.095, 0.108],
  ])
  func `a first budget catches a wait that becomes twice as long`(seconds: [Double]) throws {
    let runs = try blocking(seconds)
    let text = BudgetTemplate.render(runs)
    let doubled = try SampleRuns.check(text, blocking([0.2]))
    let broken = doubled.results.filter { $0.verdict == .fail }.map(\.path)
    #expect(broken.contains("signals.mainThread.blockedSeconds"), "\(text)")
    let same = try SampleRuns.check(text, runs)
    #expect(same.verdict == .pass, "\(CheckText.render(same))")
  }

  @Test(arguments: [
    (3, 0.05, 0.9, 1.0), (10, 0.05, 0.9, 1.0), (3, 0.1, 0.5, 2.0), (10, 0.1, 0.9, 2.0),
    (3, 0.2, 0, 5.0), (10, 0.2, 0, 2.0), (3, 0.5, 0, 8.0), (10, 0.5, 0, 2.0),
  ])
  func `figures are gated as far as they are even, more of them by more runs, and do not flap`(
    count: Int, deviation: Double, leastGated: Double, mostBroken: Double
  ) throws {
    var random = SeededGenerator(seed: 36)
    func uniform() -> Double { Double(random.next() >> 11) / Double(UInt64(1) << 53) }
    func seconds() -> Double {
      let normal = (-2 * log(max(uniform(), 1e-12))).squareRoot() * cos(2 * .pi * uniform())
      return max(0.001, 0.1 * (1 + deviation * normal))
    }
    let path = try #require(FigurePath("signals.mainThread.blockedSeconds"))
    let (rounds, further) = (4000, 20)
    var (gated, broken) = (0, 0)
    for _ in 0..<rounds {
      let runs = (0..<count).map { _ in seconds() }
      guard let limit = BudgetTemplate.limit(path, runs) else { continue }
      gated += 1
      #expect(limit < 2 * (Quantiles.median(runs) ?? 0))
      broken += (0..<further).count { _ in seconds() > limit }
    }
    #expect(Double(gated) >= leastGated * Double(rounds), "\(gated)")
    #expect(Double(broken) / Double(rounds * further) * 1000 <= mostBroken, "\(broken)")
  }

  @Test func `sizes that happen to be alike leave room, counts do not`() throws {
    let runs = try (0..<3).map { index in
      try SampleRuns.run("run\(index)") {
        $0.signals.memory?.peakFootprintBytes = 1_769_472
        $0.signals.disk?.syncs = 10
      }
    }
    let text = BudgetTemplate.render(runs)
    #expect(text.contains("max = 10\n"))
    let check = try SampleRuns.check(
      text,
      [
        SampleRuns.run("next") {
          $0.signals.memory?.peakFootprintBytes = 1_773_568
          $0.signals.disk?.syncs = 10
        }
      ])
    #expect(check.verdict == .pass, "\(CheckText.render(check))")
  }

  // A timer of 200 ms fires 25 or 26 times in five seconds.
  @Test(arguments: [(25, 28.0), (0, 0), (2, 3.0), (1, nil)] as [(Int, Double?)])
  func `counts of runs that somebody else ended leave room for one more`(
    count: Int, limit: Double?
  ) throws {
    let path = try #require(FigurePath("signals.disk.syncs"))
    let values = [Double](repeating: Double(count), count: 3)
    #expect(BudgetTemplate.limit(path, values) == Double(count))
    #expect(BudgetTemplate.limit(path, values, areWhole: false) == limit)
    func runs(_ count: Int) throws -> [Run] {
      try (0..<3).map { index in
        try SampleRuns.run("run\(index)") {
          $0.signals.disk?.syncs = count
          $0.process.exitStatus = nil
        }
      }
    }
    guard limit != nil, count > 0 else { return }
    let next = try SampleRuns.check(BudgetTemplate.render(runs(count)), runs(count + 1))
    let failed = next.results.filter { $0.verdict == .fail }.map(\.path)
    #expect(!failed.contains("signals.disk.syncs"), "\(failed)")
  }

  @Test func `a figure and its limit are printed apart where they differ`() {
    let texts = FigureUnit.bytes.texts(1_769_472, 1_769_473)
    #expect(texts.0 == "1,769,472 B" && texts.1 == "1,769,473 B")
    let apart = FigureUnit.bytes.texts(1_000_000, 2_000_000)
    #expect(apart.0 == "1 MB" && apart.1 == "2 MB")
  }

  @Test func `a first budget holds what is stable and passes on the runs it came from`() throws {
    let runs = try [10, 10, 10].enumerated().map { index, count in
      try SampleRuns.run("run\(index)") {
        $0.signals.disk?.syncs = count
        $0.signals.disk?.bytesWritten = [1000, 2000, 3000][index]
      }
    }
    let text = BudgetTemplate.render(runs)
    #expect(text.contains("path = \"signals.disk.syncs\""))
    #expect(text.contains("# signals.disk.bytesWritten: from 1 kB to 3 kB, too uneven to gate"))
    let check = try SampleRuns.check(text, runs)
    #expect(check.verdict == .pass, "\(CheckText.render(check))")
    #expect(!check.results.isEmpty)
    let worse = try SampleRuns.check(text, SampleRuns.syncing([11, 11, 11]))
    #expect(worse.results.first?.path == "signals.disk.syncs" && worse.verdict == .fail)
  }
}
