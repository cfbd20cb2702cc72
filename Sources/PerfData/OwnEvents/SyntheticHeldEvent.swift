/// A process holds something that others wait for, or no longer holds it, as the recorder found it at a look.
public struct HeldEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.held

  /// What is held.
  public enum Kind: String, Codable, Sendable {
    /// A lock on a file, by fcntl or flock (/proc/locks).
    case fileLock
    /// An inhibitor of logind's (/run/systemd/inhibit).
    case inhibitor
  }

  /// What is held.
  public var kind: Kind
  /// The file's path, or what is inhibited, as `idle` or `sleep:idle`.
  public var name: String
  /// Whether nobody else may hold it too.
  public var isExclusive: Bool
  /// Whether it is held from now on.
  public var isHeld: Bool
  /// Tells locks on one file apart.
  public var identifier: String

  /// Makes an event.
  public init(
    kind: Kind, name: String, isExclusive: Bool, isHeld: Bool, identifier: String = ""
  ) {
    self.kind = kind
    self.name = name
    self.isExclusive = isExclusive
    self.isHeld = isHeld
    self.identifier = identifier
  }
}
