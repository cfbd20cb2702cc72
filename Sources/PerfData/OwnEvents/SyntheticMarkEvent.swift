/// A moment that somebody gave a name, or an end of a named interval.
public struct MarkEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.mark

  /// What is marked.
  public enum Kind: String, Codable, Sendable {
    /// A moment.
    case mark
    /// The beginning of an interval.
    case begin
    /// The end of an interval.
    case end
  }

  /// The name.
  public var name: String
  /// What is marked.
  public var kind: Kind
  /// Who marked: command, library, signal, pressure, or cgroup, whose marks are "frozen" and "thawed".
  public var how: String
  /// Tells intervals of one name apart.
  public var identifier: UInt64?
  /// The thread, for marks of the program itself.
  public var tid: Int?

  /// Makes an event.
  public init(
    name: String, kind: Kind = .mark, how: String, identifier: UInt64? = nil, tid: Int? = nil
  ) {
    self.name = name
    self.kind = kind
    self.how = how
    self.identifier = identifier
    self.tid = tid
  }
}
