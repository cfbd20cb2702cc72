import Foundation
import Testing

@testable import Reporting

/// What the advice would save, told alike in text and page: by the day where somebody runs it all day.
@Suite struct SavingsTests {
  private static func report(
    _ profile: String, machine: String?, _ change: (inout Report) -> Void = { _ in }
  ) -> Report {
    var report = SampleReport.report()
    report.score.profile = profile
    report.signals.energy?.model = machine.map {
      EnergyModelSection(machine: $0, machineReason: "said", storage: "ssd", radio: nil, priors: [])
    }
    report.opportunities = [
      OpportunitySection(
        audit: "idle-wakeups", joules: 3, seconds: nil, summary: "many", joulesPerDay: 4320,
        lowJoulesPerDay: 1440, highJoulesPerDay: 8640, batteryShare: 0.0946)
    ]
    change(&report)
    return report
  }

  /// The text's section, its lines as one.
  private func text(_ report: Report) -> String {
    let whole = TextReport.render(report, options: TextOptions(color: false))
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard let start = whole.firstRange(of: "Largest saving") else { return "" }
    let rest = whole[start.upperBound...]
    return String(rest[..<(rest.firstRange(of: " Rules ")?.lowerBound ?? rest.endIndex)])
  }

  /// The page's card.
  private func card(_ report: Report) throws -> String {
    let page = try HTMLReport.render(report, timeline: nil)
    let start = try #require(page.firstRange(of: "id=\"savings-title\""))
    let rest = page[start.upperBound...]
    return String(rest[..<(try #require(rest.firstRange(of: "</section>"))).lowerBound])
  }

  @Test(arguments: [
    ("phone", true), ("laptop", true), (nil, true), ("server", false), ("board", false),
  ])
  func `an app is priced by the day, and by a battery where there may be one`(
    machine: String?, hasBattery: Bool
  ) throws {
    let report = Self.report("app", machine: machine)
    let text = text(report)
    #expect(text.contains("4320 J a day (modelled; 1440 J to 8640 J by other models)"), "\(text)")
    #expect(text.contains("% of a battery") == hasBattery, "\(text)")
    let card = try card(report)
    #expect(card.contains("<strong>4320 J</strong> a day"), "\(card)")
    #expect(card.contains("of a battery") == hasBattery, "\(card)")
  }

  @Test func `who states a battery is told a share of it`() throws {
    let report = Self.report("app", machine: "board") { $0.score.batteryWattHours = 5 }
    #expect(text(report).contains("9.5 % of a battery of 5.00 Wh"))
    #expect(try card(report).contains("24.0 % of a battery of 5.00 Wh"))
  }

  @Test(arguments: ["tool", "test bundle", "test helper", "tests"])
  func `nobody runs a tool or tests all day: they are priced by the run`(sort: String) throws {
    let report = Self.report(sort == "tool" ? "tool" : "server", machine: "phone") { report in
      switch sort {
      case "test bundle": report.process.executable = "/build/debug/AppPackageTests.xctest"
      case "test helper": report.process.commandLine = ["/usr/libexec/swiftpm-testing-helper"]
      case "tests":
        report.intervals = [
          IntervalSection(
            name: "works()", start: 0, durationSeconds: 1, isOpen: false, thread: "main",
            cpuSeconds: 0, wakeups: 0, bytesSent: 0, bytesReceived: 0, bytesWritten: 0,
            how: "swift-testing", outcome: "passed", pid: nil)
        ]
      default: break
      }
    }
    let text = text(report)
    #expect(text.contains("saves 3 J a run (modelled; 1 J to 6 J by other models)"), "\(text)")
    let card = try card(report)
    #expect(card.contains("<strong>3 J</strong> a run") && card.contains("1 J to 6 J"), "\(card)")
    for output in [text, card] {
      #expect(!output.contains("a day") && !output.contains("battery"), "\(output)")
    }
  }

  // 91 ms of a test run were priced as a day of them.
  @Test func `a recording of less than a second is no day`() throws {
    let report = Self.report("app", machine: "phone") { $0.trace.durationSeconds = 0.091 }
    #expect(text(report).contains("saves 3 J in this recording (modelled"))
    let card = try card(report)
    #expect(card.contains("<strong>3 J</strong> in this recording"), "\(card)")
    #expect(!card.contains("battery") && !card.contains("of the day"), "\(card)")
  }

  @Test func `of a server the energy is behind a fold`() throws {
    let report = Self.report("server", machine: "server")
    #expect(!text(report).contains(" J "))
    let card = try card(report)
    let fold = try #require(card.firstRange(of: "<details><summary>Energy a day, modelled"))
    #expect(!card[..<fold.lowerBound].contains(" J") && !card.contains("battery"), "\(card)")
    #expect(card[fold.upperBound...].contains("4320 J"))
  }

  /// A burst's tail goes on after the end of a short run, so that in a day it is less than in the run.
  @Test func `the largest saving is the largest of what is told`() {
    let radio = OpportunitySection(
      audit: "tail-energy", joules: 12, seconds: nil, summary: "a tail", joulesPerDay: 3000,
      batteryShare: nil)
    #expect(
      text(Self.report("app", machine: nil) { $0.opportunities.append(radio) }).hasPrefix(" idle"))
    #expect(
      text(Self.report("tool", machine: nil) { $0.opportunities.append(radio) }).hasPrefix(" tail"))
  }

  @Test func `a rule of which no figure can be told has no row`() throws {
    let blocked = OpportunitySection(
      audit: "main-thread-hangs", joules: nil, seconds: 2, summary: "", joulesPerDay: nil,
      batteryShare: nil)
    func rows(_ report: Report) throws -> Int {
      let pieces = try card(report).components(separatedBy: "<dd>")
      #expect(!pieces.dropFirst().contains { $0.hasPrefix("</dd>") })
      return pieces.count - 1
    }
    #expect(try rows(Self.report("app", machine: nil) { $0.opportunities.append(blocked) }) == 2)
    // Its energy is behind the fold.
    #expect(try rows(Self.report("server", machine: nil) { $0.opportunities.append(blocked) }) == 1)
    let none = Self.report("app", machine: nil) { $0.opportunities[0].joules = nil }
    #expect(try rows(none) == 1)
    let nothing = Self.report("app", machine: nil) {
      $0.opportunities = [blocked]
      $0.opportunities[0].seconds = nil
    }
    #expect(try card(nothing).contains("No saving could be computed"))
  }
}
