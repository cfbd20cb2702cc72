/// Threads that the process made for itself, outside the pools of the runtime and its libraries.
package struct ThreadChurnSignal: Sendable, Equatable {
  /// Threads that began during the recording.
  package var created: Int
  /// Those of them that were more than ever lived at once: each was made where another had ended, or could have served.
  package var repeated: Int
  /// Those that lived less than 100 ms.
  package var shortLived: Int
  /// The same by name, most frequent first.
  package var byName: [ThreadGroup]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    created: Int = 0,
    repeated: Int = 0,
    shortLived: Int = 0,
    byName: [ThreadGroup] = []
  ) {
    self.created = created
    self.repeated = repeated
    self.shortLived = shortLived
    self.byName = byName
  }
}

/// Threads of one name.
package struct ThreadGroup: Sendable, Equatable {
  /// The name.
  package var name: String
  /// How many began.
  package var created: Int
  /// How many of them lived less than 100 ms.
  package var shortLived: Int
  /// CPU time of all of them.
  package var cpuSeconds: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
