import Foundation
import Signals
import Testing

@testable import Reporting

/// Names that other people chose, in every string of a report.
@Suite struct HostileNameTests {
  static let names = [
    "</script><img src=x onerror=\"window.owned = 1; alert(1)\">",
    "<!--<script>window.owned = 1</script>",
    "\" onmouseover=\"window.owned = 1\" x=\"", "' onclick='window.owned = 1'",
    "\"\u{301} onmouseover=\u{301}\"\u{301}window.owned = 1\"", "{{title}}{{{frame.script}}}",
    "\u{D4E}<img src=x onerror=\u{D4E}\"window.owned = 1\u{D4E}\">",
    "line\nbreak\r\ttab", "a\u{1B}[31mred\u{1B}[0m\u{07}", "right\u{202E}tfel\u{202C}\u{2066}",
    "javascript:window.owned = 1", "&lt;b&gt;&amp;", "\u{2028}\u{2029}\u{0}",
    String(decoding: [0x61, 0xFF, 0xC0, 0x80, 0xFE], as: UTF8.self), "__proto__", "constructor",
  ]

  /// Replaces every string but those that are words of ours.
  private static func poisoned(_ value: Any, key: String, with name: String) -> Any {
    let ours: Set = [
      "schema", "status", "severity", "class", "kind", "cause", "id", "category", "audit", "mode",
      "scope", "unit", "data", "channels", "causes", "role", "rung",
    ]
    switch value {
    case let text as String: return ours.contains(key) ? text : name
    case let list as [Any]: return list.map { poisoned($0, key: key, with: name) }
    case let object as [String: Any]:
      return object.reduce(into: [String: Any]()) {
        $0[$1.key] = poisoned($1.value, key: $1.key, with: name)
      }
    default: return value
    }
  }

  private static func poisoned<Value: Codable>(_ value: Value, with name: String) throws -> Value {
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
    let data = try JSONSerialization.data(withJSONObject: poisoned(json, key: "", with: name))
    return try JSONDecoder().decode(Value.self, from: data)
  }

  @Test(.enabled(if: Browser.path != nil, "chromium is not installed; apt-get install chromium"))
  func `a hostile name is shown as it is and runs nothing`() throws {
    let app = try RecordedApp.analysis()
    let browser = try Browser()
    for name in Self.names {
      let report = try Self.poisoned(app.report, with: name)
      #expect(report.process.name == name)
      let timeline = try Self.poisoned(app.timeline, with: name)
      for page in [
        try HTMLReport.render(report, timeline: timeline),
        try HTMLComparison.render(base: report, new: report),
      ] {
        try browser.show(page)
        #expect(
          try browser.text("document.documentElement.dataset.ready") == "yes",
          "\(name.debugDescription)")
        _ = try browser.value(
          """
          document.querySelectorAll("details").forEach((item) => { item.open = true; });
          document.querySelectorAll("*").forEach((item) => {
            item.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
          });
          document.querySelectorAll(".jump-time, .flame-box").forEach((item) => { item.click(); });
          """)
        #expect(try browser.value("window.owned === undefined") as? Bool == true)
        #expect(
          try browser.number("document.querySelectorAll('img, iframe, object, b').length") == 0)
        #expect(
          try browser.value(
            "Array.from(document.querySelectorAll('*')).every((item) => Array.from(item.attributes)"
              + ".every((each) => !each.name.startsWith('on') && (each.name !== 'href' || "
              + "/^(#|data:,$|blob:)/.test(each.value))))"
          ) as? Bool == true, "\(name.debugDescription)")
        let hidden = try browser.number(
          "(document.body.innerText.match(/[\\u202A-\\u202E\\u2066-\\u2069\\u200B\\u0007\\u001B]/g) || []).length"
        )
        #expect(hidden == 0)
      }
      try browser.show(HTMLReport.render(report, timeline: timeline))
      #expect(try browser.text("document.querySelector('h1').textContent") == PageText.shown(name))
      if name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
        #expect(try browser.text("document.querySelector('h1').textContent") == name)
      }
    }
    #expect(browser.complaints == [])
    #expect(browser.dialogs == [])
  }

  @Test(arguments: names)
  func `a hostile name cannot act in text, Markdown or JSON`(name: String) throws {
    let report = try Self.poisoned(SampleReport.report(), with: name)
    let text = TextReport.render(report)
    for line in text.split(separator: "\n") { #expect(Columns.width(line) <= 80) }
    let markdown = MarkdownReport.render(report)
    for form in [text, markdown] {
      #expect(
        form.unicodeScalars.allSatisfy { scalar in
          scalar == "\n"
            || (scalar.value >= 0x20 && scalar.value != 0x7F
              && scalar.properties.generalCategory != .format
              && scalar.properties.generalCategory != .control)
        })
    }
    #expect(
      !markdown.contains("<img") && !markdown.contains("<script") && !markdown.contains("<!--"))
    let again = try JSONReport.parse(try JSONReport.render(report))
    #expect(again.process.name == name)
  }
}
