import Budgets
import Glibc

/// What `lull.toml` in the current folder sets for `record` and `report`.
enum ProjectDefaults {
  private static let path = "lull.toml"

  /// The words with those of the file behind the command's name: what its user says comes later, and counts.
  static func adding(to words: ArraySlice<String>) throws -> ArraySlice<String> {
    guard let command = words.first, DefaultOptions.known[command] != nil,
      access(path, F_OK) == 0
    else { return words }
    let set = try DefaultOptions.words(of: command, in: TextFile.read(path), path: path)
    guard !set.isEmpty else { return words }
    Console.notice("by \(path): \(set.joined(separator: " "))")
    return ArraySlice([command] + set + Array(words.dropFirst()))
  }
}
