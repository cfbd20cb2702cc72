/// Numbers names of one kind in the order in which they are seen: `/build`, `/build2`, ….
///
/// A name that is a placeholder already stays as it is, so that redacting twice changes nothing,
/// and no other name gets its number.
struct PlaceholderNames {
  private let base: String
  /// The names seen, in order.
  private(set) var keys: [String] = []
  private var known: [String: String] = [:]
  private var taken: Set<String> = []
  private var last = 0
  private var isSealed = false

  init(base: String) {
    self.base = base
  }

  /// What stands for a name; before all have been seen, the name itself.
  mutating func placeholder(_ key: String) -> String {
    if let placeholder = known[key] { return placeholder }
    guard isSealed else {
      keys.append(key)
      known[key] = key
      return key
    }
    return assign(key)
  }

  /// Gives every name seen its placeholder.
  mutating func seal() {
    isSealed = true
    known = [:]
    for key in keys where isPlaceholder(key) {
      known[key] = key
      taken.insert(key)
    }
    for key in keys where known[key] == nil { _ = assign(key) }
  }

  private mutating func assign(_ key: String) -> String {
    repeat { last += 1 } while taken.contains(name(last))
    known[key] = name(last)
    return name(last)
  }

  private func name(_ number: Int) -> String { number == 1 ? base : "\(base)\(number)" }

  private func isPlaceholder(_ key: String) -> Bool {
    guard key.hasPrefix(base) else { return false }
    let rest = key.dropFirst(base.count)
    return rest.isEmpty || (rest.allSatisfy { ("0"..."9").contains($0) } && rest != "0")
  }
}
