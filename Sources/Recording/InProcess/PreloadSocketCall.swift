import CPreloadRing

/// A call of a socket that is being told.
struct PreloadSocketCall {
  var record: lull_record
  var parts: PreloadParts
  /// How many such it stands for.
  var count: UInt64
  let place: PreloadWriter.Place
  let writer: PreloadWriter
  let templates: RecordTemplates

  var key: PreloadSocketTable.Key {
    PreloadSocketTable.Key(
      pid: place.pid, descriptor: Int32(truncatingIfNeeded: record.arguments.0))
  }

  /// Where it began.
  var beginning: PreloadWriter.Place {
    var place = self.place
    place.time = record.start
    return place
  }

  var transport: UInt16 {
    UInt32(record.descriptor_kind) == lull_descriptor_udp.rawValue
      ? PreloadSocket.datagrams : PreloadSocket.streams
  }

  var isDatagram: Bool { transport == PreloadSocket.datagrams }
  var isMessage: Bool { CallMeaning.Number.messages.contains(record.number) }
  var isManyMessages: Bool { CallMeaning.Number.manyMessages.contains(record.number) }
  var isSend: Bool {
    record.number != CallMeaning.Number.splice
      && CallMeaning.Number.writes.contains(record.number)
  }

  /// Whether what came back from a connect goes on to connect: EINPROGRESS, EINTR.
  var goesOn: Bool { record.result == -115 || record.result == -4 }
}
