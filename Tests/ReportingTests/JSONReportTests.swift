import Foundation
import Rules
import Signals
import TestSupport
import Testing
import TraceModel

@testable import Reporting

@Suite struct JSONReportTests {
  private func object(_ report: Report) throws -> [String: Any] {
    let data = Data(try JSONReport.render(report).utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The keys of the frozen contract, by the path of the object that holds them.
  static let contract: [(path: String, keys: [String])] = [
    (
      "",
      [
        "schema", "generator", "trace", "process", "capture", "score", "signals", "audits",
        "opportunities",
      ]
    ),
    ("generator", ["name", "version"]),
    (
      "trace",
      [
        "path", "startTime", "durationSeconds", "hostname", "kernel", "cpuCount", "lostEvents",
        "lostSamples", "throttled", "truncated", "unknownRecords",
      ]
    ),
    (
      "process",
      [
        "pid", "name", "executable", "commandLine", "isSwift", "swiftVersion", "threadCount",
        "exitStatus", "signal", "children",
      ]
    ),
    ("capture", ["mode", "scope", "privilege", "unavailable", "overhead"]),
    ("capture.unavailable", ["signal", "reason"]),
    ("capture.overhead", ["cpuSeconds"]),
    ("score", ["overall", "categories", "configuration"]),
    ("score.categories", ["id", "title", "score", "weight"]),
    (
      "signals",
      ["mainThread", "threads", "wakeups", "network", "disk", "memory", "energy"]
    ),
    (
      "signals.mainThread",
      [
        "hasEventLoop", "turns", "runningSeconds", "runnableSeconds", "blockedSeconds",
        "idleSeconds", "blockedByCause", "launchSeconds", "terminationSeconds", "hangs",
      ]
    ),
    (
      "signals.mainThread.hangs",
      [
        "start", "durationSeconds", "severity", "runningSeconds", "runnableSeconds",
        "blockedByCause", "stack",
      ]
    ),
    ("signals.mainThread.hangs.stack", ["function", "module", "file", "line"]),
    (
      "signals.threads",
      ["tid", "name", "role", "cpuSeconds", "wakeups", "idleWakeups", "blockedSeconds"]
    ),
    ("signals.wakeups", ["total", "perSecond", "idle", "idlePerSecond", "byCause", "timers"]),
    (
      "signals.wakeups.byCause",
      ["timer", "network", "disk", "sameProcess", "otherProcess", "signal", "other", "unknown"]
    ),
    (
      "signals.wakeups.timers",
      ["tid", "thread", "periodSeconds", "jitterSeconds", "count", "stack"]
    ),
    (
      "signals.network",
      ["sends", "receives", "bytesSent", "bytesReceived", "connections", "bursts", "radio"]
    ),
    (
      "signals.network.connections",
      ["protocol", "local", "remote", "opened", "closed", "bytesSent", "bytesReceived"]
    ),
    (
      "signals.network.bursts",
      [
        "start", "durationSeconds", "bytesSent", "bytesReceived", "class", "remotes",
        "energyJoules", "tailEnergyJoules",
      ]
    ),
    (
      "signals.network.radio",
      ["profile", "stateSeconds", "energyJoules", "tailEnergyJoules", "dutyCycle"]
    ),
    (
      "signals.disk",
      [
        "writes", "bytesWritten", "smallWrites", "syncs", "syncSeconds", "writesPerMinute",
        "deviceBytesWritten", "files",
      ]
    ),
    ("signals.disk.files", ["path", "writes", "bytesWritten", "syncs", "rewrites"]),
    (
      "signals.memory",
      [
        "peakFootprintBytes", "endFootprintBytes", "peakResidentBytes", "growthBytesPerMinute",
        "growthInterval", "majorFaults", "minorFaults", "samples",
      ]
    ),
    ("signals.memory.samples", ["time", "footprintBytes", "residentBytes"]),
    (
      "signals.energy",
      ["totalJoules", "cpuJoules", "wakeupJoules", "radioJoules", "diskJoules", "kind"]
    ),
    (
      "audits",
      [
        "id", "title", "category", "status", "score", "weight", "value", "unit", "limit",
        "displayValue", "guide", "evidence", "advice", "savings",
      ]
    ),
    ("audits.guide", ["document", "section"]),
    ("opportunities", ["audit", "joules", "seconds", "summary"]),
  ]

  @Test(arguments: contract)
  func `every key of the contract is there`(path: String, keys: [String]) throws {
    var value: Any = try object(SampleReport.report())
    for part in path.split(separator: ".") {
      if let list = value as? [Any] { value = try #require(list.first) }
      let object = try #require(value as? [String: Any], "\(path)")
      value = try #require(object[String(part)], "\(path)")
    }
    if let list = value as? [Any] { value = try #require(list.first, "\(path) is empty") }
    let object = try #require(value as? [String: Any])
    for key in keys { #expect(object.keys.contains(key), "\(path) has no \(key)") }
  }

  @Test func `what was not measured is null, not absent and not zero`() throws {
    let report = SampleReport.report(signals: SignalSet(durationSeconds: 1))
    let signals = try #require(try object(report)["signals"] as? [String: Any])
    for key in ["mainThread", "wakeups", "network", "disk", "memory", "cpu", "energy"] {
      #expect(signals[key] is NSNull, "\(key)")
    }
  }

  @Test func `equal reports give equal bytes, and are read back as they were`() throws {
    let first = try JSONReport.render(SampleReport.report())
    #expect(try JSONReport.render(SampleReport.report()) == first)
    #expect(try JSONReport.render(JSONReport.parse(first)) == first)
    #expect(first.hasSuffix("}\n"))
  }

  @Test func `numbers that JSON cannot hold do not reach it`() throws {
    var signals = SampleReport.signals()
    signals.memory?.growthBytesPerMinute = .nan
    signals.cpu?.medianShare = .infinity
    signals.network?.radio.energyJoules = -.infinity
    var report = SampleReport.report(signals: signals)
    #expect(try JSONReport.render(report).contains("\"medianShare\" : 0,"))
    report.audits[0].value = .nan
    report.score.overall = .infinity
    let text = try JSONReport.render(report)
    #expect(text.contains("\"overall\" : null"))
    #expect(!text.contains("non-finite"))
    _ = try object(report)
  }

  @Test func `wall clock times are right`() {
    #expect(WallClock.text(0) == "1970-01-01T00:00:00.000Z")
    #expect(WallClock.text(951_782_400_000_000_000) == "2000-02-29T00:00:00.000Z")
    #expect(WallClock.text(4_107_542_399_999_000_000) == "2100-02-28T23:59:59.999Z")
    #expect(WallClock.text(1_795_271_825_250_000_000) == "2026-11-21T14:37:05.250Z")
  }
}

extension JSONReportTests {
  // Of one pid the table of a report's text told 80 kB, and its JSON 110 kB.
  @Test func `what a process did as another program before is told apart from its program's`()
    throws
  {
    var builder = TraceBuilder()
    let second: UInt64 = 1_000_000_000
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    for (program, name) in ["sh", "tool"].enumerated() {
      let begin = second * UInt64(1 + 2 * program)
      builder.comm(time: begin + 1, pid: 100, tid: 100, name: name, isExec: true)
      builder.switchIn(time: begin + 2, 100)
      builder.open(time: begin + 3, tid: 100, path: "/data/\(name)", fd: 5)
      builder.exitSyscall(
        time: begin + 2_000, tid: 100, number: 1, result: 700 - 200 * program, arguments: [5])
      builder.switchOut(time: begin + second / 2, 100)
    }
    builder.exit(time: second * 5, pid: 100, tid: 100)
    let report = try builder.withFile { path in
      let trace = try Trace.load(path: path)
      let signals = try Measurement.measure(trace)
      return ReportBuilder.build(
        trace: trace, signals: signals, evaluation: Evaluator.evaluate(signals),
        generatorVersion: "0.1.0")
    }
    let own = try #require(report.processes.first)
    #expect(report.processes == report.shownProcesses)
    #expect(own.bytesWritten == 500 && own.bytesWritten == report.signals.disk?.bytesWritten)
    let earlier = try #require(own.earlier)
    #expect(earlier.bytesWritten == 700)
    #expect(abs((earlier.cpuSeconds ?? 0) - 0.5) < 1e-6 && abs(earlier.until - 2) < 1e-3)
    let notes = ReportNotes.lines(report) { $0 }
    #expect(
      notes.contains(
        "What process 100 did before it became tool, until 2 s after the start, is in no figure of its own here: it "
          + "used 500 ms of CPU time and wrote 700 B."), "\(notes)")
  }
}
