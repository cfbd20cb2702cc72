/// How talkative the traffic was.
package struct ExchangeSignal: Sendable, Equatable {
  /// Sends with payload.
  package var sends: Int
  /// How many of them were recorded each, where the recorder took some only; nil where all were.
  package var sendsRecorded: Int?
  /// Sends of less than 512 bytes that the next send on the connection followed within 200 ms.
  package var followedSmallSends: Int
  /// Changes from sending to receiving.
  package var roundTrips: Int
  /// Median payload of a send.
  package var medianSendBytes: Double
  /// The same by connection, most small sends first.
  package var connections: [ConnectionExchange]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    sends: Int = 0,
    followedSmallSends: Int = 0,
    roundTrips: Int = 0,
    medianSendBytes: Double = 0,
    connections: [ConnectionExchange] = []
  ) {
    self.sends = sends
    self.followedSmallSends = followedSmallSends
    self.roundTrips = roundTrips
    self.medianSendBytes = medianSendBytes
    self.connections = connections
  }
}

/// Talk on one connection.
package struct ConnectionExchange: Sendable, Equatable {
  /// Address and port of the other end.
  package var remote: String
  /// Sends with payload.
  package var sends: Int
  /// Small sends that another soon followed.
  package var followedSmallSends: Int
  /// Changes from sending to receiving.
  package var roundTrips: Int
  /// Times of sends of less than 512 bytes with nothing else within 5 s, which may be keep-alives.
  package var smallSendTimes: [Double]
  /// Lengths of silences over 30 s, in seconds.
  package var idleGaps: [Double]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    remote: String,
    sends: Int = 0,
    followedSmallSends: Int = 0,
    roundTrips: Int = 0,
    smallSendTimes: [Double] = [],
    idleGaps: [Double] = []
  ) {
    self.remote = remote
    self.sends = sends
    self.followedSmallSends = followedSmallSends
    self.roundTrips = roundTrips
    self.smallSendTimes = smallSendTimes
    self.idleGaps = idleGaps
  }
}
