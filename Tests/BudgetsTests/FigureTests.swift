import Foundation
import Quantities
import Testing

@testable import Reporting

@Suite struct FigureTests {
  @Test func `every key of a report is known to the shape of reports`() throws {
    var report = SampleRuns.report
    // A flight recorder's traces alone have it.
    report.trigger = TriggerSection(
      kind: "hang", condition: "hang > 250ms", time: 1, durationSeconds: 0.4, isGoingOn: false,
      pid: nil, footprintBytes: nil, function: "work()", stack: [], keptSeconds: 30)
    let json = try JSONReport.render(report)
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    guard case .table(let shape) = FigureSchema.report else {
      Issue.record("a report is an object")
      return
    }
    func compare(_ object: [String: Any], _ shape: [String: FigureNode], _ place: String) {
      for (key, value) in object {
        guard let node = shape[key] else {
          Issue.record("\(place)\(key) is not in the shape")
          continue
        }
        if case .table(let inner) = node, let value = value as? [String: Any] {
          compare(value, inner, "\(place)\(key).")
        }
        if case .keyed(_, .table(let inner)) = node, let items = value as? [[String: Any]] {
          for item in items { compare(item, inner, "\(place)\(key)[].") }
        }
      }
    }
    compare(object, shape, "")
    #expect(object.keys.sorted() == shape.keys.sorted())
  }

  /// What Foundation's own reader finds under a shape.
  private func reference(
    _ value: Any, _ shape: FigureNode, _ path: [String], _ found: inout [FigurePath: Double]
  ) {
    switch (shape, value) {
    case (.number, let number as NSNumber), (.flag, let number as NSNumber):
      found[FigurePath(keys: path), default: 0] += number.doubleValue
    case (.table(let shape), let fields as [String: Any]):
      for (key, value) in fields {
        if let node = shape[key] { reference(value, node, path + [key], &found) }
      }
    case (.map(let item), let fields as [String: Any]):
      for (key, value) in fields { reference(value, item, path + [key], &found) }
    case (.list, let items as [Any]):
      found[FigurePath(keys: path + ["count"]), default: 0] += Double(items.count)
    case (.keyed(let name, let item), let items as [Any]):
      found[FigurePath(keys: path + ["count"]), default: 0] += Double(items.count)
      for case let fields as [String: Any] in items {
        guard let own = fields[name] as? String else { continue }
        reference(fields, item, path + [own], &found)
      }
    default: break
    }
  }

