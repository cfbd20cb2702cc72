import CPerfEvent
import Glibc
import PerfData
import Quantities

/// What TCP sockets of the recorded processes carried, by the kernel's own counts of each (`tcp_info`), which anybody
/// may ask for.
///
/// Bytes are exact, of sockets that ended too, but for one where the other side ended first; when they went is known
/// to the distance of two looks, and how many calls moved them is not. Of a connection that lives shorter than that it
/// is known whose it was where a listening socket accepted it. Of UDP the kernel counts nothing.
///
/// The list is made while sockets come and go, and the kernel tells of an end some time after it: one that is in no
/// list any more is waited for, and whose one is that was closed meanwhile is asked again.
final class SocketCounts: RecordingSource {
  private let processes: ProcessBook
  private let root: Int32
  private let writer = SocketWriter()
  private let table: (any SocketTable)?
  private let refusal: String?
  private var known: [UInt64: CountedSocket] = [:]
  /// Those that are in no list any more, of which the kernel has not told what they carried, and until when it may.
  private var gone: [UInt64: UInt64] = [:]
  /// Those that were none of the recorded processes' when they were first seen.
  private var doubtful: Set<UInt64> = []
  /// Sockets that are none of the recorded processes', as far as these are known.
  private var foreign: Set<UInt64> = []
  /// Those of them that ended just now, and by when that was: a process that is found after that may have had them.
  private var endedForeign: [(socket: lull_socket, time: UInt64)] = []
  private var owners: [UInt32: Int32] = [:]
  /// The processes whose descriptors were looked at, those that were found since, and what these have.
  private var asked: Set<Int32> = []
  private var found: Set<Int32> = []
  private var ofFound: Set<UInt32> = []
  private var foundSinceDatagrams = false
  private var next: UInt64 = 0
  private var lastLook: UInt64 = 0
  /// Until when a look may cost more than else.
  private var beginning: UInt64 = 0
  /// What there was as the recording began: what these carried before is none of it.
  private var earlier: [UInt64: lull_socket] = [:]
  /// Ports of both ends of the recorded processes' sockets, and ports at which others listen.
  private var ends: Set<UInt32> = []
  private var othersPorts: Set<UInt16> = []
  /// Connections that ended, or came to the recording's end, before it was known whose they were, and what all others
  /// carried.
  private var unowned = (count: 0, bytes: UInt64(0))
  /// Connections whose end the kernel did not tell, so that the last of what they carried is not known.
  private var untold = 0
  private var missesEnds = false
  private var told: UInt64 = 0
  private var denseUntil: UInt64 = 0
  private var isFinished = false
  private var hasDatagrams = false
  private var nextDatagrams: UInt64 = 0
  private var identities: UInt64 = 0

  /// Ten times a second, since bursts are told apart by 1.5 s, and while connections live shorter more often.
  private static let shortest: UInt64 = 100_000_000
  private static let dense: UInt64 = 10_000_000
  private static let longest: UInt64 = 1_000_000_000
  private static let mostForeign = 100_000
  /// For so long an end may come later than what it is the end of.
  private static let patience: UInt64 = 1_000_000_000
  private static let lastPatience: UInt64 = 300_000_000
  /// include/net/tcp_states.h
  private enum State {
    static let established: UInt8 = 1, asking: UInt8 = 2, answering: UInt8 = 3, closed: UInt8 = 7
    static let listening: UInt8 = 10
    /// The other side's end has come, which counts for a byte.
    static let ended: Set<UInt8> = [8, 9, 11]
  }

  init(of processes: ProcessBook, root: Int32) {
    self.processes = processes
    self.root = root
    do throws(KernelSocketTable.Refusal) {
      table = try KernelSocketTable()
      let own = KernelFile.link("/proc/self/ns/net")
      refusal =
        KernelFile.link("/proc/\(root)/ns/net") == own
        ? nil
        : "process \(root) is in another network namespace: record from within its container"
      if refusal == nil { findEarlier() }
    } catch {
      table = nil
      refusal = "sockets' counts cannot be asked for: \(KernelFile.errorText(error.errno))"
    }
  }

  /// Asks a table of its maker's.
  init(of processes: ProcessBook, root: Int32, table: any SocketTable) {
    self.processes = processes
    self.root = root
    self.table = table
    refusal = nil
    findEarlier()
  }

  /// Before the command is let go: what it opens then carried nothing before.
  private func findEarlier() {
    // What ended before was not recorded.
    _ = table?.ended()
    for family in [AF_INET, AF_INET6] {
      for socket in table?.list(family, IPPROTO_TCP) ?? [] { earlier[socket.cookie] = socket }
    }
  }

