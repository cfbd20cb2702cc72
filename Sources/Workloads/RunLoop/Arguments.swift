import Foundation

/// The `key=value` words after a workload's name.
struct Arguments {
  private let values: [String: String]

  init(_ words: [String], allowed: [String]) throws(UsageError) {
    var values: [String: String] = [:]
    for word in words {
      guard let equals = word.firstIndex(of: "=") else {
        throw UsageError("'\(word)' is not of the form key=value")
      }
      let key = String(word[..<equals])
      guard allowed.contains(key) else {
        throw UsageError(
          "unknown key '\(key)'; this workload knows: \(allowed.joined(separator: " "))")
      }
      values[key] = String(word[word.index(after: equals)...])
    }
    self.values = values
  }

  func integer(_ key: String, _ fallback: Int) throws(UsageError) -> Int {
    guard let text = values[key] else { return fallback }
    guard let value = Int(text), value >= 0 else {
      throw UsageError("\(key)=\(text): a whole number of at least 0 is wanted")
    }
    return value
  }

  func number(_ key: String, _ fallback: Double) throws(UsageError) -> Double {
    guard let text = values[key] else { return fallback }
    guard let value = Double(text), value >= 0, value.isFinite else {
      throw UsageError("\(key)=\(text): a number of at least 0 is wanted")
    }
    return value
  }

  func text(_ key: String, _ fallback: String) -> String { values[key] ?? fallback }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, _ fallback: Choice
  ) throws(UsageError) -> Choice where Choice.RawValue == String {
    guard let text = values[key] else { return fallback }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("\(key)=\(text): one of \(known) is wanted")
    }
    return choice
  }
}

/// Words on the command line that make no sense; ends the program with status 64.
struct UsageError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

/// A system call that failed; ends the program with status 1.
struct SystemError: Error {
  let call: String
  let number: Int32

  init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }
}

/// Returns `result`, or throws what errno says when it is negative.
@discardableResult
func checked<Number: SignedInteger>(_ result: Number, _ call: String) throws(SystemError) -> Number
{
  if result < 0 { throw SystemError(call) }
  return result
}
