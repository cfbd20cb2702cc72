import PerfData

/// An internet socket of the recorded processes, as their calls made it.
final class PreloadSocket {
  /// Stands for the kernel's address.
  let identity: UInt64
  let family: UInt16
  /// IPPROTO_TCP or _UDP.
  let transport: UInt16
  var own: SocketName
  var peer: SocketName
  private(set) var state: SocketState
  let opened: UInt64
  /// Descriptors that stand for it.
  var references = 1
  /// The ends of a datagram socket whose calls name them, by what stands for each in records.
  var towards: [UInt32: PreloadSocket] = [:]

  init(
    _ identity: UInt64, family: UInt16, transport: UInt16, own: SocketName = SocketName([]),
    peer: SocketName = SocketName([]), state: SocketState, opened: UInt64
  ) {
    (self.identity, self.family, self.transport) = (identity, family, transport)
    (self.own, self.peer, self.state, self.opened) = (own, peer, state, opened)
  }

  /// IPPROTO_UDP.
  static let datagrams: UInt16 = 17
  /// IPPROTO_TCP.
  static let streams: UInt16 = 6

  var isDatagram: Bool { transport == Self.datagrams }

  /// Takes in a state of before the recording, of which nothing is told now.
  func had(_ state: SocketState) { self.state = state }

  /// Takes in a new state, and gives its record.
  func change(
    to new: SocketState, _ place: PreloadWriter.Place, _ writer: PreloadWriter
  ) -> [UInt8] {
    defer { state = new }
    return ends.record(from: state.rawValue, to: new.rawValue, place, writer)
  }

  /// The record that tells whose it is, of one that was there before: from its state to the same.
  ///
  /// Of UDP the end is told too, where calls are seen: it is as if it were made now.
  func standing(_ place: PreloadWriter.Place, _ writer: PreloadWriter) -> [UInt8] {
    ends.record(from: isDatagram ? 0 : state.rawValue, to: state.rawValue, place, writer)
  }

  private var ends: SocketEnds {
    SocketEnds(identity: identity, transport: transport, family: family, own: own, peer: peer)
  }
}
