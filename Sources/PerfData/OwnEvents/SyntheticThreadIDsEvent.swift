/// Under which ids tracepoints' fields name threads, where that is not how all else in the trace names them.
///
/// In a PID namespace the kernel writes the recorder's ids into samples and records, but a tracepoint's own fields hold
/// those of the initial namespace. A trace that has such an event was recorded in one.
public struct ThreadIDsEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.threadIDs

  /// A thread with both its ids.
  public struct Thread: Codable, Sendable, Hashable {
    /// The id that the trace's samples and records have.
    public var tid: Int32
    /// The id in the initial namespace, which tracepoints' fields have.
    public var kernelTid: Int32

    /// Makes a pair.
    public init(tid: Int32, kernelTid: Int32) {
      self.tid = tid
      self.kernelTid = kernelTid
    }
  }

  /// The threads of which that became known, from the sample's time on.
  public var threads: [Thread]

  /// Makes an event.
  public init(threads: [Thread]) { self.threads = threads }
}
