import Foundation
import Testing

/// What the linter does not look at: it wraps code, but leaves comments and texts as they are.
struct LineWidthTests {
  static let widest = 120

  @Test func `no line is wider than 120 columns, comments included`() throws {
    let manifest = SourceTree.File(
      path: "Package.swift", text: try SourceTree.text(of: "Package.swift"))
    let files = try SourceTree.swiftFiles(under: ["Sources", "Tests"]) + [manifest]
    let tooWide = files.flatMap { file in
      file.lines.enumerated().compactMap { index, line in
        line.count > Self.widest ? "\(file.path):\(index + 1): \(line.count) columns" : nil
      }
    }
    #expect(tooWide.isEmpty, "\(tooWide.joined(separator: "\n"))")
  }
}
