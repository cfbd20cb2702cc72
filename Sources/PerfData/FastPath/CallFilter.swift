/// Which returns of system calls, by number and result.
public struct CallFilter: Sendable {
  private static let count = 512
  /// The least result of each call, negative ones never being one.
  private let least: [Int64]

  /// `least` tells by the call's number, below 512, the least result to be named; nil where none is.
  public init(_ least: (Int) -> Int64?) {
    self.least = (0..<Self.count).map { least($0).map { max($0, 0) } ?? .max }
  }

  /// Whether a call's return is one of them.
  @inline(__always)
  public func contains(_ number: Int32, _ result: Int64) -> Bool {
    guard number >= 0, number < Self.count else { return false }
    return result >= least.withUnsafeBufferPointer { $0[Int(number)] }
  }
}