  var isThere: Bool { refusal == nil }

  var attributes: [EventAttribute] { isThere ? writer.attributes : [] }

  var unavailable: [CaptureEvent.Unavailable] {
    if let refusal { return [.init(.network, "looked at from outside: \(refusal)")] }
    var list: [CaptureEvent.Unavailable] = [
      .init(
        .network,
        "looked at from outside: what each TCP socket carried is counted by the kernel and read ten times a second; "
          + "calls are not counted, and UDP is not seen")
    ]
    if isFinished, unowned.count > 0 {
      list.append(
        .init(
          .connections,
          "looked at from outside: \(Figures.count(unowned.count, "connection")) of this network namespace, with "
            + "\(Figures.bytes(unowned.bytes)), lived shorter than the distance of two looks, or ended before their"
            + " process was found, and whose is not known"
        ))
    }
    if isFinished, untold > 0 || missesEnds {
      list.append(
        .init(
          .connections,
          "looked at from outside: the kernel did not tell the end of \(Figures.count(untold, "connection")), of which "
            + "what was carried is counted up to the last look"
            + (missesEnds ? "; ends of others are not told either, which may be missing" : "")))
    }
    return list
  }

  func start(at time: UInt64) {
    lastLook = time
    beginning = time + Self.longest
  }

  func nextDue(now: UInt64) -> UInt64 { isThere ? next : .max }

  func collect(_ round: Round) throws(PerfDataError) {
    guard isThere, round.now >= next || round.isLast else { return }
    let before = OutsidePace.ownTime
    var output = RecordBytes()
    // What went since the last look may have gone at any time; at the end the process is over by now.
    let time = round.isLast ? lastLook + 1 : (lastLook + round.now) / 2
    lastLook = round.now
    noteFound()
    // Those that ended first: their numbers may be others' by now.
    takeEnded(at: time, into: &output)
    var present: Set<UInt64> = []
    var isWhole = true
    var last: [lull_socket] = []
    let doubted = doubtful
    doubtful = []
    for family in [AF_INET, AF_INET6] {
      guard let list = table?.list(family, IPPROTO_TCP)?.filter(Self.isWhole) else {
        isWhole = false
        continue
      }
      last += list
      findOwners(of: list)
      // Those that wait first: which connections came to them is told by that.
      for socket in list.filter({ $0.state == State.listening })
        + list.filter({ $0.state != State.listening })
      {
        present.insert(socket.cookie)
        // Its process has it now; half-way to the last look that may not have begun its program.
        let isNew = known[socket.cookie] == nil && !round.isLast
        take(
          socket, at: isNew ? round.now : time, wasDoubted: doubted.contains(socket.cookie),
          into: &output)
      }
    }
    takeEnded(at: time, into: &output)
    if round.isLast {
      for socket in last where doubtful.contains(socket.cookie) && !isOthers(socket) {
        if socket.sent + socket.received > 0 { noteUnowned(socket) }
      }
    }
    if !hasDatagrams, round.now >= nextDatagrams || round.isLast {
      nextDatagrams = round.now + Self.longest
      lookForDatagrams()
    }
    if isWhole { noteGone(present, now: round.now) }
    endGone(round, at: time, into: &output)
    // They are found to be others' again.
    if foreign.count > Self.mostForeign { foreign = [] }
    try round.sink.append(output)
    isFinished = round.isLast
    // A machine with very many sockets is asked less often.
    let least = round.now < denseUntil ? Self.dense : Self.shortest
    // A program connects as it begins, and the first look may have come before.
    let share: UInt64 = round.now < beginning ? 10 : 100
    next = round.now + min(max(least, (OutsidePace.ownTime - before) * share), Self.longest)
  }

  /// Sees which processes were found since the last look, and what they may have had that has ended.
  private func noteFound() {
    let living = Set(processes.living)
    found = living.subtracting(asked)
    asked = living
    ofFound = []
    if !found.isEmpty { foundSinceDatagrams = true }
    let begun = endedForeign.isEmpty ? [] : found.map { ProcessProbe.began(pid: $0) ?? 0 }
    endedForeign = endedForeign.filter { ended in
      guard ended.time + Self.patience >= lastLook else { return false }
      guard begun.contains(where: { $0 <= ended.time }) else { return true }
      if !isOthers(ended.socket) { noteUnowned(ended.socket) }
      return false
    }
  }

  /// Notes what a connection carried of which it is not known whose it was.
  private func noteUnowned(_ socket: lull_socket) {
    guard socket.state != State.listening, socket.has_counts != 0 else { return }
    let before = earlier[socket.cookie].map { $0.sent + received($0) } ?? 0
    unowned.count += 1
    unowned.bytes += socket.sent + socket.received - min(before, socket.sent + socket.received)
  }

