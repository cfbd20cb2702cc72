import Reporting
import Rules
import Signals

/// How much of a figure each function accounts for, by the figure's own measure: bytes of bytes, calls of calls.
struct FunctionShares: Sendable {
  /// What one function accounts for.
  struct Share: Sendable {
    var amount = 0.0
    /// Samples that tell of it; nil where it was counted.
    var samples: Int?
    var blame: Blame
    /// Why it was blocked, of most of it.
    var cause: String?
    /// How much of it was at the place that is named.
    var placed = 0.0
  }

  private(set) var byFunction: [String: Share] = [:]
  /// What no function is known of.
  private(set) var untold = 0.0
  /// What the rows count besides the figure: nothing tells in which of them that is.
  private(set) var besides = 0.0

  /// All of it.
  var sum: Double { byFunction.values.reduce(untold) { $0 + $1.amount } }

  /// Nothing yet.
  init() {}

  /// Rows of a table; where the figure is less than they count, the rest is besides, where it is more, untold.
  init(
    _ rows: [BlameRowSection], of figure: Double? = nil, by amount: (BlameRowSection) -> Double
  ) {
    for row in rows {
      add(
        row.function, row.file, row.line, row.module, row.cause, amount(row), samples: row.samples)
    }
    if let figure {
      besides = max(0, sum - figure)
      untold += max(0, figure - sum)
    }
  }

  /// What stacks tell, each with how much of the figure it is.
  init(_ parts: [(stack: [ReportFrame], cause: String?, amount: Double)], of figure: Double) {
    for (stack, cause, amount) in parts {
      let frame = stack.blamed
      add(frame?.function ?? "", frame?.file, frame?.line, frame?.module ?? "", cause, amount)
    }
    untold += max(0, figure - sum)
  }

  /// What a rule's offenders tell.
  init(_ evidence: [Evidence]) {
    for row in evidence {
      guard let function = row.function, let value = row.value else { continue }
      let frame = row.stack?.blamed
      add(function, frame?.file, frame?.line, frame?.module ?? function, nil, value)
    }
  }

  private mutating func add(
    _ function: String, _ file: String?, _ line: Int?, _ module: String, _ cause: String?,
    _ amount: Double, samples: Int? = nil
  ) {
    // Without a module it stands for stacks that are not known.
    guard !module.isEmpty else {
      untold += amount
      return
    }
    var share = byFunction[function] ?? Share(blame: Blame(function: function))
    share.amount += amount
    if let samples { share.samples = (share.samples ?? 0) + samples }
    if amount > share.placed || share.blame.file == nil {
      (share.blame.file, share.blame.line) = (file, line)
      (share.cause, share.placed) = (cause, amount)
    }
    byFunction[function] = share
  }

  /// Counts what is no function's.
  mutating func add(untold amount: Double) { untold += amount }

  /// By the second.
  func divided(by seconds: Double) -> FunctionShares {
    guard seconds > 0 else { return self }
    var shares = self
    for function in shares.byFunction.keys { shares.byFunction[function]?.amount /= seconds }
    shares.untold /= seconds
    shares.besides /= seconds
    return shares
  }

  /// The function with most of it; nil where others may have more.
  var most: Share? {
    let sorted = byFunction.values.sorted {
      ($0.amount, $1.blame.function ?? "") > ($1.amount, $0.blame.function ?? "")
    }
    guard let first = sorted.first, first.amount > 0, first.amount >= untold else { return nil }
    let second = sorted.dropFirst().first?.amount ?? 0
    return besides == 0 || first.amount - besides >= second ? first : nil
  }
}
