import Signals

/// What sort of program is scored: what is right for a compiler is wrong for an app.
package enum ScoringProfile: String, Sendable, CaseIterable {
  /// Waits for events of its user's; it has a run loop.
  case app
  /// Waits for requests at a listening socket.
  case server
  /// Works until it is done; it has no event loop.
  case tool

  /// The profile that fits what was seen, and why.
  package static func choose(for signals: SignalSet) -> (profile: ScoringProfile, reason: String) {
    if let network = signals.network {
      // A program that talks to itself is no server.
      let own = Set(network.connections.filter { !$0.isServerSide }.map(\.local))
      // Whoever sends a datagram connects to nobody.
      let accepted = network.connections.filter { $0.isServerSide && $0.protocol == "tcp" }
      if let foreign = accepted.first(where: { !own.contains($0.remote) }) {
        return (.server, "it accepted a connection at \(foreign.local)")
      }
      let called = Set(network.connections.filter { !$0.isServerSide }.map(\.remote))
      if accepted.isEmpty,
        let listener = network.listeners.first(where: { !called.contains($0.local) })
      {
        return (.server, "it listens for connections at \(listener.local)")
      }
    }
    guard let main = signals.mainThread else {
      return (.app, "the main thread was not recorded, so the strictest profile is taken")
    }
    guard let hasEventLoop = main.knownEventLoop else {
      return (
        .app, "what its main thread waited for is not known, so the strictest profile is taken"
      )
    }
    if main.isParked { return (.app, "its main thread is parked, and others work for it") }
    return hasEventLoop
      ? (.app, "its main thread waits for events") : (.tool, "it has no event loop")
  }
}
