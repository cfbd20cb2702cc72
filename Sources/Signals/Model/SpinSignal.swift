/// Calls that come back at once with nothing.
package struct SpinSignal: Sendable, Equatable {
  /// Calls of sched_yield.
  package var yields: Int
  /// Polls with a timeout of zero that found nothing.
  package var emptyPolls: Int
  /// Calls that would have blocked, three and more in a row in one thread.
  package var emptyReads: Int
  /// How many of them were recorded each, where the recorder took some only; nil where all were.
  package var recorded: Int?
  /// The same by thread, worst first.
  package var places: [SpinPlace]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    yields: Int = 0,
    emptyPolls: Int = 0,
    emptyReads: Int = 0,
    places: [SpinPlace] = []
  ) {
    self.yields = yields
    self.emptyPolls = emptyPolls
    self.emptyReads = emptyReads
    self.places = places
  }

  /// All of them.
  package var total: Int { yields + emptyPolls + emptyReads }
}

/// Spinning of one thread.
package struct SpinPlace: Sendable, Equatable {
  /// Thread name.
  package var thread: String
  /// Kernel thread id.
  package var tid: Int
  /// Calls that came back with nothing.
  package var count: Int
  /// The most frequent call.
  package var call: String

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    thread: String,
    tid: Int,
    count: Int = 0,
    call: String = ""
  ) {
    self.thread = thread
    self.tid = tid
    self.count = count
    self.call = call
  }
}
