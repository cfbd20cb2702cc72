import Quantities
import Signals

/// Threads are not to be made and ended again and again.
package enum ThreadChurnRule: Rule {
  package static let metadata = RuleMetadata(
    id: "thread-churn", title: "Use queues and tasks, not threads of your own",
    category: .responsiveness, guide: [Guide.threads, Guide.concurrency], signals: [.cpu],
    unit: "1/min",
    measuredAs: "threads that began outside the pools of the runtime, libdispatch and NIO, per "
      + "minute; one that lived less than 100 ms counts double; a recording shorter than a minute "
      + "counts as a minute",
    advice: "Replace Thread and pthread_create by a Task, a task group or a DispatchQueue, whose "
      + "threads are kept and shared. Where a thread is needed, keep it and feed it from an "
      + "AsyncStream or a queue.",
    examples: [
      RuleExample(
        "one thread of its own", .pass,
        SignalSet(
          durationSeconds: 60, cpu: CPUSignal(), churn: ThreadChurnSignal(created: 1))),
      RuleExample(
        "a thread for each of a hundred requests", .fail,
        SignalSet(
          durationSeconds: 60, cpu: CPUSignal(),
          churn: ThreadChurnSignal(
            created: 100, shortLived: 100,
            byName: [ThreadGroup(name: "request", created: 100, shortLived: 100)]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let churn = signals.churn else {
      return .notMeasured(reason: "the beginnings of threads were not recorded")
    }
    let value = Rates.perMinute(
      Double(churn.created + churn.shortLived), over: signals.durationSeconds)
    return .measured(
      RuleFinding(
        value: value,
        displayValue: "\(Figures.count(churn.created, "thread")) made, "
          + "\(churn.shortLived) of them for less than 100 ms",
        evidence: churn.byName.prefix(8).map {
          Evidence(
            summary: "\(Figures.count($0.created, "thread")) called \($0.name), "
              + "\($0.shortLived) short-lived, \(Figures.seconds($0.cpuSeconds)) of CPU time",
            value: Double($0.created), unit: "threads", thread: $0.name)
        }, savings: scale.saving(of: value)))
  }
}
