import Foundation
import Synchronization
import Testing

/// A package that tests build and record. Its build stays beside Lull's own.
enum TestPackage: String, CaseIterable, CustomTestStringConvertible {
  /// `Tests/Servers`.
  case servers
  case databaseServer = "database-server"
  case marksUser = "marks-user"
  /// One with tests.
  case tested
  /// This package's workloads with the Swift runtime in them.
  case staticRuntime = "static-runtime"
  /// And with the C library in them too.
  case staticWhole = "static-whole"

  var testDescription: String { rawValue }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  /// Seconds: beside other tests the servers took six minutes, and machines differ.
  private static let longestBuild = 1_800.0
  private static let built = Mutex<[TestPackage: String]>([:])

  /// The folder of its programs, which are built once in a process.
  func folder() throws -> String {
    try Self.built.withLock { built in
      if let folder = built[self] { return folder }
      for options in builds {
        let result = try Command.run(
          ["swift", "build", "-c", configuration, "--package-path", path]
            + ["--scratch-path", scratchPath] + options, limit: Self.longestBuild)
        try #require(
          result.status == 0, "\(self): \(result.text.suffix(2000)) \(result.errors.suffix(2000))")
      }
      let folder = "\(scratchPath)/\(configuration)"
      built[self] = folder
      return folder
    }
  }

  /// The path of one of its programs.
  func program(_ name: String) throws -> String { try folder() + "/" + name }

  var products: [String] {
    switch self {
    case .servers: ["agent-user", "nio-server", "request-server"]
    case .databaseServer: ["database-server"]
    case .marksUser: ["marks-user", "marks-user-c"]
    case .tested: ["testedPackageTests.xctest"]
    case .staticRuntime, .staticWhole: ["lull-workload", "lull-workload-agent"]
    }
  }

  var scratchPath: String {
    Self.root.appendingPathComponent(".build/test-packages/\(rawValue)").path
  }

  var path: String {
    switch self {
    case .servers: Self.root.appendingPathComponent("Tests/Servers").path
    case .databaseServer: Self.root.appendingPathComponent("Tests/DatabaseServer").path
    case .marksUser: Self.root.appendingPathComponent("Tests/MarksUser").path
    case .tested: Self.root.appendingPathComponent("Tests/TestedPackage").path
    case .staticRuntime, .staticWhole: Self.root.path
    }
  }

  private var configuration: String { self == .marksUser ? "release" : "debug" }

  /// The options of each call of `swift build`: of this package no more than what is recorded.
  private var builds: [[String]] {
    switch self {
    case .servers, .databaseServer, .marksUser: [[]]
    case .tested: [["--build-tests"]]
    case .staticRuntime: products.map { ["--static-swift-stdlib", "--product", $0] }
    case .staticWhole:
      products.map {
        ["--traits", "EmptyAgent", "-Xswiftc", "-static-executable", "--product", $0]
      }
    }
  }
}

/// The builds by themselves, which `Tests/run` has made beside what records nothing.
@Suite(.enabled(if: Machine.tool("swift") != nil, "needs swift to build the packages"))
struct TestPackages {
  @Test(arguments: TestPackage.allCases)
  func `a package that tests record has its programs`(package: TestPackage) throws {
    for product in package.products {
      #expect(access(try package.program(product), X_OK) == 0, "\(product)")
    }
  }
}
