import Foundation
import Quantities
import Testing

@testable import Reporting

/// The page in a real browser.
@Suite(
  .serialized,
  .enabled(if: Browser.path != nil, "chromium is not installed; apt-get install chromium")
)
struct PageInBrowserTests {
  @Test
  func `a page loads without a complaint or a request, and its gauges say what the JSON says`()
    throws
  {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    #expect(try browser.text("document.documentElement.dataset.ready") == "yes")
    let gauges =
      [("overall", ShownScore(app.report.score))]
      + app.report.score.categories.map { ($0.id, ShownScore($0, of: app.report.score)) }
    #expect(gauges.contains { $0.1.score != nil })
    for (id, score) in gauges {
      let gauge = "document.querySelector('[data-gauge=\"\(id)\"]"
      let shown = score.text("–") ?? "–"
      #expect(try browser.text("\(gauge) .gauge-number').textContent") == shown)
      let label = try browser.text("\(gauge) svg').getAttribute('aria-label')")
      #expect(label.contains(score.text().map { "\($0) of 100" } ?? "not scored"))
      let arc = try browser.text("\(gauge) .arc').getAttribute('stroke-dasharray')")
      #expect(arc == "\(Figures.fixed(score.bounds?.low ?? score.score ?? 0, 1)) 100")
    }
    try usesEveryPart(of: browser)
    #expect(browser.complaints == [])
    #expect(browser.dialogs == [])
    #expect(browser.requests.count == 1)
    #expect(browser.requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("data:") })
  }

  /// Presses every button, opens all that opens and types into every field.
  private func usesEveryPart(of browser: Browser) throws {
    _ = try browser.value(
      """
      (() => {
        document.querySelectorAll("details").forEach((item) => { item.open = true; });
        document.querySelectorAll("button").forEach((item) => {
          if (item.id !== "download") { item.click(); }
        });
        document.querySelectorAll("input").forEach((item) => {
          item.value = "a";
          item.dispatchEvent(new Event("input"));
        });
        document.querySelectorAll(".flame-box").forEach((item) => { item.click(); });
      })()
      """)
  }

