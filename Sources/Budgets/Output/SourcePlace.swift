/// Where in a project a result is shown.
package struct SourcePlace: Sendable, Equatable {
  /// Relative to the project's folder, with forward slashes.
  package var file: String
  /// 1 or more.
  package var line: Int
}

/// Turns places that a compiler noted into places of a checked-out project.
package struct ProjectPlaces: Sendable {
  /// The project's folder, absolute.
  let root: String
  /// The budget file, relative to the project's folder: the place of what has no other.
  let budget: String
  private let exists: @Sendable (String) -> Bool

  /// `exists` tells whether there is a file at an absolute path.
  package init(root: String, budget: String, exists: @escaping @Sendable (String) -> Bool) {
    self.root = root.hasSuffix("/") ? String(root.dropLast()) : root
    self.budget = budget
    self.exists = exists
  }

  /// The blamed line where the project has that file, else the budget's own line.
  package func place(of result: BudgetResult) -> SourcePlace {
    if let file = result.blame?.file, let inside = inside(file) {
      return SourcePlace(file: inside, line: max(1, result.blame?.line ?? 1))
    }
    return SourcePlace(file: inside(budget) ?? budget, line: max(1, result.budgetLine))
  }

  /// The path inside the project; one that was built elsewhere is found by its last parts.
  private func inside(_ file: String) -> String? {
    if file.hasPrefix(root + "/") { return String(file.dropFirst(root.count + 1)) }
    guard file.hasPrefix("/") else { return file.hasPrefix("../") ? nil : file }
    let parts = file.split(separator: "/")
    for start in parts.indices {
      let candidate = parts[start...].joined(separator: "/")
      if exists(root + "/" + candidate) { return candidate }
    }
    return nil
  }
}
