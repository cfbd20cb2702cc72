import Foundation
import Testing

/// The files of this checkout.
enum SourceTree {
  struct File {
    /// From the checkout's root on.
    var path: String
    var text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// What was written by hand: generated code is left out, and so are the builds of nested packages.
  static func swiftFiles(under folders: [String]) throws -> [File] {
    let files = try folders.flatMap { folder in
      let names = try #require(
        FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path))
      return names.compactMap { $0 as? String }.filter {
        $0.hasSuffix(".swift") && !$0.hasSuffix(".pb.swift") && !$0.contains(".build")
      }.map { "\(folder)/\($0)" }
    }
    try #require(files.count > 100)
    return try files.sorted().map { File(path: $0, text: try text(of: $0)) }
  }
}
