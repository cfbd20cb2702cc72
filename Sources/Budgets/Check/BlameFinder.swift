import Reporting
import Rules
import Signals

/// Finds who is to blame for a figure, and the rule that says what to do about it.
enum BlameFinder {
  struct Finding {
    /// Nil where none that explains the figure applies to the program.
    var rule: String?
    var advice: String
    var blame: Blame?
  }

  /// What explains that a figure got worse, and why no function is named for it.
  struct Growth {
    var finding: Finding?
    var reason: String?
  }

  /// The rules that explain a figure, by the beginning of its path; the longest beginning counts.
  private static let rules: [String: [String]] = [
    "signals.disk": ["write-frequency", "bytes-written"],
    "signals.disk.rewrites": ["whole-file-rewrites"],
    "signals.disk.syncs": ["sync-frequency"], "signals.disk.syncSeconds": ["sync-frequency"],
    "signals.disk.bytesWritten": ["bytes-written"],
    "signals.disk.deviceBytesWritten": ["bytes-written"],
    "signals.disk.rewrittenBytes": ["whole-file-rewrites"],
    "signals.wakeups": ["polling-timers", "idle-wakeups"],
    "signals.mainThread": ["main-thread-hangs"],
    "signals.mainThread.blockedByCause.file": ["main-thread-file-access"],
    "signals.mainThread.blockedByCause.sync": ["main-thread-file-access"],
    "signals.mainThread.blockedByCause.lock": ["main-thread-lock-waits"],
    "signals.mainThread.blockedByCause.network": ["main-thread-network-waits"],
    "signals.mainThread.blockedByCause.sleep": ["main-thread-sleeps"],
    "signals.mainThread.runningSeconds": ["main-thread-computation"],
    "signals.mainThread.launchSeconds": ["launch-time"],
    "signals.mainThread.terminationSeconds": ["termination-time"],
    "signals.cpu": ["cpu-use"], "signals.energy.cpuJoules": ["cpu-use"],
    "signals.energy.wakeupJoules": ["polling-timers", "idle-wakeups"],
    "signals.network": ["radio-duty-cycle", "tail-energy"],
    "signals.network.bytesSent": ["bytes-transferred"],
    "signals.network.bytesReceived": ["bytes-transferred"],
    "signals.energy.radioJoules": ["tail-energy", "radio-duty-cycle"],
    "signals.memory.growthBytesPerMinute": ["footprint-growth"],
    "signals.memory": ["peak-footprint"],
  ]

  /// The rules about the main thread's waits, by their cause.
  private static let rulesOfWaits = [
    "file": "main-thread-file-access", "sync": "main-thread-file-access",
    "lock": "main-thread-lock-waits", "network": "main-thread-network-waits",
    "sleep": "main-thread-sleeps",
  ]

  /// The finding for a figure of one report; nil where no rule explains it.
  static func find(_ path: FigurePath, in report: Report) -> Finding? {
    let audits = audits(for: path, in: report)
    guard let first = audits.first else { return nil }
    // The rule that found somebody, else the one that fits best.
    let chosen = audits.first { worst($0) != nil } ?? first
    if path.keys.first == "score" {
      return find(FigurePath(keys: ["audits", chosen.id, "value"]), in: report)
    }
    let offender = worst(chosen).map(blame)
    guard let shares = FunctionShares.of(path, in: report), !shares.byFunction.isEmpty else {
      return finding(path, chosen, blame: offender)
    }
    guard let most = shares.most else {
      // It is known what it was done to, and not by whom.
      let isOfFunction = offender?.function != nil
      return finding(path, chosen, blame: isOfFunction ? nil : subject(path, chosen) ?? offender)
    }
    var blame = most.blame
    blame.subject = subject(path, chosen)?.subject
    guard let rule = rule(of: most, among: audits, in: report) else {
      return Finding(rule: nil, advice: "", blame: blame)
    }
    return finding(path, rule, blame: blame)
  }

  /// The finding for a figure that got worse from runs to others: the function that it grew in.
  static func findGrowth(_ path: FigurePath, base: [Report], new: [Report]) -> Growth {
    guard let report = new.first else { return Growth(finding: nil, reason: nil) }
    if path.keys.first == "score" {
      guard let rule = fallen(audits(for: path, among: report.audits), base, new) else {
        return Growth(finding: nil, reason: "no rule's score fell")
      }
      return findGrowth(FigurePath(keys: ["audits", rule, "value"]), base: base, new: new)
    }
    let audits = audits(for: path, in: report)
    let chosen = audits.first { worst($0) != nil } ?? audits.first
    func shares(_ reports: [Report]) -> [FunctionShares?] {
      reports.map { report in
        FunctionShares.of(path, in: report)
          ?? FigureNames.rule(of: path).flatMap { id in
            report.audits.first { $0.id == id }.map { FunctionShares($0.evidence) }
          }
      }
    }
    let (before, after) = (shares(base), shares(new))
    guard after.contains(where: { $0?.byFunction.isEmpty == false }) else {
      return Growth(
        finding: chosen.flatMap { finding(path, $0, blame: nil) },
        reason: "the recordings tell no function of it")
    }
    switch FunctionGrowth.between(before, after) {
    case .untold(let reason):
      return Growth(finding: chosen.flatMap { finding(path, $0, blame: nil) }, reason: reason)
    case .function(let share):
      var blame = share.blame
      blame.subject = chosen.flatMap { subject(path, $0)?.subject }
      guard let rule = rule(of: share, among: audits, in: report) else {
        return Growth(finding: Finding(rule: nil, advice: "", blame: blame), reason: nil)
      }
      return Growth(finding: finding(path, rule, blame: blame), reason: nil)
    }
  }

