import Foundation
import PackagePlugin

/// `swift package lull`: builds the package in release, records the scenarios of its lull.toml, and checks them.
///
/// With arguments it is `lull` itself: `swift package lull check --all`, `swift package lull record -- …`.
/// A `lull` of this version that is installed is taken; else one is built, which takes minutes the first time.
@main struct LullPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let lull = try installed() ?? built()
    var words = arguments
    if words.first.map({ $0.hasPrefix("-") }) ?? true { words = ["check", "--run"] + words }
    let folder = context.package.directoryURL
    if words.first == "check", words.contains("--run") {
      try build(try output(of: lull, ["check", "--products"] + budget(in: words), in: folder))
    }
    let status = try run(lull, words, in: folder)
    guard status == 0 else {
      Diagnostics.error("lull \(words.joined(separator: " ")) ended with status \(status)")
      return
    }
  }

  /// The version of `lull` that goes with this plugin; a test compares it with the program's own.
  private static let version = "0.1.0"

  /// The first `lull` on the search path, where it is of this version.
  private func installed() throws -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = folders.map { "\($0)/lull" }
    guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      return nil
    }
    let url = URL(fileURLWithPath: path)
    let said = (try? output(of: url, ["--version"], in: URL(fileURLWithPath: "/"))) ?? ""
    let words = said.split(whereSeparator: \.isWhitespace)
    guard words.count > 1, words[0] == "lull", words[1] == Self.version else {
      Diagnostics.remark("\(path) is of another version than this package's \(Self.version)")
      return nil
    }
    return url
  }

  private func built() throws -> URL {
    Diagnostics.remark(
      "no lull \(Self.version) is installed: one is built, which takes minutes the first time")
    var parameters = PackageManager.BuildParameters()
    parameters.configuration = .release
    parameters.echoLogs = true
    // Without privileges it records by the library beside it; with them it needs none.
    _ = try? packageManager.build(.product("LullPreload"), parameters: parameters)
    let result = try packageManager.build(.product("lull"), parameters: parameters)
    guard result.succeeded,
      let program = result.builtArtifacts.first(where: { $0.url.lastPathComponent == "lull" })
    else { throw BuildFailure() }
    return program.url
  }

  /// The option that names another budget file, for the question what to build.
  private func budget(in words: [String]) -> [String] {
    guard let index = words.firstIndex(of: "--budget"), index + 1 < words.count else { return [] }
    return ["--budget", words[index + 1]]
  }

  /// Builds the products that the scenarios name, or everything where they name none.
  private func build(_ products: String) throws {
    let names = products.split(separator: "\n").map(String.init)
    let subsets: [PackageManager.BuildSubset] =
      names.isEmpty ? [.all(includingTests: false)] : names.map { .product($0) }
    for subset in subsets {
      var parameters = PackageManager.BuildParameters()
      parameters.configuration = .release
      parameters.echoLogs = true
      guard try packageManager.build(subset, parameters: parameters).succeeded else {
        throw BuildFailure()
      }
    }
  }

  private func run(_ tool: URL, _ words: [String], in folder: URL) throws -> Int32 {
    let process = Process()
    process.executableURL = tool
    process.arguments = words
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func output(of tool: URL, _ words: [String], in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = tool
    process.arguments = words
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BudgetFailure() }
    return String(decoding: said, as: UTF8.self)
  }
}

/// The package does not build in release.
struct BuildFailure: Error, CustomStringConvertible {
  let description = "the package does not build in release; see above"
}

/// The budget file cannot be read.
struct BudgetFailure: Error, CustomStringConvertible {
  let description = "the budget file cannot be read; see above"
}