  /// Between two lanes there is nothing but the lines of the ruler, which are the same everywhere.
  @Test func `no lane is drawn outside its place`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    let spread = try browser.number(
      """
      (() => {
        const canvas = document.getElementById("tl-canvas");
        const ink = canvas.getContext("2d");
        const ratio = canvas.width / canvas.clientWidth;
        const counts = Array.from(document.querySelectorAll(".tl-label")).map((label) => {
          const below = parseFloat(label.style.top) + parseFloat(label.style.height) + 5;
          const row = ink.getImageData(0, Math.round(below * ratio), canvas.width, 1).data;
          let count = 0;
          for (let at = 3; at < row.length; at += 4) { if (row[at] > 0) { count += 1; } }
          return count;
        });
        return Math.max(...counts) - Math.min(...counts);
      })()
      """)
    #expect(spread == 0)
    #expect(try browser.number("document.querySelectorAll('.tl-label').length") >= 8)
  }

  @Test func `the timeline's figures are the report's, and those of a selection its share`() throws
  {
    var app = try RecordedApp.analysis()
    // The kernel knows of a peak between two readings.
    app.report.signals.memory?.peakFootprintBytes *= 2
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    func figure(_ title: String) throws -> Double {
      try browser.number(
        """
        (() => {
          const all = Array.from(document.querySelectorAll("#tl-figures > div"));
          const one = all.find((item) => item.querySelector("dt").textContent === "\(title)");
          return one ? Number(one.querySelector("dd").dataset.value) : NaN;
        })()
        """)
    }
    let signals = app.report.signals
    let main = try #require(signals.mainThread)
    let network = try #require(signals.network)
    #expect(abs(try figure("Main thread running") - main.runningSeconds) < 0.001)
    #expect(abs(try figure("Idle") - main.idleSeconds) < 0.001)
    #expect(abs(try figure("Blocked on a lock") - (main.blockedByCause["lock"] ?? 0)) < 0.001)
    #expect(try figure("Hangs") == Double(main.hangs.count))
    // The power of all parts, over the recording: the energy but for what the radio takes after it.
    let energy = try #require(signals.energy)
    let during = energy.totalJoules - (network.radio.joulesAfterEnd ?? 0)
    #expect(abs(try figure("Energy") - during) < 0.01 * during)
    #expect(main.hangs.count == 4)
    #expect(try figure("Wakeups").rounded() == Double(signals.wakeups?.total ?? -1))
    #expect(
      try figure("Network").rounded() == Double(network.bytesSent + network.bytesReceived))
    #expect(try figure("Written").rounded() == Double(signals.disk?.bytesWritten ?? 0))
    let peak = try #require(signals.memory?.peakFootprintBytes)
    #expect(try figure("Footprint") == Double(peak))
    // What is spent after the end of the recording is in no span of it.
    let after = try #require(network.radio.joulesAfterEnd)
    #expect(abs(try figure("Radio") - (network.radio.energyJoules - after)) < 0.01)
    #expect(try figure("CPU") - (signals.cpu?.totalSeconds ?? -1) < 0.001)

    // The first hang, by key, then its whole length by selection.
    _ = try browser.value("document.getElementById('tl-plot').focus()")
    try browser.press("n")
    let hang = try #require(main.hangs.first)
    try browser.waitUntil(
      "document.getElementById('tl-figures-title').textContent.startsWith('Selection')")
    #expect(abs(try figure("Span") - hang.durationSeconds) < 0.000_01)
    #expect(abs(try figure("Blocked on a lock") - (hang.blockedByCause["lock"] ?? 0)) < 0.000_1)
    #expect(
      try browser.text("document.getElementById('tl-details').textContent").contains(
        "Store.flush()"))
    #expect(
      try browser.text("document.getElementById('tl-readout').textContent").contains("Main thread"))
    try browser.press("Escape")
    try browser.press("Home")
    #expect(
      try browser.text("document.getElementById('tl-figures-title').textContent")
        == "Whole recording")
    #expect(browser.complaints == [])
  }

  @Test func `mouse, wheel, keys and buttons zoom, pan and select`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    _ = try browser.value(
      "document.documentElement.style.scrollBehavior = 'auto'; "
        + "document.getElementById('tl').scrollIntoView()")
    func plot(_ side: String) throws -> Double {
      try browser.number("document.getElementById('tl-plot').getBoundingClientRect().\(side)")
    }
    func span() throws -> Double {
      try browser.number("Number(document.querySelector('#tl-figures dd').dataset.value)")
    }
    func title() throws -> String {
      try browser.text("document.getElementById('tl-figures-title').textContent")
    }
    let whole = try span()
    #expect(abs(whole - app.report.trace.durationSeconds) < 0.01)
    let left = try plot("left")
    let width = try plot("width")
    let y = try plot("top") + 60
    try browser.mouse("mouseWheel", x: left + width / 2, y: y, deltaY: -240, modifiers: 2)
    try browser.waitUntil(
      "document.getElementById('tl-figures-title').textContent !== 'Whole recording'")
    #expect(abs(try span() / whole - exp(-1)) < 0.01)
    _ = try browser.value("document.getElementById('tl-plot').focus()")
    try browser.press("Home")
    #expect(abs(try span() - whole) < 1e-6)
    try browser.press("+")
    #expect(abs(try span() - whole / 1.5) < 0.01)
    _ = try browser.value("document.getElementById('tl-fit').click()")

    try browser.mouse("mousePressed", x: left + width * 0.25, y: y)
    try browser.mouse("mouseMoved", x: left + width * 0.4, y: y)
    try browser.mouse("mouseMoved", x: left + width * 0.75, y: y)
    try browser.mouse("mouseReleased", x: left + width * 0.75, y: y)
    #expect(try title().hasPrefix("Selection"))
    #expect(abs(try span() - whole / 2) < whole * 0.01)
    _ = try browser.value("document.getElementById('tl-zoom').click()")
    try browser.press("Escape")
    #expect(try title().hasPrefix("In view"))
    #expect(abs(try span() - whole / 2) < whole * 0.01)
    #expect(browser.complaints == [])
  }

  @Test func `two fingers zoom, and one pans`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser(width: 400, height: 800)
    try browser.send("Emulation.setTouchEmulationEnabled", ["enabled": true])
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    _ = try browser.value(
      "document.documentElement.style.scrollBehavior = 'auto'; "
        + "document.getElementById('tl').scrollIntoView()")
    let top = try browser.number("document.getElementById('tl-plot').getBoundingClientRect().top")
    func touch(_ type: String, _ places: [Double]) throws {
      let points = places.enumerated().map { ["x": $1, "y": top + 80, "id": $0] as [String: Any] }
      try browser.send("Input.dispatchTouchEvent", ["type": type, "touchPoints": points])
    }
    func span() throws -> Double {
      try browser.number("Number(document.querySelector('#tl-figures dd').dataset.value)")
    }
    let whole = try span()
    try touch("touchStart", [150])
    try touch("touchStart", [150, 250])
    try touch("touchMove", [140, 260])
    try touch("touchMove", [100, 300])
    try touch("touchEnd", [])
    let zoomed = try span()
    #expect(zoomed < whole * 0.7 && zoomed > whole * 0.3)
    let before = try browser.text("document.getElementById('tl-figures-title').textContent")
    try touch("touchStart", [200])
    try touch("touchMove", [230])
    try touch("touchMove", [280])
    try touch("touchEnd", [])
    #expect(abs(try span() - zoomed) < whole * 0.01)
    #expect(try browser.text("document.getElementById('tl-figures-title').textContent") != before)
    #expect(browser.complaints == [])
  }

  @Test func `tables sort and filter, findings filter, and the JSON can be had`() throws {
    let app = try RecordedApp.analysis()
    var report = app.report
    report.signals.disk?.files = (0..<40).map {
      FileSection(
        path: "/data/file-\($0).db", writes: $0, bytesWritten: UInt64(40 - $0) * 1000, syncs: 0,
        rewrites: 0, rewrittenBytes: 0)
    }
    let browser = try Browser()
    try browser.show(HTMLReport.render(report, timeline: app.timeline))
    let table = "document.getElementById('table-files')"
    func shown() throws -> Int {
      Int(try browser.number("\(table).querySelectorAll('tbody tr:not([hidden])').length"))
    }
    func first() throws -> String {
      try browser.text("\(table).querySelector('tbody td').textContent")
    }
    #expect(try shown() == 15)
    _ = try browser.value("\(table).querySelector('.more').click()")
    #expect(try shown() == 40)
    #expect(try first() == "/data/file-0.db")
    _ = try browser.value("\(table).querySelectorAll('.sort')[2].click()")
    #expect(try first() == "/data/file-39.db")
    #expect(
      try browser.text("\(table).querySelectorAll('th')[2].getAttribute('aria-sort')")
        == "descending")
    _ = try browser.value(
      "(() => { const f = \(table).querySelector('.table-filter'); f.value = 'FILE-7'; "
        + "f.dispatchEvent(new Event('input')); })()")
    #expect(try shown() == 1)
    _ = try browser.value(
      "(() => { const f = document.getElementById('finding-filter'); f.value = 'main-thread-lock'; "
        + "f.dispatchEvent(new Event('input')); })()")
    #expect(try browser.number("document.querySelectorAll('.finding:not([hidden])').length") >= 1)
    #expect(
      try browser.number("document.querySelectorAll('.finding:not([hidden])').length")
        < Double(report.audits.count))

    let saved = try browser.text(
      """
      new Promise((resolve) => {
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then(resolve); return make(blob); };
        HTMLAnchorElement.prototype.click = () => {};
        document.getElementById("download").click();
      })
      """)
    #expect(try JSONReport.render(JSONReport.parse(saved)) == JSONReport.render(report))
    #expect(browser.complaints == [])
  }

  /// What is written on the timeline, of a page so wide.
  private func peaks(_ browser: Browser, width: Int) throws -> [String] {
    try browser.resize(width: width, height: 900)
    _ = try browser.value(
      """
      window.written = [];
      window.drawn = window.drawn || CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text) {
        window.written.push(text);
        window.drawn.apply(this, arguments);
      };
      document.getElementById("tl-fit").click();
      """)
    try browser.waitUntil("window.written.some((text) => text.startsWith('up to'))")
    return try browser.text(
      "window.written.filter((text) => text.startsWith('up to') || text.includes('core')).join('|')"
    ).split(separator: "|").map(String.init)
  }

  // Peaks were those of columns of two pixels: on half the width half of them.
  @Test func `a peak is the same at any width`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser(width: 1600, height: 900)
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    let wide = try peaks(browser, width: 1600)
    #expect(wide.count >= 4, "\(wide)")
    // 9000 bytes came at once.
    #expect(wide.contains("up to 9 kB in 50.0 ms"), "\(wide)")
    for width in [400, 900] { #expect(try peaks(browser, width: width) == wide) }
  }

  @Test(arguments: [400, 900, 1600])
  func `a thread's id is not cut`(width: Int) throws {
    var app = try RecordedApp.analysis()
    for index in app.timeline.lanes.indices where app.timeline.lanes[index].kind == .thread {
      app.timeline.lanes[index].tid = 4_194_303
      app.timeline.lanes[index].name = "a-thread-of-a-very-long-name-that-fits-nowhere"
      app.timeline.lanes[index].role = "cooperative pool"
    }
    let browser = try Browser(width: width, height: 900)
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    #expect(
      try browser.text("document.querySelector('.tl-tid').textContent") == " 4194303")
    let cut = try browser.number(
      """
      [...document.querySelectorAll(".tl-tid")].filter((id) => {
        const label = id.closest(".tl-labels").getBoundingClientRect();
        const box = id.getBoundingClientRect();
        return box.width < 20 || box.left < label.left || box.right > label.right;
      }).length
      """)
    #expect(cut == 0)
  }
}
