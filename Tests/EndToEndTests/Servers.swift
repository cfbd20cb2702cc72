import Foundation
import Testing

/// The servers of `Tests/Servers`, built once; their build stays beside Lull's.
enum Servers {
  /// Builds one by its name; gives its path. With the Swift runtime in the program it has a build of its own.
  static func build(_ name: String, isWhole: Bool = false) throws -> String {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = tests.deletingLastPathComponent()
      .appendingPathComponent(".build/test-packages/servers" + (isWhole ? "-whole" : "")).path
    let package = tests.appendingPathComponent("Servers").path
    let result = try Command.run(
      ["swift", "build", "--product", name, "--package-path", package, "--scratch-path", folder]
        + (isWhole ? ["--static-swift-stdlib"] : []), limit: 540)
    try #require(result.status == 0, "\(result.text.suffix(2000)) \(result.errors.suffix(2000))")
    return "\(folder)/debug/\(name)"
  }
}
