import Signals

/// What sort of program is scored: what is right for a compiler is wrong for an app.
package enum ScoringProfile: String, Sendable, CaseIterable {
  /// Waits for events of its user's; it has a run loop.
  case app
  /// Waits for requests at a listening socket.
  case server
  /// Works until it is done; it has no event loop.
  case tool

  /// A profile, and why.
  package struct Choice: Sendable {
    package var profile: ScoringProfile
    package var reason: String
    /// What fits as well, by what is known.
    package var other: ScoringProfile?
  }

  /// The profile that fits what was seen.
  package static func choose(for signals: SignalSet) -> Choice {
    if let network = signals.network {
      // A program that talks to itself is no server.
      let own = Set(network.connections.filter { !$0.isServerSide }.map(\.local))
      // Whoever sends a datagram connects to nobody.
      let accepted = network.connections.filter { $0.isServerSide && $0.protocol == "tcp" }
      if let foreign = accepted.first(where: { !own.contains($0.remote) }) {
        return Choice(profile: .server, reason: "it accepted a connection at \(foreign.local)")
      }
      let called = Set(network.connections.filter { !$0.isServerSide }.map(\.remote))
      if accepted.isEmpty,
        let listener = network.listeners.first(where: { !called.contains($0.local) })
      {
        return Choice(
          profile: .server, reason: "it listens for connections at \(listener.local)")
      }
    }
    guard let main = signals.mainThread else {
      return Choice(
        profile: .app,
        reason: "the main thread was not recorded, so the strictest profile is taken",
        other: signals.unavailable[.mainThread] == nil ? nil : .tool)
    }
    guard let hasEventLoop = main.knownEventLoop else {
      return Choice(
        profile: .app,
        reason: "what its main thread waited for is not known, so the strictest profile is taken",
        other: .tool)
    }
    if main.isParked {
      return Choice(profile: .app, reason: "its main thread is parked, and others work for it")
    }
    return hasEventLoop
      ? Choice(profile: .app, reason: "its main thread waits for events")
      : Choice(profile: .tool, reason: "it has no event loop")
  }
}
