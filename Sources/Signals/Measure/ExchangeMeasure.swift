import Quantities
import TraceModel

/// Measures how talkative the connections were.
enum ExchangeMeasure {
  static let smallBytes: UInt64 = 512
  /// A small send that the next follows within this could have been joined with it.
  static let followSeconds = 0.2
  /// A keep-alive has so much silence on both sides.
  static let quietSeconds = 5.0
  /// A connection silent for longer is open and unused.
  static let unusedSeconds = 30.0

  /// A socket's address is used again; a connection ends where the next begins.
  private struct Ends: Hashable {
    let socket: UInt64
    let connection: Int?
  }

  /// What of a transfer is looked at: there may be hundreds of thousands.
  private struct Exchanged {
    let time: Timestamp
    let bytes: UInt64
    let weight: UInt64
    let direction: Transfer.Direction
  }

  static func measure(
    _ transfers: some Sequence<Transfer>, in subject: SubjectView
  ) -> ExchangeSignal {
    var byEnds: [Ends: [Exchanged]] = [:]
    for transfer in transfers {
      byEnds[Ends(socket: transfer.socket, connection: transfer.connection), default: []].append(
        Exchanged(
          time: transfer.time, bytes: transfer.bytes, weight: transfer.weight,
          direction: transfer.direction))
    }
    var rows: [ConnectionExchange] = []
    var sizes: [Double] = []
    let side = ServerSide(subject)
    for (ends, own) in byEnds {
      let isAsked = own.first.map { side.has(connection: ends.connection, first: $0.direction) }
      rows.append(exchange(own, ends.connection, isAsked: isAsked == true, subject))
      for transfer in own where transfer.direction == .send { sizes.append(Double(transfer.bytes)) }
    }
    rows.sort { ($1.followedSmallSends, $0.remote) < ($0.followedSmallSends, $1.remote) }
    var signal = ExchangeSignal(
      sends: rows.reduce(0) { $0 + $1.sends },
      followedSmallSends: rows.reduce(0) { $0 + $1.followedSmallSends },
      roundTrips: rows.reduce(0) { $0 + $1.roundTrips },
      medianSendBytes: Quantiles.median(sizes) ?? 0, connections: rows)
    signal.sendsRecorded = sizes.count
    return signal
  }

  private static func exchange(
    _ transfers: [Exchanged], _ connection: Int?, isAsked: Bool, _ subject: SubjectView
  ) -> ConnectionExchange {
    let model = connection.map { subject.trace.connections[$0] }
    var row = ConnectionExchange(remote: model?.remote ?? "unknown")
    let times = transfers.map { subject.time($0.time) }
    var lastSend: Int?
    for (index, transfer) in transfers.enumerated() {
      if transfer.direction == .receive {
        if lastSend == index - 1 { row.roundTrips += 1 }
        continue
      }
      row.sends += Int(clamping: transfer.weight)
      // A server's answers cannot be joined: between them came what they answer.
      if let last = lastSend, transfers[last].bytes < smallBytes,
        times[index] - times[last] < followSeconds,
        !isAsked || (last == index - 1 && transfer.weight == 1)
      {
        row.followedSmallSends += Int(clamping: transfer.weight)
      }
      lastSend = index
      let before = index > 0 ? times[index] - times[index - 1] : .infinity
      // An answer to a keep-alive comes soon; silence is what follows it.
      let after = times[(index + 1)...].first { $0 - times[index] > 1 }.map { $0 - times[index] }
      if transfer.bytes < smallBytes, before >= quietSeconds, (after ?? .infinity) >= quietSeconds {
        row.smallSendTimes.append(times[index])
      }
    }
    row.idleGaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > unusedSeconds }
    // From the last byte to the close, or to the end of the recording.
    if let last = times.last, let model, model.opened != nil {
      let end = model.closed.map(subject.time) ?? subject.time(subject.end)
      if end - last > unusedSeconds { row.idleGaps.append(end - last) }
    }
    return row
  }
}
