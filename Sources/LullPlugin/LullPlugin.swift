import Foundation
import PackagePlugin

/// `swift package lull`: builds the package in release, records the scenarios of its lull.toml, and checks them.
///
/// With a command it is `lull` itself: `swift package lull record -- …`; what it records has no input, since plugins
/// have none. A `lull` of this version that is installed is taken; else one is built, which takes minutes the first
/// time.
@main struct LullPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let lull = try installed(context) ?? built()
    var words = arguments
    let asksLull = ["--help", "-h", "--version"].contains(words.first)
    if !asksLull, words.first.map({ $0.hasPrefix("-") }) ?? true {
      words = ["check", "--run"] + words
    }
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
  private func installed(_ context: PluginContext) throws -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = folders.map { "\($0)/lull" }
    let isThere = { FileManager.default.isExecutableFile(atPath: $0) }
    guard let path = paths.first(where: isThere) else {
      say("no lull is in PATH")
      return nil
    }
    let url = URL(fileURLWithPath: path)
    let said = (try? output(of: url, ["--version"], in: URL(fileURLWithPath: "/"))) ?? ""
    let form = /lull (?<version>[0-9.]+)( \(commit (?<commit>[0-9a-f]+))?/
    guard let told = said.firstMatch(of: form) else {
      say("\(path) does not tell its version")
      return nil
    }
    guard told.version == Self.version else {
      say("\(path) is \(told.version), and the package wants \(Self.version)")
      return nil
    }
    // Commits of one version are taken for each other, and not in silence.
    if let commit = told.commit, let own = commitOfLull(context), !own.hasPrefix(commit) {
      say("\(path) is used: the package's version, of commit \(commit), not \(own.prefix(12))")
    }
    return url
  }

  /// The commit that the package has of Lull; nil where that is not known.
  private func commitOfLull(_ context: PluginContext) -> String? {
    let packages = [context.package] + context.package.dependencies.map(\.package)
    guard let lull = packages.first(where: { $0.products.contains { $0.name == "LullPreload" } })
    else { return nil }
    if case .repository(_, _, let revision) = lull.origin { return revision }
    let checkout = lull.directoryURL.appendingPathComponent(".git").path
    guard FileManager.default.fileExists(atPath: checkout) else { return nil }
    let shell = URL(fileURLWithPath: "/bin/sh")
    let words = ["-c", "git rev-parse HEAD 2>/dev/null"]
    return try? output(of: shell, words, in: lull.directoryURL)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// What a plugin remarks, the package manager keeps to itself; what it writes is shown.
  private func say(_ text: String) {
    FileHandle.standardError.write(Data("lull: \(text)\n".utf8))
  }

  private func built() throws -> URL {
    say("building \(Self.version), which takes minutes the first time, unless it is installed")
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
    // A plugin's own input is closed, and a file that is opened would take its place.
    process.standardInput = FileHandle.nullDevice
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
