import Reporting

/// Which function a figure grew in, from the runs of before to those of after.
enum FunctionGrowth {
  /// The function that grew, or why none is named.
  enum Outcome {
    case function(FunctionShares.Share)
    case untold(String)
  }

  /// Less of the growth than this is no reason to blame a function for it.
  private static let leastShare = 0.25

  /// The growth of what is told in both; by samples it must be twice its standard error.
  static func between(_ base: [FunctionShares?], _ new: [FunctionShares?]) -> Outcome {
    let (before, after) = (base.compactMap { $0 }, new.compactMap { $0 })
    guard before.count == base.count, after.count == new.count else {
      return .untold("no function is known of it in some of the recordings")
    }
    let growth = median(after.map(\.sum)) - median(before.map(\.sum))
    guard growth > 0 else { return .untold("what is known of functions did not grow") }
    let names = Set((before + after).flatMap(\.byFunction.keys))
    let grown = names.compactMap { name -> (share: FunctionShares.Share, growth: Double)? in
      let (old, found) = (side(name, before), side(name, after))
      guard var share = found.share else { return nil }
      let growth = found.amount - old.amount
      guard growth > 2 * (old.variance + found.variance).squareRoot() else { return nil }
      share.amount = growth
      return (share, growth)
    }.sorted {
      ($0.growth, $1.share.blame.function ?? "") > ($1.growth, $0.share.blame.function ?? "")
    }
    guard let first = grown.first, first.growth >= leastShare * growth else {
      return .untold("it grew in no function by a good part of that")
    }
    // What is no function's, or none of the figure's, may have grown as much.
    let untold = median(after.map(\.untold)) - median(before.map(\.untold))
    let besides = abs(median(after.map(\.besides)) - median(before.map(\.besides)))
    let second = grown.dropFirst().first?.growth ?? 0
    guard first.growth >= untold, besides == 0 || first.growth - besides >= second else {
      return .untold("the recordings do not tell all of its functions")
    }
    return .function(first.share)
  }

  /// A function's amount in the middle run of a side, with the variance that samples give it.
  private static func side(
    _ name: String, _ runs: [FunctionShares]
  ) -> (amount: Double, variance: Double, share: FunctionShares.Share?) {
    let shares = runs.map { $0.byFunction[name] }
    let amount = median(shares.map { $0?.amount ?? 0 })
    let samples = shares.reduce(0) { $0 + ($1?.samples ?? 0) }
    let variance = samples > 0 ? amount * amount / Double(samples) : 0
    return (amount, variance, shares.compactMap { $0 }.max { $0.amount < $1.amount })
  }

  private static func median(_ values: [Double]) -> Double { Aggregation.median.value(of: values) }
}
