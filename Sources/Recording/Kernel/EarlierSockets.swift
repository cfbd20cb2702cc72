import CBPF
import PerfData

/// The sockets that a target has as its recording begins, of which no event tells the ends: connections that are older,
/// and sockets that wait for others.
///
/// Of UDP there is no event at all: a socket that has the same peer at the end as at the beginning had it between.
final class EarlierSockets: RecordingSource {
  private let processes: ProcessBook
  private let drain: RingDrain
  private let root: Int32
  private let writer = PreloadWriter(stackBytes: 0)
  private var kernel: KernelSockets?
  private var absence: KernelPrograms.Absence?
  /// UDP sockets that were connected as the present part began, by the kernel's address and /proc's number.
  private var datagrams: [Datagram: SocketEnds] = [:]
  /// Connections whose transfers cannot be told from others'.
  private var unrelated = 0
  /// Those of the present part were not looked for yet.
  private var isDue = false

  private struct Datagram: Hashable {
    var address: UInt64
    var inode: UInt64

    init(_ socket: lull_kernel_open_socket) { (address, inode) = (socket.address, socket.inode) }
  }

  init(of processes: ProcessBook, root: Int32, _ drain: RingDrain) {
    self.processes = processes
    self.root = root
    self.drain = drain
  }

  private static let datagramProtocol: UInt16 = 17

  var attributes: [EventAttribute] { [writer.attributes[PreloadEvent.socketState.rawValue]] }

  var unavailable: [CaptureEvent.Unavailable] {
    guard unrelated > 0, let absence else { return [] }
    return [
      .init(
        .connections,
        "\(unrelated) connections are older than the recording, and which transfers are theirs is not known:"
          + " \(absence.cause)" + (absence.fix.map { "; \($0)" } ?? ""))
    ]
  }

  func start(at time: UInt64) { isDue = true }

  /// They are looked for after the events were on, so that what begins meanwhile is told by them; and after the first
  /// events were collected, since a command that ends soon is to be looked at before.
  func collect(_ round: Round) throws(PerfDataError) {
    if isDue {
      isDue = false
      for record in found() { try round.sink.append(record) }
    }
    if round.isLast { try tellDatagrams(round) }
  }

  func endPart(_ round: Round) throws(PerfDataError) { try tellDatagrams(round) }

  func beginPart(_ round: Round) throws(PerfDataError) {
    for record in found() { try round.sink.append(record) }
  }

  /// The records of what there is, with the time when that was known: what began while it was looked for has told so
  /// before, and what was carried by then is told with the record.
  private func found() -> [[UInt8]] {
    (datagrams, unrelated) = ([:], 0)
    let byProcess = processes.living.map { ($0, OpenSocket.all(of: $0)) }
    guard byProcess.contains(where: { !$0.1.isEmpty }) else { return [] }
    guard let sockets = open(of: byProcess.filter { !$0.1.isEmpty }.map(\.0)) else {
      let time = SystemInfo.monotonicNanoseconds()
      return byProcess.flatMap { listeners(of: $0, among: $1, at: time) }
    }
    let time = SystemInfo.monotonicNanoseconds()
    for socket in sockets where socket.protocol == Self.datagramProtocol {
      if SocketState(rawValue: Int32(socket.state)) == .established {
        datagrams[Datagram(socket)] = SocketEnds(socket)
      }
    }
    var told: Set<UInt64> = []
    let listening = sockets.filter { Int32($0.state) == SocketState.listening.rawValue }
    let carrying = sockets.filter {
      $0.protocol != Self.datagramProtocol && SocketState.carries(Int32($0.state))
        && told.insert($0.address).inserted
    }
    drain.sockets.know(carrying.map(\.address))
    // Those that wait first: which connections came to them is told by that.
    return listening.map { record(of: SocketEnds($0), .listening, pid: $0.pid, at: time) }
      + carrying.map { record(of: SocketEnds($0), .established, pid: $0.pid, at: time) }
  }

  private func record(
    of socket: SocketEnds, _ state: SocketState, pid: Int32, at time: UInt64
  ) -> [UInt8] {
    socket.record(
      from: state.rawValue, to: state.rawValue, .init(pid: pid, tid: pid, time: time), writer)
  }

  /// What is known without the kernel's addresses: that it is a server.
  private func listeners(of pid: Int32, among sockets: [OpenSocket], at time: UInt64) -> [[UInt8]] {
    unrelated += sockets.count {
      $0.transport != Self.datagramProtocol && SocketState.carries($0.state)
    }
    return sockets.filter { $0.state == SocketState.listening.rawValue }.map { socket in
      let ends = SocketEnds(
        identity: 0xffff_9000_0000_0000 + socket.inode << 12, transport: socket.transport,
        family: socket.own.family, own: socket.own, peer: socket.peer)
      return record(of: ends, .listening, pid: pid, at: time)
    }
  }

  private func open(of pids: [Int32]) -> [lull_kernel_open_socket]? {
    if kernel == nil, absence == nil {
      do throws(KernelPrograms.Absence) { kernel = try KernelSockets() } catch { absence = error }
    }
    let sockets = kernel?.open(of: pids)
    if sockets == nil, absence == nil {
      absence = .init(cause: "the kernel did not tell which files are open")
    }
    return sockets
  }

  private func tellDatagrams(_ round: Round) throws(PerfDataError) {
    guard !datagrams.isEmpty, let kernel else { return }
    for socket in kernel.open(of: processes.living) ?? [] {
      let ends = SocketEnds(socket)
      guard let before = datagrams.removeValue(forKey: Datagram(socket)), before.own == ends.own,
        before.peer == ends.peer
      else { continue }
      try round.sink.append(record(of: ends, .established, pid: socket.pid, at: round.now))
    }
  }

  func describe(_ summary: inout RecordingSummary) {
    let event = PreloadEvent.socketState
    let format = TracingData.Format(system: event.tracepoint.system, text: event.format)
    guard let known = summary.features.tracingData?.formats, !known.contains(format) else { return }
    summary.features.tracingData?.formats.append(format)
  }
}