  @Test func `figures are those that Foundation's reader finds, in a report with odd names too`()
    throws
  {
    var report = SampleRuns.report
    report.processes[0].name = "a \"quoted\\\" \u{1F600}\n name"
    report.signals.disk?.files[0].path = "/var/\"odd\" \u{e9}\\ [name] {1}.db"
    let json = try JSONReport.render(report)
    for text in [json, json.replacing("\n", with: "\r\n\t")] {
      let data = Data(text.utf8)
      var expected: [FigurePath: Double] = [:]
      reference(
        try JSONSerialization.jsonObject(with: data), FigureSchema.report, [], &expected)
      let figures = try ReportFigures(json: Array(data))
      #expect(figures.numbers.count > 200)
      let differing = Set(figures.numbers.keys).union(expected.keys).filter {
        // Foundation's reader is off by a last bit or two now and then: it reads 31.126910086438876 as …887.
        guard let own = figures.numbers[$0], let other = expected[$0] else { return true }
        return abs(own - other) > 4 * own.ulp
      }
      #expect(
        differing.isEmpty,
        "\(differing.map { "\($0): \(figures.numbers[$0] as Any), \(expected[$0] as Any)" })")
    }
  }

  @Test func `JSON that was cut or broken gives no figures and no crash`() throws {
    let whole = Array(try JSONReport.render(SampleRuns.report).utf8.dropLast())
    for length in stride(from: 0, to: whole.count, by: 97) {
      #expect(throws: (any Error).self) { try ReportFigures(json: Array(whole.prefix(length))) }
    }
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: .min ... .max, using: &random)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var broken = whole
      for _ in 0..<3 {
        broken[Int(generator.next() % UInt64(whole.count))] = UInt8(
          truncatingIfNeeded: generator.next())
      }
      // Either is right: a byte within a text may be any.
      _ = try? ReportFigures(json: broken)
    }
    for text in [
      "", "[]", "{}x", "{\"a\":}", "{\"a\":[1,2}", "{\"score\":{\"overall\":\"x\"}}", "nul",
    ] {
      #expect(throws: (any Error).self, "\(text), seed \(seed)") {
        try ReportFigures(json: Array(text.utf8))
      }
    }
    #expect(
      try ReportFigures(json: Array("{ \"later\": [{}, [1, \"]\"], -1e3] }".utf8)).numbers.isEmpty)
  }

  @Test func `numbers, texts, dictionaries and named items are figures`() throws {
    let report = SampleRuns.report
    let figures = try ReportFigures(report)
    func number(_ path: String) -> Double? {
      FigurePath(path).flatMap { figures.numbers[$0] }
    }
    #expect(number("signals.disk.syncs") == 12)
    #expect(number("signals.disk.bytesWritten") == 5120)
    #expect(number("signals.disk.files.\"/var/lib/app/log.txt\".writes") == 10)
    #expect(
      number("signals.wakeups.byCause.timer")
        == Double(report.signals.wakeups?.byCause["timer"] ?? -1))
    #expect(number("score.overall") == report.score.overall)
    #expect(
      number("signals.wakeups.timers.count") == Double(report.signals.wakeups?.timers.count ?? -1))
    let audit = try #require(report.audits.first { $0.id == "idle-wakeups" })
    #expect(number("audits.idle-wakeups.value") == audit.value)
    let status = try #require(FigurePath("audits.idle-wakeups.status"))
    #expect(figures.texts[status] == audit.status.rawValue)
  }

  @Test func `what was not measured is missing, not zero`() throws {
    var report = SampleRuns.report
    report.signals.disk = nil
    let figures = try ReportFigures(report)
    let path = try #require(FigurePath("signals.disk.syncs"))
    #expect(figures.numbers[path] == nil)
    #expect(figures.isMissing(path))
  }

  @Test func `no limit is held against a signal of which a part is known`() throws {
    var report = SampleRuns.report
    let path = try #require(FigurePath("signals.network.bytesSent"))
    #expect(try ReportFigures(report).numbers[path] != nil)
    report.signals.network?.missing = "it has UDP sockets"
    let figures = try ReportFigures(report)
    #expect(figures.numbers[path] == nil && figures.isMissing(path))
  }

  static let wrong: [(path: String, says: String)] = [
    ("signals.disc.syncs", "did you mean “disk”?"),
    ("signal.disk.syncs", "did you mean “signals”?"),
    ("signals.disk.sync", "did you mean “syncs”?"),
    ("audits.idle-wakups.value", "did you mean “idle-wakeups”?"),
    ("score.categories.disc.score", "did you mean “disk”?"),
    ("signals.disk", "is not a figure"), ("signals.disk.files", "is not a figure"),
    ("signals.mainThread.hangs", "“signals.mainThread.hangs.count”"),
    ("signals.mainThread.hangs.first", "have no names"),
    ("score.overall.value", "is a figure already"),
  ]

  @Test(arguments: wrong)
  func `a path that leads nowhere is told with the nearest one`(
    path: String, says: String
  ) throws {
    let path = try #require(FigurePath(path))
    let error = #expect(throws: FigurePathError.self) { try FigureSchema.kind(of: path) }
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
  }

  @Test func `paths with quotes read back as they were written`() throws {
    let path = FigurePath(keys: ["phases", "a.b", "x y"])
    #expect(path.description == "phases.\"a.b\".x y")
    #expect(FigurePath(path.description) == path)
    for text in ["", ".", "a.", ".a", "a..b", "\"a", "\"a\"b", "a.\"\""] {
      #expect(FigurePath(text) == nil, "\(text)")
    }
  }

  @Test func `units follow from the contract's names`() {
    let units: [(String, FigureUnit)] = [
      ("signals.disk.bytesWritten", .bytes), ("signals.disk.syncs", .number("")),
      ("signals.mainThread.blockedByCause.file", .seconds), ("score.overall", .points),
      ("signals.wakeups.perSecond", .number("/s")), ("signals.network.radio.dutyCycle", .share),
      ("signals.memory.growthBytesPerMinute", .number("B/min")),
      ("audits.idle-wakeups.value", .number("1/s")), ("signals.energy.cpuJoules", .joules),
    ]
    for (path, unit) in units {
      #expect(FigurePath(path).map(FigureUnit.of) == unit, "\(path)")
    }
    #expect(FigureUnit.bytes.text(5_120_000) == "5.12 MB")
    #expect(FigureUnit.number("/s").text(12) == "12/s")
  }
}
