import Budgets
import Glibc

/// Records two commands in turn, so that what changes on the machine meanwhile meets both.
struct Interleaving {
  let base: String
  let new: String
  let folder: WorkFolder
  let analysis: AnalysisOptions

  /// Records until it is clear, or until the plan ends.
  func compare(with comparer: RunComparer, plan: SamplingPlan) throws -> Comparison {
    var comparer = comparer
    comparer.significance = plan.significancePerLook
    var (before, after): ([Run], [Run]) = ([], [])
    var comparison = comparer.compare(base: before, new: after)
    for look in plan.looks {
      while before.count < look {
        // Who comes first takes turns: the second may find what the first has warmed.
        let round = before.count
        if round.isMultiple(of: 2) {
          before.append(try record(base, "base-\(round + 1)"))
          after.append(try record(new, "new-\(round + 1)"))
        } else {
          after.append(try record(new, "new-\(round + 1)"))
          before.append(try record(base, "base-\(round + 1)"))
        }
      }
      comparison = comparer.compare(base: before, new: after)
      // More runs can open what is certain no more: a change for the worse stays one.
      let isOpen = comparison.figures.contains {
        $0.verdict == .ambiguous || $0.verdict == .tooFewRuns
      }
      guard isOpen, comparison.verdict != .fail else { break }
      if look != plan.looks.last { Console.notice("not clear after \(look) runs of each: more") }
    }
    return comparison
  }

  private func record(_ command: String, _ name: String) throws -> Run {
    let trace = folder.file(name)
    let printed = try PrintedText()
    defer { printed.keep(besides: trace) }
    let status = try Subprogram(
      [Subprogram.own, "record", "-q", "-o", trace, "--", "/bin/sh", "-c", command],
      printed: printed
    ).wait()
    try Interruption.check("while recording `\(command)`: nothing is compared")
    guard status == 0 else {
      let said = printed.lastLine ?? ""
      throw Failure(
        status: status == Exit.recordFailed ? Exit.permission : Exit.inconclusive,
        message: "`\(command)` ended with status \(status)\(said.isEmpty ? "" : ": \(said)"); "
          + "only runs that succeed are compared")
    }
    return try Run(source: trace, report: analysis.report(on: trace))
  }
}
