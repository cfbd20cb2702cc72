import Foundation
import Quantities
import Testing

@testable import Reporting
@testable import Signals

/// An hour with a million events, drawn.
@Suite(
  .enabled(if: Browser.path != nil, "chromium is not installed; apt-get install chromium")
)
struct LargeReportTests {
  /// A program that is woken 278 times a second for an hour: a million turns.
  private static func timeline() -> Timeline {
    let duration: UInt64 = 3_600_000_000
    func lane(
      _ kind: TimelineLaneKind, _ channels: [String], budget: Int, tid: Int? = nil,
      _ fill: (inout GridEncoder) -> Void
    ) -> TimelineLane {
      let grid = GridEncoder.fit(channels: channels.count, budget: budget, duration: duration, fill)
      return TimelineLane(
        kind: kind, tid: tid, name: "worker", role: tid == 1 ? "main" : "other",
        channels: channels, quantum: Int(grid.quantum), data: Data(grid.bytes).base64EncodedString()
      )
    }
    let turn: UInt64 = 3600
    func turns(_ grid: inout GridEncoder, seed: UInt64, idles: Bool = true) {
      var state = seed
      for index in 0..<UInt64(1_000_000) {
        state = state &* 6_364_136_223_846_793_005 &+ 1
        let busy = 100 + (state >> 33) % 900
        let start = index * turn
        grid.add(from: start, to: start + busy, channel: 0)
        if idles { grid.add(from: start + busy, to: start + turn, channel: 2) }
        if grid.isOverBudget { return }
      }
    }
    func thread(_ tid: Int, budget: Int) -> TimelineLane {
      lane(.thread, ThreadLanes.states, budget: budget, tid: tid) { turns(&$0, seed: UInt64(tid)) }
    }
    // Three workers and their likes: a million turns take seconds to be put into a lane.
    let workers = (2...4).map { thread($0, budget: Timeline.threadBudget) }
    var lanes = [thread(1, budget: Timeline.mainBudget)]
    for tid in 2...16 {
      var worker = workers[tid % workers.count]
      worker.tid = tid
      lanes.append(worker)
    }
    lanes.append(
      lane(.cpu, ["running"], budget: Timeline.otherBudget) { turns(&$0, seed: 99, idles: false) })
    let causes = [
      "timer", "network", "disk", "sameProcess", "otherProcess", "signal", "other",
      "unknown", "idle",
    ]
    lanes.append(
      lane(.wakeups, causes, budget: Timeline.otherBudget) { grid in
        for index in 0..<UInt64(1_000_000) {
          grid.add(1, at: index * turn, channel: Int(index % 9))
        }
      })
    lanes.append(
      lane(.disk, ["bytes", "writes", "syncs", "syncNanoseconds"], budget: Timeline.otherBudget) {
        grid in
        for index in 0..<UInt64(300_000) {
          grid.add(4096 + index % 977, at: index * 12_000, channel: 0)
          grid.add(1, at: index * 12_000, channel: 1)
        }
      })
    var timeline = Timeline(durationSeconds: 3600, lanes: lanes)
    timeline.footprint = (0..<EventLanes.mostPoints).map {
      FootprintPoint(
        time: Double($0) * 1.2, footprintBytes: UInt64(10_000_000 + $0 * 1000),
        residentBytes: UInt64(20_000_000))
    }
    return timeline
  }

  /// As much of everything as a busy hour can hold.
  private static func fill(_ report: inout Report) throws {
    let hang = try #require(report.signals.mainThread?.hangs.first)
    report.signals.mainThread?.hangs = (0..<36_000).map { index in
      var copy = hang
      copy.start = Double(index) / 10
      copy.durationSeconds = 0.1 + Double(index % 700) / 1000
      copy.stack = Array(repeating: hang.stack, count: 30).flatMap { $0 }
      return copy
    }
    let connection = try #require(report.signals.network?.connections.first)
    report.signals.network?.connections = (0..<40_000).map { index in
      var copy = connection
      copy.local = "10.0.0.1:\(index)"
      copy.bytesSent = UInt64(index)
      return copy
    }
    let burst = try #require(report.signals.network?.bursts.first)
    report.signals.network?.bursts = (0..<5_000).map { index in
      var copy = burst
      copy.start = Double(index) * 0.7
      return copy
    }
    let file = try #require(report.signals.disk?.files.first)
    report.signals.disk?.files = (0..<40_000).map { index in
      var copy = file
      copy.path = "/var/lib/server/objects/\(index)"
      copy.bytesWritten = UInt64(index)
      return copy
    }
    report.signals.memory?.samples = (0..<36_000).map {
      MemorySampleSection(
        time: Double($0) / 10, footprintBytes: UInt64(10_000_000 + $0), residentBytes: 20_000_000)
    }
  }

  @Test func `an hour of a million events is under 3 MB and soon drawn`() throws {
    var report = SampleReport.report()
    report.trace.durationSeconds = 3600
    try Self.fill(&report)
    let page = try HTMLReport.render(report, timeline: Self.timeline())
    #expect(page.utf8.count < 3_000_000)
    #expect(page.contains("has the costliest 1,000 of 36,000 hangs"))
    let browser = try Browser()
    try browser.show(page)
    try browser.waitUntil(
      "performance.getEntriesByName('first-contentful-paint').length > 0")
    let paint = try browser.number(
      "performance.getEntriesByName('first-contentful-paint')[0].startTime")
    let ready = try browser.number(
      "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    let frame = try browser.number(
      """
      (() => {
        const start = performance.now();
        for (let count = 0; count < 20; count += 1) {
          document.getElementById("tl-in").click();
          document.getElementById("tl-out").click();
        }
        return (performance.now() - start) / 40;
      })()
      """)
    print(
      "a million events: \(page.utf8.count) bytes, first paint after \(Int(paint)) ms, "
        + "ready after \(Int(ready)) ms, \(Figures.brief(frame)) ms for a step's figures")
    #expect(paint > 0 && ready > 0)
    #expect(try browser.text("document.documentElement.dataset.ready") == "yes")
    #expect(browser.complaints == [])
  }
}
