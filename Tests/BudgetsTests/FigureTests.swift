import Foundation
import Testing

@testable import Reporting

@Suite struct FigureTests {
  @Test func `every key of a report is known to the shape of reports`() throws {
    let json = try JSONReport.render(SampleRuns.report)
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
