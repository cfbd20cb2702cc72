/// Calls that come back at once with nothing.
public struct SpinSignal: Sendable, Hashable, Codable {
  /// Calls of sched_yield.
  public var yields: Int
  /// Polls with a timeout of zero that found nothing.
  public var emptyPolls: Int
  /// Calls that would have blocked, three and more in a row in one thread.
  public var emptyReads: Int
  /// The same by thread, worst first.
  public var places: [SpinPlace]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
  public var total: Int { yields + emptyPolls + emptyReads }
}

/// Spinning of one thread.
public struct SpinPlace: Sendable, Hashable, Codable {
  /// Thread name.
  public var thread: String
  /// Kernel thread id.
  public var tid: Int
  /// Calls that came back with nothing.
  public var count: Int
  /// The most frequent call.
  public var call: String

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
