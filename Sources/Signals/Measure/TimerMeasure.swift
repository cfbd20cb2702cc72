import Quantities
import TraceModel

/// Finds the timers among a process's wakeups.
enum TimerMeasure {
  /// What tells one timer of a thread from another.
  private enum Place: Hashable {
    /// Where it waits; -1 where no stack was taken.
    case stack(Int)
    /// The function that goes on, where the wait is a library's for all timers of the program.
    case function(Frame)
  }

  private struct Expiry {
    var time: Double
    var worked: Bool
    /// Nobody knows.
    var isUntold: Bool
    /// Whether somebody was answered soon after, and how likely that is to be by chance.
    var isAnswered: Bool
    var chance: Double
  }

  /// Regular expiries, by thread and by the place that waited.
  static func timers(
    _ expiries: [Int32: [Timestamp]], answered: AnsweredWaits, in subject: SubjectView,
    mostWakes: Int = ExpiryWork.mostWakes
  ) -> [TimerSignal] {
    let busy = expiries.filter { mayBeTimer($0.value, in: subject) }
    guard !busy.isEmpty else { return [] }
    let work = ExpiryWork(subject, expiries: expiries, mostWakes: mostWakes)
    var result: [TimerSignal] = []
    for thread in subject.threads {
      guard let ends = busy[thread.tid] else { continue }
      let places = places(of: thread, endedAt: ends.sorted(), work, answered, in: subject)
      for (place, expiries) in places {
        for train in trains(of: expiries) {
          let idle = idle(among: train.expiries)
          result.append(
            TimerSignal(
              tid: Int(thread.tid), thread: thread.name,
              periodSeconds: train.found.periodSeconds,
              jitterSeconds: train.found.jitterSeconds, count: train.found.count,
              expiredWithoutWork: min(idle.known, train.found.count),
              expiredUntold: max(0, min(idle.untold, train.found.count - idle.known)),
              stack: stack(of: place, in: subject)))
        }
      }
    }
    return result.sorted {
      ($1.count, $0.tid, $1.periodSeconds) < ($0.count, $1.tid, $0.periodSeconds)
    }
  }

  /// How many expiries came to nothing, and of how many that cannot be told.
  ///
  /// Answers that follow most of them, and more than they would follow by chance, came of them. Where answers follow
  /// each other so closely that chance does as much, nothing is known.
  private static func idle(among expiries: [Expiry]) -> (known: Int, untold: Int) {
    let idle = expiries.filter { !$0.worked && !$0.isUntold }
    let untold = expiries.count(where: \.isUntold)
    guard !idle.isEmpty else { return (0, untold) }
    let answered = idle.count(where: \.isAnswered)
    let count = Double(idle.count)
    let chance = idle.reduce(0) { $0 + $1.chance } / count
    if Double(answered) > count * (1 + chance) / 2 { return (idle.count - answered, untold) }
    return chance >= 0.5 ? (idle.count - answered, answered + untold) : (idle.count, untold)
  }

  /// The timers of one place: libdispatch waits for all of a program's in one descriptor.
  private static func trains(
    of expiries: [Expiry]
  ) -> [(found: Periodicity, expiries: [Expiry])] {
    if let found = Periodicity.detect(expiries.map(\.time)) { return [(found, expiries)] }
    return TimerTrains.split(expiries.map(\.time)).compactMap { places in
      let own = places.map { expiries[$0] }
      return Periodicity.detect(own.map(\.time)).map { ($0, own) }
    }
  }

  /// What came of expiries is looked for only where there may be a timer: it takes a walk through all wakes.
  private static func mayBeTimer(_ times: [Timestamp], in subject: SubjectView) -> Bool {
    guard times.count >= 4 else { return false }
    // Several timers of one place are told apart by the jobs that they set going, or by the places.
    let hasPlaces = subject.trace.jobs.count > 0 || subject.trace.capture != nil
    return hasPlaces || Periodicity.detect(times.sorted().map { subject.time($0) }) != nil
  }

  private static func stack(of place: Place, in subject: SubjectView) -> [StackFrame] {
    switch place {
    case .stack(let stack): subject.frames(stack < 0 ? nil : stack)
    case .function(let frame): [StackFrame(frame)]
    }
  }

  /// Whether a wait is that of libdispatch's manager thread.
  ///
  /// It hands the program's timers on; what it does alone is the library's own, as its look at the pools' threads each
  /// second (event/workqueue.c).
  private static func isManager(_ stack: Int?, in subject: SubjectView) -> Bool {
    guard let stack else { return false }
    return subject.trace.stacks.frames(of: stack).contains {
      $0.function?.hasPrefix("_dispatch_mgr_") == true
        || $0.function?.hasPrefix("_dispatch_event_loop_drain") == true
    }
  }

  /// Where the thread had waited as it was woken at these times, and whether anything was done before it waited so
  /// again.
  private static func places(
    of thread: ThreadModel, endedAt times: [Timestamp], _ work: ExpiryWork,
    _ answered: AnsweredWaits, in subject: SubjectView
  ) -> [Place: [Expiry]] {
    var places: [Place: [Expiry]] = [:]
    var expired: (wait: ThreadInterval, spell: ExpiryWork.Spell)?
    func end(at time: Timestamp) {
      guard let (wait, begun) = expired else { return }
      var spell = begun
      spell.until = time
      expired = nil
      let outcome = work.outcome(of: spell)
      if outcome.isAlone, isManager(wait.stack, in: subject) { return }
      var place = Place.stack(wait.stack ?? -1)
      if let function = outcome.function,
        !subject.trace.stacks.frames(of: wait.stack ?? -1).contains(where: \.isProgram)
      {
        place = .function(function)
      }
      places[place, default: []].append(
        Expiry(
          time: subject.time(wait.end), worked: outcome.worked, isUntold: outcome.isUntold,
          isAnswered: answered.contains(thread.tid, wait.end),
          chance: answered.chance(of: wait.length)))
    }
    var next = 0
    for interval in subject.history(of: thread) {
      switch interval.state {
      case .running: expired?.spell.running += interval.length
      case .runnable: break
      case .blocked(let cause):
        while next < times.count, times[next] < interval.end { next += 1 }
        let isTimed = next < times.count && times[next] == interval.end
        if isTimed || cause == .eventWait {
          end(at: interval.start)
        } else {
          expired?.spell.blocked += interval.length
        }
        guard isTimed else { continue }
        expired = (
          interval,
          .init(
            tid: thread.tid, from: interval.end, until: interval.end, running: .zero,
            blocked: .zero)
        )
      }
    }
    end(at: subject.trace.end)
    return places
  }
}