  /// What stands for one that waits only for the other side's last word (inet_timewait_sock) has no counts: those of
  /// the socket come with its end, which may be told a moment later.
  private static func isWhole(_ socket: lull_socket) -> Bool {
    socket.has_counts != 0 || socket.state == State.listening
  }

  /// Notes what is in no list any more.
  private func noteGone(_ present: Set<UInt64>, now: UInt64) {
    gone = gone.filter { known[$0.key] != nil && !present.contains($0.key) }
    for cookie in known.keys where !present.contains(cookie) && gone[cookie] == nil {
      gone[cookie] = now + Self.patience
    }
  }

  /// Takes what is gone for ended as it was seen last, once its end was waited for long enough.
  private func endGone(_ round: Round, at time: UInt64, into output: inout RecordBytes) {
    if round.isLast {
      let end = SystemInfo.monotonicNanoseconds() + Self.lastPatience
      while gone.contains(where: { known[$0.key] != nil }) {
        let now = SystemInfo.monotonicNanoseconds()
        guard now < end else { break }
        table?.awaitEnd(milliseconds: Int32((end - now) / 1_000_000 + 1))
        takeEnded(at: time, into: &output)
      }
    }
    for (cookie, limit) in gone where round.now >= limit || round.isLast {
      gone[cookie] = nil
      guard let socket = known[cookie] else { continue }
      // A listening socket carries nothing.
      if socket.last.state != State.listening { untold += 1 }
      end(socket.last, at: time, into: &output)
    }
  }

  /// Sees whether a recorded process has a UDP socket.
  private func lookForDatagrams() {
    for family in [AF_INET, AF_INET6] {
      guard let list = table?.list(family, IPPROTO_UDP) else { continue }
      findOwners(of: list, isAsked: foundSinceDatagrams)
      for socket in list where socket.inode != 0 {
        if owners[socket.inode] != nil {
          hasDatagrams = true
        } else {
          foreign.insert(socket.cookie)
        }
      }
    }
    foundSinceDatagrams = false
  }

  private func takeEnded(at time: UInt64, into output: inout RecordBytes) {
    guard let (ended, areMissing) = table?.ended() else { return }
    missesEnds = missesEnds || areMissing
    var unknown: [lull_socket] = []
    for socket in ended {
      if known[socket.cookie] == nil, !foreign.contains(socket.cookie) {
        // What a listening socket accepted is its process's, however short it lived.
        guard let pid = listener(of: socket.own_port) else {
          unknown.append(socket)
          continue
        }
        begin(socket, of: pid, at: time, into: &output)
      }
      if foreign.contains(socket.cookie), earlier[socket.cookie] == nil,
        endedForeign.count < Self.mostForeign
      {
        endedForeign.append((socket, lastLook))
      }
      if known[socket.cookie] != nil { end(socket, at: time, into: &output) }
    }
    for socket in unknown where !isOthers(socket) {
      noteUnowned(socket)
      // The next of them is to be seen while it lives.
      denseUntil = time + Self.longest
    }
  }

  private func listener(of port: UInt16) -> Int32? {
    known.values.first { $0.last.state == State.listening && $0.last.own_port == port }?.pid
  }

  /// Whether a socket is another process's: the other end of one of these, or accepted by another.
  private func isOthers(_ socket: lull_socket) -> Bool {
    ends.contains(UInt32(socket.peer_port) << 16 | UInt32(socket.own_port))
      || othersPorts.contains(socket.own_port)
  }

  /// Whose the sockets are that were not seen before, by the descriptors of the recorded processes.
  private func findOwners(of list: [lull_socket], isAsked: Bool = false) {
    let isNew = list.contains {
      $0.inode != 0 && known[$0.cookie] == nil
        && (!found.isEmpty || !foreign.contains($0.cookie))
    }
    guard isNew || isAsked else { return }
    owners = [:]
    for pid in processes.living {
      for descriptor in KernelFile.numbers(in: "/proc/\(pid)/fd") {
        guard let target = KernelFile.link("/proc/\(pid)/fd/\(descriptor)"),
          target.hasPrefix("socket:["), let inode = UInt32(target.dropFirst(8).dropLast())
        else { continue }
        if found.contains(pid) { ofFound.insert(inode) }
        // What a child has of its parent's is the parent's.
        owners[inode] = min(owners[inode] ?? pid, pid)
      }
    }
  }