  /// Whether a function is sure to have most of a growth, even if it had all of the base before.
  static func isSure(_ path: FigurePath, in report: Report, base: Double, new: Double) -> Bool {
    guard let shares = FunctionShares.of(path, in: report), let most = shares.most, shares.sum > 0
    else { return false }
    return most.amount / shares.sum * new - base >= (new - base) / 2
  }

  /// A rule that does not apply to the program has no advice for it.
  private static func finding(
    _ path: FigurePath, _ audit: AuditSection, blame: Blame?
  ) -> Finding {
    guard audit.status != .notApplicable || path.keys.first == "audits" else {
      return Finding(rule: nil, advice: "", blame: blame)
    }
    return Finding(rule: audit.id, advice: sentence(audit.advice), blame: blame)
  }

  /// The rule about what a function is blamed for: that of its waits' cause, else the first that names it or nobody.
  private static func rule(
    of share: FunctionShares.Share, among audits: [AuditSection], in report: Report
  ) -> AuditSection? {
    if let id = share.cause.flatMap({ rulesOfWaits[$0] }) {
      return report.audits.first { $0.id == id }
    }
    let naming = audits.first { audit in
      audit.evidence.contains { $0.function == share.blame.function }
    }
    return naming ?? audits.first { audit in audit.evidence.allSatisfy { $0.function == nil } }
  }

  /// The rule whose score fell most, by its weight; nil where none fell.
  private static func fallen(
    _ audits: [AuditSection], _ base: [Report], _ new: [Report]
  ) -> String? {
    func score(_ rule: String, _ reports: [Report]) -> Double? {
      let scores = reports.compactMap { $0.audits.first { $0.id == rule }?.score }
      return scores.isEmpty ? nil : Aggregation.median.value(of: scores)
    }
    let falls = audits.compactMap { audit -> (rule: String, fall: Double)? in
      guard let after = score(audit.id, new) else { return nil }
      return (audit.id, ((score(audit.id, base) ?? 100) - after) * audit.weight)
    }
    guard let most = falls.max(by: { ($0.fall, $1.rule) < ($1.fall, $0.rule) }), most.fall > 0
    else { return nil }
    return most.rule
  }

  private static func audits(for path: FigurePath, in report: Report) -> [AuditSection] {
    if let id = FigureNames.rule(of: path) { return report.audits.filter { $0.id == id } }
    if path.keys.first == "score" {
      return audits(for: path, among: report.audits).filter {
        $0.status == .fail || $0.status == .warn
      }.sorted { ($0.score ?? 0, $1.weight, $0.id) < ($1.score ?? 0, $0.weight, $1.id) }
    }
    var keys = path.keys
    if keys.count > 4, keys[2] == "files" { keys.removeSubrange(2...3) }
    while !keys.isEmpty {
      if let ids = rules[keys.joined(separator: ".")] {
        return ids.compactMap { id in report.audits.first { $0.id == id } }
      }
      keys.removeLast()
    }
    return []
  }

  /// The rules that a score counts.
  private static func audits(
    for path: FigurePath, among audits: [AuditSection]
  ) -> [AuditSection] {
    let category = path.keys.count > 2 ? path.keys[2] : nil
    return audits.filter { category == nil || $0.category == category }
  }

  /// A rule's first offender that is somebody or something: they stand in the order of what the rule counts.
  private static func worst(_ audit: AuditSection) -> Evidence? {
    audit.evidence.first { $0.function != nil || $0.path != nil || $0.host != nil }
      ?? audit.evidence.first
  }

  private static func blame(_ row: Evidence) -> Blame {
    let frame = place(row.stack ?? [])
    return Blame(
      function: row.function, file: frame?.file, line: frame?.line,
      subject: row.path ?? row.host, summary: row.summary)
  }

  /// What it was done to, where that is one thing: of several the functions are not told.
  private static func subject(_ path: FigurePath, _ audit: AuditSection) -> Blame? {
    if path.keys.count > 4, path.keys[2] == "files" { return Blame(subject: path.keys[3]) }
    let subjects = Set(audit.evidence.compactMap { $0.path ?? $0.host })
    return subjects.count == 1 ? Blame(subject: subjects.first) : nil
  }

  /// Where the function to blame stands, or where the program called it if that is not known.
  private static func place(_ stack: [StackFrame]) -> StackFrame? {
    if let frame = stack.blamed, frame.file != nil { return frame }
    return stack.first { $0.isProgram && $0.file != nil }
  }

  /// The first sentence.
  private static func sentence(_ text: String) -> String {
    guard let end = text.firstRange(of: ". ") else { return text }
    return String(text[..<end.lowerBound]) + "."
  }
}
