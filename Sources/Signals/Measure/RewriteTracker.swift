/// Tells a file's second and later contents from its first.
struct RewriteTracker {
  private struct Generation {
    /// Bytes written since the file was last emptied or replaced.
    var bytes: UInt64 = 0
    var number = 1
  }

  private var current: [String: Generation] = [:]
  private(set) var rewrites: [String: (count: Int, bytes: UInt64)] = [:]

  /// The number of a file's present content; nil where nothing was written to it yet.
  func generation(of path: String) -> Int? {
    current[path].flatMap { $0.bytes > 0 ? $0.number : nil }
  }

  mutating func wrote(_ bytes: UInt64, to path: String) {
    current[path, default: Generation()].bytes &+= bytes
    guard let generation = current[path], generation.number > 1 else { return }
    let old = rewrites[path] ?? (0, 0)
    let begins = generation.bytes == bytes
    rewrites[path] = (old.count + (begins ? 1 : 0), old.bytes &+ bytes)
  }

  /// Emptied: what is written next is written again, if anything was written before.
  mutating func truncated(_ path: String) {
    guard let generation = current[path], generation.bytes > 0 else { return }
    current[path] = Generation(number: generation.number + 1)
  }

  /// Replaced by a new file of another name.
  mutating func renamed(_ from: String, to path: String) {
    guard let temporary = current.removeValue(forKey: from), temporary.bytes > 0 else { return }
    rewrites[from] = nil
    guard let old = current[path], old.bytes > 0 else {
      current[path] = temporary
      return
    }
    current[path] = Generation(bytes: temporary.bytes, number: old.number + 1)
    let count = rewrites[path] ?? (0, 0)
    rewrites[path] = (count.count + 1, count.bytes &+ temporary.bytes)
  }
}