  private func take(
    _ socket: lull_socket, at time: UInt64, wasDoubted: Bool, into output: inout RecordBytes
  ) {
    if known[socket.cookie] == nil {
      // One that nobody has accepted yet has no number.
      guard socket.inode != 0 else { return }
      if foreign.contains(socket.cookie) {
        // A process was found that it may be of.
        guard ofFound.contains(socket.inode) else { return }
        foreign.remove(socket.cookie)
        if socket.state == State.listening { othersPorts.remove(socket.own_port) }
      }
      // It may have been closed since it was listed, or be a child's that is not known yet: it is asked again. What was
      // accepted is the listener's then.
      let accepted = wasDoubted ? listener(of: socket.own_port) : nil
      guard let pid = owners[socket.inode] ?? accepted else {
        if wasDoubted || earlier[socket.cookie] != nil {
          foreign.insert(socket.cookie)
          if socket.state == State.listening { othersPorts.insert(socket.own_port) }
        } else {
          doubtful.insert(socket.cookie)
        }
        return
      }
      begin(socket, of: pid, at: time, into: &output)
    }
    // A child goes on to listen that its parent does not.
    if socket.state == State.listening, let pid = owners[socket.inode] {
      known[socket.cookie]?.pid = pid
    }
    count(socket, at: time, into: &output)
  }

  private func begin(
    _ socket: lull_socket, of pid: Int32, at time: UInt64, into output: inout RecordBytes
  ) {
    identities += 1
    var one = CountedSocket(
      pid: pid, identity: 0xffff_8800_0000_0000 + identities << 12, last: socket, sent: 0,
      received: 0)
    if let before = earlier[socket.cookie] {
      one.sent = before.sent
      one.received = received(before)
      let state = before.state == State.listening ? State.listening : State.established
      writer.change(one, from: state, to: state, at: time, into: &output)
    } else if socket.state == State.listening {
      writer.change(one, from: State.closed, to: State.listening, at: time, into: &output)
    } else {
      let before = listener(of: socket.own_port) == nil ? State.asking : State.answering
      writer.change(one, from: State.closed, to: before, at: time, into: &output)
      if socket.state != State.asking {
        writer.change(one, from: before, to: State.established, at: time, into: &output)
      }
    }
    known[socket.cookie] = one
    if ends.count > Self.mostForeign { ends = [] }
    ends.insert(UInt32(socket.own_port) << 16 | UInt32(socket.peer_port))
  }

  private func count(_ socket: lull_socket, at time: UInt64, into output: inout RecordBytes) {
    guard var one = known[socket.cookie] else { return }
    if one.last.state == State.asking, ![State.asking, State.closed].contains(socket.state) {
      writer.change(one, from: State.asking, to: State.established, at: time, into: &output)
    }
    if socket.has_counts != 0 {
      let received = received(socket)
      let (up, down) = (
        socket.sent - min(socket.sent, one.sent), received - min(received, one.received)
      )
      writer.transfer(.send, up, of: one, at: time, into: &output)
      writer.transfer(.receive, down, of: one, at: time, into: &output)
      told += up + down
      one.sent = max(one.sent, socket.sent)
      one.received = max(one.received, received)
    }
    one.last = socket
    known[socket.cookie] = one
  }

  private func end(_ socket: lull_socket, at time: UInt64, into output: inout RecordBytes) {
    guard let before = known[socket.cookie] else { return }
    var last = socket
    if State.ended.contains(before.last.state) { last.state = before.last.state }
    // Of a connection that was not answered nothing was carried.
    if before.last.state != State.asking || last.sent + last.received > 0 {
      count(last, at: time, into: &output)
    }
    known[socket.cookie] = nil
    writer.change(before, from: State.established, to: State.closed, at: time, into: &output)
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    var output = RecordBytes()
    let open = known.values.sorted { $0.identity < $1.identity }
    // Those that wait first: which connections came to them is told by that.
    for isListening in [true, false] {
      for socket in open where (socket.last.state == State.listening) == isListening {
        let state = isListening ? State.listening : State.established
        guard isListening || socket.last.state != State.asking else { continue }
        writer.change(socket, from: state, to: state, at: round.now, into: &output)
      }
    }
    try round.sink.append(output)
  }

  private func received(_ socket: lull_socket) -> UInt64 {
    let isEnded = State.ended.contains(socket.state) && socket.received > 0
    return socket.received - (isEnded ? 1 : 0)
  }

  func describe(_ summary: inout RecordingSummary) {
    guard isThere else { return }
    summary.capture.countsSockets = true
    if hasDatagrams { summary.capture.missesDatagrams = true }
    // A twentieth, beside which what is told is as good as all.
    if unowned.bytes > max(1000, told / 20) {
      summary.capture.connectionsOfUnknown = unowned.count
      summary.capture.bytesOfUnknown = unowned.bytes
    }
  }
}
