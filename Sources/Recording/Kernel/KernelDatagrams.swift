import CBPF
import PerfData

/// The ends of UDP sockets, of which the kernel's own events tell nothing: its programs do as one is used.
///
/// They are told as changes of the socket's state, as of TCP's.
struct KernelDatagrams {
  /// By the kernel's address, which another socket may have later: that one's ends are told then.
  private var connected: [UInt64: SocketEnds] = [:]
  /// With more than that what is known begins anew: sockets that are used again are told again in the next part.
  private static let most = 16384

  /// The records of a socket whose ends were told.
  mutating func records(
    of told: lull_kernel_ends_record, _ writer: PreloadWriter
  ) -> [[UInt8]] {
    let ends = SocketEnds(told.socket)
    let isConnected = Int32(told.socket.state) == SocketState.established.rawValue
    let before = connected[ends.identity]
    if isConnected, let before, before.own == ends.own, before.peer == ends.peer { return [] }
    var place = PreloadWriter.Place(pid: told.pid, tid: told.tid, time: told.head.time)
    var records = before.map { [Self.closing($0, place, writer)] } ?? []
    // What it carries then is some hundred nanoseconds later.
    place.time &+= 1
    connected[ends.identity] = nil
    if isConnected {
      if connected.count >= Self.most { connected.removeAll() }
      connected[ends.identity] = ends
      records.append(Self.opening(ends, place, writer))
    }
    return records
  }

  /// Those that stand, for a part of the recording that begins.
  func standing(at place: PreloadWriter.Place, _ writer: PreloadWriter) -> [[UInt8]] {
    connected.values.map { Self.opening($0, place, writer) }
  }

  private static func opening(
    _ ends: SocketEnds, _ place: PreloadWriter.Place, _ writer: PreloadWriter
  ) -> [UInt8] {
    ends.record(
      from: SocketState.closed.rawValue, to: SocketState.established.rawValue, place, writer)
  }

  private static func closing(
    _ ends: SocketEnds, _ place: PreloadWriter.Place, _ writer: PreloadWriter
  ) -> [UInt8] {
    ends.record(
      from: SocketState.established.rawValue, to: SocketState.closed.rawValue, place, writer)
  }
}
