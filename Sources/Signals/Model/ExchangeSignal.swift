/// How talkative the traffic was.
public struct ExchangeSignal: Sendable, Hashable, Codable {
  /// Sends with payload.
  public var sends: Int
  /// Sends of less than 512 bytes that the next send on the connection followed within 200 ms.
  public var followedSmallSends: Int
  /// Changes from sending to receiving.
  public var roundTrips: Int
  /// Median payload of a send.
  public var medianSendBytes: Double
  /// The same by connection, most small sends first.
  public var connections: [ConnectionExchange]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
public struct ConnectionExchange: Sendable, Hashable, Codable {
  /// Address and port of the other end.
  public var remote: String
  /// Sends with payload.
  public var sends: Int
  /// Small sends that another soon followed.
  public var followedSmallSends: Int
  /// Changes from sending to receiving.
  public var roundTrips: Int
  /// Times of sends of less than 512 bytes with nothing else within 5 s, which may be keep-alives.
  public var smallSendTimes: [Double]
  /// Lengths of silences over 30 s, in seconds.
  public var idleGaps: [Double]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
