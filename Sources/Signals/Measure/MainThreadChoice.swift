import Quantities
import TraceModel

/// The thread that plays the main thread's part, and how it was found.
struct MainThreadChoice {
  /// What plays it where libdispatch has parked the first thread, after dispatchMain() or in an async main.
  enum Parked {
    /// Workers do what is on the main queue and MainActor.
    case works(MainQueueWork)
    /// Nothing of either was seen, and of all that serial queues ran it is known that it was not.
    case idle
    /// Serial queues ran something, and nothing tells whether one was the main queue.
    case untold(UntoldQueueWork)
  }

  var thread: ThreadModel
  var foundBy: String
  /// The process's first thread, which runs until the program is launched, whoever plays its part then.
  var first: ThreadModel
  /// Nil where the first thread plays the part itself.
  var parked: Parked?

  static func choose(in subject: SubjectView) -> MainThreadChoice? {
    guard
      let first = subject.threads.first(where: { $0.tid == subject.pid })
        ?? subject.threads.first
    else { return nil }
    var stacks = StackSigns(subject.trace.stacks)
    let isShown = first.intervals.totals.stacks.contains {
      stacks.signs(of: $0).contains(.parked)
    }
    guard isShown || endedEarly(first, in: subject) else {
      return MainThreadChoice(thread: first, foundBy: "the process's first thread", first: first)
    }
    let work = MainQueueWork(of: subject, besides: first.tid, &stacks)
    guard let worker = work.workers.first else {
      return MainThreadChoice(
        thread: first,
        foundBy: "the process's first thread, "
          + (isShown ? "parked by libdispatch" : "which ended, or was parked by libdispatch")
          + "; no work of the main queue was seen",
        first: first, parked: work.isUntold || !isShown ? .untold(work.untold) : .idle)
    }
    return MainThreadChoice(
      thread: worker,
      foundBy: "the worker that drains the main queue; the first thread is parked"
        + (work.untold.doubt.map { "; \($0)" } ?? ""),
      first: first, parked: .works(work))
  }

  /// libdispatch parks the first thread as that ends, which is all that a recording within the process is told of it.
  ///
  /// Where the whole program ends, the others may need as long to do so, on a machine that has other work; none of them
  /// goes on with anything.
  private static func endedEarly(_ first: ThreadModel, in subject: SubjectView) -> Bool {
    guard let end = first.end, let last = subject.threads.compactMap(\.end).max(),
      (last - end).seconds > mostForEnding
    else { return false }
    return subject.threads.contains { thread in
      guard thread.tid != first.tid, thread.end.map({ $0 > end }) != false else { return false }
      var (busy, idle) = (0.0, 0.0)
      for interval in subject.history(of: thread).from(end) {
        let seconds = max(0, (interval.end - max(interval.start, end)).seconds)
        switch interval.state {
        // What the kernel does to end a thread is for no cause that is known.
        case .runnable, .blocked(.other): break
        case .blocked(let cause) where cause.isIdle: idle += seconds
        case .running, .blocked: busy += seconds
        }
      }
      return busy > mostForEnding || idle > longestStall
    }
  }

  /// What a thread that ends with its program may be busy with, in seconds, a choice.
  private static let mostForEnding = 0.1
  /// For how long a virtual machine may have no CPU while a program ends (0.19 s was seen), a choice.
  private static let longestStall = 1.0
}
