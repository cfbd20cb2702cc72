import Quantities
import Signals

/// Threads are not to be made and ended again and again.
package enum ThreadChurnRule: Rule {
  package static let metadata = RuleMetadata(
    id: "thread-churn", title: "Use queues and tasks, not threads of your own",
    category: .responsiveness, guide: [Guide.threads, Guide.concurrency], signals: [.cpu],
    unit: "1/min",
    measuredAs: "threads that began outside the pools of the runtime, libdispatch and NIO, beyond "
      + "as many as ever lived at once, per minute; one that lived less than 100 ms counts double",
    advice: "Replace Thread and pthread_create by a Task, a task group or a DispatchQueue, whose "
      + "threads are kept and shared. Where a thread is needed, keep it and feed it from an "
      + "AsyncStream or a queue.",
    examples: [
      RuleExample(
        "four threads of its own, which stay", .notApplicable,
        SignalSet(
          durationSeconds: 60, cpu: CPUSignal(), churn: ThreadChurnSignal(created: 4))),
      RuleExample(
        "a thread that is made anew once in ten minutes", .pass,
        SignalSet(
          durationSeconds: 600, cpu: CPUSignal(),
          churn: ThreadChurnSignal(created: 2, repeated: 1))),
      RuleExample(
        "a thread for each of a hundred requests", .fail,
        SignalSet(
          durationSeconds: 60, cpu: CPUSignal(),
          churn: ThreadChurnSignal(
            created: 100, repeated: 99, shortLived: 100,
            byName: [ThreadGroup(name: "request", created: 100, shortLived: 100)]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let churn = signals.churn else {
      return .notMeasured(reason: "the beginnings of threads were not recorded")
    }
    guard churn.repeated > 0 else {
      return .nothing(reason: "no thread was made where another had ended")
    }
    let short = min(churn.shortLived, churn.repeated)
    var threads = EventSum(count: churn.repeated - short)
    threads.add(2 * Double(short), events: short)
    let rate = Exposure(signals).perMinute(threads)
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue: "\(Figures.count(churn.created, "thread")) made, "
          + "\(churn.shortLived) of them for less than 100 ms",
        evidence: churn.byName.prefix(8).map {
          Evidence(
            summary: "\(Figures.count($0.created, "thread")) called \($0.name), "
              + "\($0.shortLived) short-lived, \(Figures.seconds($0.cpuSeconds)) of CPU time",
            value: Double($0.created), unit: "threads", thread: $0.name)
        }, savings: scale.saving(of: rate.value)))
  }
}
