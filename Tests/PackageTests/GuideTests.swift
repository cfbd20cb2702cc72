import Foundation
import Testing

/// The page for who changes something names files that are there.
struct GuideTests {
  @Test func `every file and folder that the guide names is in the tree`() throws {
    let guide = try SourceTree.text(of: "Sources/README.md")
    let named = guide.matches(of: /`((?:Sources|Tests)\/[A-Za-z0-9_\/.]+)`/).map { String($0.1) }
    try #require(named.count > 20)
    // One that is still to be written.
    for path in Set(named).subtracting(["Sources/Rules/Rules/MyRule.swift"]).sorted() {
      let there = FileManager.default.fileExists(
        atPath: SourceTree.root.appendingPathComponent(path).path)
      #expect(there, "Sources/README.md names \(path)")
    }
  }

  @Test func `the guide tells of each kind of change`() throws {
    let guide = try SourceTree.text(of: "Sources/README.md")
    let kinds = guide.matches(of: /(?m)^### An? (.+)$/).map { String($0.1) }
    #expect(
      kinds == [
        "tracepoint", "source of recordings", "program in the kernel", "table of the trace",
        "signal", "price of energy",
        "meter of the machine", "rule", "exporter", "file that is built in",
      ])
  }
}
