/// What went over internet sockets of which the other end is not known, so that it may have left the machine or not.
///
/// A connection that is older than the recording and was not found, a UDP socket, a recording without the connections'
/// events.
package struct PeerlessTraffic: Sendable, Equatable {
  /// Payload bytes sent.
  package var bytesSent: UInt64
  /// Payload bytes received.
  package var bytesReceived: UInt64
  /// How many sockets it was.
  package var sockets: Int
  /// The bursts, the radio and the other schedules if all of it left the machine.
  package var bursts: [Burst]
  package var radio: RadioUse
  package var coalesced: RadioReplaySaving?
  package var withoutPolls: RadioReplaySaving?

  /// Makes the value from its parts.
  package init(
    bytesSent: UInt64, bytesReceived: UInt64, sockets: Int, bursts: [Burst], radio: RadioUse,
    coalesced: RadioReplaySaving? = nil, withoutPolls: RadioReplaySaving? = nil
  ) {
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.sockets = sockets
    self.bursts = bursts
    self.radio = radio
    self.coalesced = coalesced
    self.withoutPolls = withoutPolls
  }
}

extension SignalSet {
  /// The same recording as if what went to peers that are not known had left the machine; nil where there was none.
  package var countingPeerless: SignalSet? {
    guard let network, let peerless = network.peerless else { return nil }
    var set = self
    set.network?.bursts = peerless.bursts
    set.network?.radio = peerless.radio
    set.network?.coalesced = peerless.coalesced
    set.network?.withoutPolls = peerless.withoutPolls
    set.network?.models = []
    return set
  }
}
