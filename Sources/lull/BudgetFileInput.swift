import Budgets

/// Budget files as users name them.
enum BudgetFileInput {
  /// Reads a budget file; where there is none, says how to make one.
  static func read(_ path: String) throws -> BudgetFile {
    let text: String
    do { text = try TextFile.read(path) } catch let failure as Failure {
      throw Failure(
        status: failure.status,
        message: failure.message + ", or write one with `lull check --init RUN RUN RUN`")
    }
    return try BudgetParser.parse(text, path: path)
  }

  /// A path that is written in the budget file: relative to its folder.
  static func path(_ path: String, beside budget: String) -> String {
    guard !path.hasPrefix("/"), let slash = budget.lastIndex(of: "/") else { return path }
    return String(budget[...slash]) + path
  }
}
