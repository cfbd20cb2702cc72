/// Threads that the process made for itself, outside the pools of the runtime and its libraries.
public struct ThreadChurnSignal: Sendable, Hashable, Codable {
  /// Threads that began during the recording.
  public var created: Int
  /// Those of them that lived less than 100 ms.
  public var shortLived: Int
  /// The same by name, most frequent first.
  public var byName: [ThreadGroup]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    created: Int = 0,
    shortLived: Int = 0,
    byName: [ThreadGroup] = []
  ) {
    self.created = created
    self.shortLived = shortLived
    self.byName = byName
  }
}

/// Threads of one name.
public struct ThreadGroup: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// How many began.
  public var created: Int
  /// How many of them lived less than 100 ms.
  public var shortLived: Int
  /// CPU time of all of them.
  public var cpuSeconds: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    name: String,
    created: Int = 0,
    shortLived: Int = 0,
    cpuSeconds: Double = 0
  ) {
    self.name = name
    self.created = created
    self.shortLived = shortLived
    self.cpuSeconds = cpuSeconds
  }
}
