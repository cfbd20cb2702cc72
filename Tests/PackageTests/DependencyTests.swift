import Foundation
import Testing

/// What files import is what Package.swift declares, no more and no less.
@Suite struct DependencyTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Target {
    var name: String
    var folder: String
    var dependencies: Set<String>
  }

  /// The Swift targets that Package.swift declares.
  private static func targets() throws -> [Target] {
    let text = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    return text.matches(of: /\.(target|executableTarget|testTarget)\(\s*name: "([^"]+)"/).map {
      match in
      let declaration = balanced(text[match.range.lowerBound...])
      let kind = match.1 == "testTarget" ? "Tests" : "Sources"
      let path = declaration.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) }
      let list = declaration.firstMatch(of: /dependencies: (\[(?:[^\[\]]|\[[^\]]*\])*\])/)?.1 ?? ""
      let names = list.replacing(/package: "[^"]+"/, with: "").matches(of: /"([^"]+)"/)
      return Target(
        name: String(match.2), folder: path ?? "\(kind)/\(match.2)",
        dependencies: Set(names.map { String($0.1) }))
    }
  }

  /// As much of a text as closes the first parenthesis.
  private static func balanced(_ text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if text[index] == ")", depth == 0 { return text[...index] }
    }
    return text
  }

  private static func imports(in folder: String) -> Set<String> {
    let base = root.appendingPathComponent(folder).resolvingSymlinksInPath()
    let files =
      FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".swift") }.reduce(into: []) { result, file in
      let text = (try? String(contentsOf: base.appendingPathComponent(file), encoding: .utf8)) ?? ""
      for match in text.matches(of: /(?m)^\s*(?:@\w+ )?import (\w+)/) {
        result.insert(String(match.1))
      }
    }
  }

  @Test func `every import is a declared dependency, and every dependency is imported`() throws {
    let targets = try Self.targets()
    try #require(targets.count > 30)
    let products: Set = ["ArgumentParser", "Histogram", "Mustache", "SwiftProtobuf", "TOMLKit"]
    let modules = products.union(targets.map(\.name)).union(targets.flatMap(\.dependencies))
    // Programs that tests start are built for them, not imported.
    let programs: Set = ["lull", "lull-workload", "lull-workload-async"]
    // Targets of C include headers, which name no module.
    let plain: Set = ["Sources/LullPreload", "Sources/CLullAgent"]
    for target in targets where !plain.contains(target.folder) {
      let imported = Self.imports(in: target.folder).intersection(modules)
      let missing = imported.subtracting(target.dependencies).sorted()
      // To link with the agent is all it takes.
      let linked: Set = target.name == "lull-workload-agent" ? ["LullAgent"] : []
      let unused = target.dependencies.subtracting(imported).subtracting(programs)
        .subtracting(linked).sorted()
      #expect(missing == [], "\(target.name) imports what it does not declare")
      #expect(unused == [], "\(target.name) declares what it does not import")
    }
  }
}
