import PerfData
import Quantities

/// One run of one test, as its runner told it.
public struct TestRun: Sendable, Equatable {
  /// Whose test it is.
  public enum Library: String, Sendable {
    case xctest
    case swiftTesting = "swift-testing"
  }

  /// What came of it.
  public enum Outcome: String, Sendable {
    case passed, failed, skipped
  }

  public var pid: Int32
  /// As the runner names it: `Suite.testCase` of XCTest, `case()` or `Module.Suite/case()` of Swift Testing.
  public var name: String
  public var library: Library
  public var start: Timestamp
  /// nil while its end was not seen.
  public var end: Timestamp?
  public var outcome: Outcome?
}
