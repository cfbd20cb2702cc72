import Foundation
import Testing

@testable import Reporting

/// The page for those who do not see it, or not well, or on another screen.
@Suite(
  .serialized,
  .enabled(if: Browser.path != nil, "chromium is not installed; apt-get install chromium")
)
struct AccessibilityTests {
  private func names(of role: String, in tree: [[String: Any]]) -> [String] {
    tree.compactMap { node in
      guard node["ignored"] as? Bool != true,
        (node["role"] as? [String: Any])?["value"] as? String == role
      else { return nil }
      return (node["name"] as? [String: Any])?["value"] as? String ?? ""
    }
  }

  @Test func `the accessibility tree has headings, and a name for all that can be used`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    _ = try browser.value(
      "document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    let tree = try browser.send("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
    let headings = names(of: "heading", in: tree)
    for heading in [
      "app", "What costs most", "What the advice would save", "How far to trust it", "Timeline",
      "Findings", "Tables", "Flame graph", "Recording",
    ] { #expect(headings.contains(heading), "\(heading) is not in \(headings)") }
    for role in [
      "button", "link", "textbox", "searchbox", "combobox", "image", "application", "treeitem",
    ] {
      for name in names(of: role, in: tree) { #expect(!name.isEmpty, "a \(role) has no name") }
    }
    #expect(names(of: "application", in: tree).first?.contains("Main thread") == true)
    #expect(names(of: "image", in: tree).contains { $0.hasPrefix("Overall: ") })
    #expect(names(of: "treeitem", in: tree).contains { $0.hasPrefix("Store.flush()") })
  }

  @Test(arguments: ["light", "dark"])
  func `text stands out from what is behind it as WCAG AA asks`(theme: String) throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    try browser.setTheme(theme)
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    let faint = try browser.text(Self.contrastScript)
    #expect(faint.isEmpty, "\(faint)")
  }

  @Test(arguments: [360, 768, 1280, 3840])
  func `nothing is wider than the screen`(width: Int) throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser(width: width, height: 900)
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    _ = try browser.value(
      "document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    let overflow = try browser.number("document.documentElement.scrollWidth - innerWidth")
    #expect(overflow <= 0)
    let size = try browser.number("parseFloat(getComputedStyle(document.body).fontSize)")
    #expect(size >= (width > 3000 ? 24 : 14))
    try browser.show(HTMLComparison.render(base: app.report, new: app.report))
    #expect(try browser.number("document.documentElement.scrollWidth - innerWidth") <= 0)
  }

  // A long title pushed its figure out of the card, or to one letter a line.
  @Test(arguments: [360, 768, 1280, 1600])
  func `what the advice would save stays in its card, each figure in a line`(width: Int) throws {
    let app = try RecordedApp.analysis()
    var report = app.report
    for (index, audit) in report.audits.prefix(4).enumerated() {
      report.audits[index].title = "Do not make the main thread wait for whatever may take long"
      report.opportunities.insert(
        OpportunitySection(
          audit: audit.id, joules: 1, seconds: 12.5, summary: "", joulesPerDay: 24_370,
          batteryShare: nil), at: 0)
    }
    let browser = try Browser(width: width, height: 900)
    try browser.show(HTMLReport.render(report, timeline: app.timeline))
    let rows = "[...document.querySelectorAll('.card-savings .rows > div')]"
    #expect(try browser.number("\(rows).length") >= 4)
    let outside = try browser.number(
      """
      \(rows).filter((row) => [...row.children].some((part) => {
        const card = row.closest('.card').getBoundingClientRect(), box = part.getBoundingClientRect();
        return box.right > card.right || box.left < card.left;
      })).length
      """)
    #expect(outside == 0)
    // "24.4 kJ a day, 12.5 s" takes two lines at most; measured is the text, since its box is as tall as the row.
    let tallest = try browser.number(
      """
      Math.max(...\(rows).map((row) => {
        const text = document.createRange();
        text.selectNodeContents(row.lastElementChild);
        return text.getBoundingClientRect().height / parseFloat(getComputedStyle(row).lineHeight);
      }))
      """)
    #expect(tallest < 2.5)
  }

  @Test func `the page prints to two sheets`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    let answer = try browser.send("Page.printToPDF", ["preferCSSPageSize": true])
    let data = Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    let pages = text.matches(of: /\/Type\s*\/Page[^s]/).count
    #expect(pages == 2)
  }

  /// Lists text whose contrast with its background is under 4.5, or 3 where it is large.
  private static let contrastScript = """
    (() => {
      document.querySelectorAll("details").forEach((item) => { item.open = true; });
      const channels = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
      const light = (rgb) => {
        const parts = rgb.slice(0, 3).map((value) => {
          const share = value / 255;
          return share <= 0.03928 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const color = channels(getComputedStyle(at).backgroundColor);
          if (color.length === 3 || color[3] > 0.99) { return color; }
        }
        return [255, 255, 255];
      };
      const faint = [];
      document.querySelectorAll("body *").forEach((element) => {
        const own = Array.from(element.childNodes).some(
          (node) => node.nodeType === 3 && node.textContent.trim());
        if (!own || !element.getClientRects().length || element.closest(":disabled")) { return; }
        if (["SCRIPT", "STYLE"].includes(element.tagName)) { return; }
        const style = getComputedStyle(element);
        const isSVG = element instanceof SVGElement;
        const front = light(channels(isSVG ? style.fill : style.color));
        const back = light(behind(isSVG ? element.closest("svg") : element));
        const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
        if (ratio < (isLarge ? 3 : 4.5)) {
          faint.push(element.tagName + "." + element.getAttribute("class") + " " +
            ratio.toFixed(2) + " " + element.textContent.trim().slice(0, 30));
        }
      });
      return Array.from(new Set(faint)).slice(0, 12).join("; ");
    })()
    """
}
