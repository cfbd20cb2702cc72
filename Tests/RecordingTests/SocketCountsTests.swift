import CPerfEvent
import Glibc
import PerfData
import Quantities
import Testing

@testable import Recording

/// What is told of sockets that end while they are looked at; what the kernel says is written down beforehand.
@Suite(.serialized) struct SocketCountsTests {
  /// A look: what is listed, and what is told to have ended before and after that, and once that was waited for.
  private struct Look {
    var listed: [lull_socket] = []
    var endedBefore: [lull_socket] = []
    var endedAfter: [lull_socket] = []
    var endedLater: [lull_socket] = []
    var areMissing = false
  }

  private final class Script: SocketTable {
    private var looks: [Look]
    private var asked = 0

    init(_ looks: [Look]) { self.looks = looks }

    func list(_ family: Int32, _ protocol: Int) -> [lull_socket]? {
      family == AF_INET && `protocol` == IPPROTO_TCP ? looks[0].listed : []
    }

    func ended() -> (sockets: [lull_socket], areMissing: Bool) {
      asked += 1
      if asked == 1 { return (looks[0].endedBefore, looks[0].areMissing) }
      if asked == 2 { return (looks[0].endedAfter, false) }
      defer { looks[0].endedLater = [] }
      return (looks[0].endedLater, false)
    }

    func awaitEnd(milliseconds: Int32) {
      if looks[0].endedLater.isEmpty { usleep(useconds_t(milliseconds) * 1000) }
    }

    func next() {
      looks.removeFirst()
      asked = 0
    }
  }

  private static let port: UInt16 = 7777

  private static func listener(_ inode: UInt32) -> lull_socket {
    var socket = lull_socket()
    socket.cookie = 1
    socket.inode = inode
    socket.family = UInt8(AF_INET)
    socket.state = 10
    socket.own_port = port
    return socket
  }

  /// A connection of a cookie of its own; established, and nobody's by its number.
  private static func connection(
    _ cookie: UInt64 = 2, inode: UInt32 = 0xffff_fff0, port: UInt16 = port, sent: UInt64,
    received: UInt64 = 0
  ) -> lull_socket {
    var socket = listener(inode)
    socket.cookie = cookie
    socket.state = 1
    socket.own_port = port
    socket.peer_port = 40000
    socket.has_counts = 1
    socket.sent = sent
    socket.received = received
    return socket
  }

  private struct Told {
    var sent = 0
    var received = 0
    var opened = 0
    var closed = 0
    var notes: [String] = []
  }

  /// This process with a socket, and a trace of what its sockets carry.
  private final class Setting {
    let path = Scratch.path()
    /// The socket's number.
    let inode: UInt32
    private let own: Int32
    private(set) var writer: PerfDataWriter?
    private var book: ProcessBook?

    init() throws {
      own = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let link = try #require(KernelFile.link("/proc/self/fd/\(own)"))
      inode = try #require(UInt32(link.dropFirst("socket:[".count).dropLast()))
    }

    deinit {
      close(own)
      unlink(path)
    }

    func counts(
      by table: any SocketTable, isFound: Bool = true
    ) throws -> (SocketCounts, TraceSink) {
      let book = ProcessBook(
        root: getpid(), interval: TimeSpan(nanoseconds: 1_000_000_000), programs: .events)
      let counts = SocketCounts(of: book, root: getpid(), table: table)
      let process = SyntheticEvent.process.attribute(ids: [1])
      let attributes = [process] + counts.attributes
      let writer = try PerfDataWriter(
        path: path, attributes: attributes, features: FileFeatures())
      self.writer = writer
      let sink = TraceSink(writer: writer, synthetic: [process])
      self.book = book
      if isFound { try find(to: sink) }
      return (counts, sink)
    }

    /// This process is found to be one of the recorded ones.
    func find(to sink: TraceSink) throws {
      try book?.begin(getpid(), parentPid: 1, kind: .start, time: 1, to: sink)
    }
  }

  /// What is recorded of these looks, a second apart, of which the last is the recording's last. Before the first of
  /// them the process is let go.
  private func told(
    before: Look? = nil, foundBefore found: Int = 0, since start: UInt64 = 0,
    _ looks: (_ listener: lull_socket) -> [Look]
  ) throws -> Told {
    let setting = try Setting()
    let looks = looks(Self.listener(setting.inode))
    let script = Script([before ?? looks[0]] + looks)
    let (counts, sink) = try setting.counts(by: script, isFound: found == 0)
    script.next()
    counts.start(at: start)
    for number in looks.indices {
      if number == found, found > 0 { try setting.find(to: sink) }
      try counts.collect(
        Round(
          now: start + UInt64(number + 1) * 1_000_000_000, sink: sink,
          isLast: number == looks.count - 1))
      script.next()
    }
    try sink.flushWhole()
    try setting.writer?.finish(features: FileFeatures())
    let file = try PerfDataFile(path: setting.path)
    var told = Told(notes: counts.unavailable.map(\.reason))
    for record in file.orderedRecords() where record.type == RecordType.sample {
      guard let raw = try file.sample(record).raw else { continue }
      // Behind the common fields and the socket: the family, the protocol and the length; or the states.
      let numbers = (0..<2).map { Int(raw.unsignedInteger(at: 16 + 4 * $0, size: 4) ?? 0) }
      switch file.attribute(of: record)?.name {
      case "sock:sock_send_length": told.sent += numbers[1]
      case "sock:sock_recv_length": told.received += numbers[1]
      case "sock:inet_sock_set_state":
        if numbers[1] == 1 { told.opened += 1 }
        if numbers[1] == 7 { told.closed += 1 }
      default: break
      }
    }
    return told
  }

  @Test func `the end of a connection may be told after it is in no list any more`() throws {
    let last = Self.connection(sent: 5000, received: 300)
    let told = try told { listener in
      [
        Look(listed: [listener]),
        Look(listed: [listener, Self.connection(inode: listener.inode, sent: 100, received: 20)]),
        Look(listed: [listener]), Look(listed: [listener], endedBefore: [last]),
        Look(listed: [listener]),
      ]
    }
    #expect(told.sent == 5000 && told.received == 300, "\(told)")
    #expect(told.opened == 1 && told.closed == 1, "\(told)")
    #expect(told.notes.count == 1, "\(told)")
  }

  @Test func `the last look waits for the ends of what is gone`() throws {
    let told = try told { listener in
      [
        Look(listed: [listener]),
        Look(listed: [listener, Self.connection(inode: listener.inode, sent: 100)]),
        Look(endedLater: [Self.connection(sent: 5000, received: 300), listener]),
      ]
    }
    #expect(told.sent == 5000 && told.received == 300, "\(told)")
    #expect(told.opened == 1 && told.notes.count == 1, "\(told)")
  }

  @Test func `the end of what waits for the other side's last word is waited for`() throws {
    let told = try told { listener in
      let connection = { Self.connection(inode: listener.inode, sent: $0) }
      var rest = connection(0)
      // FIN_WAIT2 of include/net/tcp_states.h.
      (rest.state, rest.inode, rest.has_counts) = (5, 0, 0)
      return [
        Look(listed: [listener]), Look(listed: [listener, connection(4797)]),
        // Nothing else is gone, for which the last look would wait.
        Look(listed: [listener, rest], endedLater: [connection(4920)]),
      ]
    }
    #expect(told.sent == 4920 && told.opened == 1 && told.closed == 1, "\(told)")
  }

  @Test func `a list may lack a connection that goes on`() throws {
    let told = try told { listener in
      let connection = { Self.connection(inode: listener.inode, sent: $0) }
      return [
        Look(listed: [listener]), Look(listed: [listener, connection(100)]),
        Look(listed: [listener]), Look(listed: [listener, connection(700)]),
        Look(listed: [listener]), Look(listed: [listener, connection(900)]),
        Look(endedAfter: [connection(1000), listener]),
      ]
    }
    #expect(told.sent == 1000 && told.opened == 1 && told.closed == 2, "\(told)")
    #expect(told.notes.count == 1, "\(told)")
  }

  /// Between the list and the look at the process's descriptors.
  @Test func `what is closed before it is known whose it is belongs to who accepted it`() throws {
    let told = try told { listener in
      [
        Look(listed: [listener]), Look(listed: [listener, Self.connection(sent: 100)]),
        Look(listed: [listener], endedBefore: [Self.connection(sent: 5000, received: 100)]),
        Look(listed: [listener]),
      ]
    }
    #expect(told.sent == 5000 && told.received == 100 && told.opened == 1, "\(told)")
  }

  @Test func `what is closed before it is known whose it is, and was not accepted, is told of`()
    throws
  {
    let client = { Self.connection(port: 50000, sent: $0) }
    let told = try told { listener in
      [
        Look(listed: [listener]), Look(listed: [listener, client(100)]),
        Look(listed: [listener], endedBefore: [client(700)]), Look(listed: [listener]),
      ]
    }
    #expect(told.sent == 0, "\(told)")
    #expect(told.notes.count == 2 && told.notes[1].contains(": 1 connection of"), "\(told)")
    #expect(told.notes.last?.contains("with 700 B,") == true, "\(told)")
    // One that stays and is nobody's is another's.
    let others = try self.told { listener in
      [
        Look(listed: [listener]), Look(listed: [listener, client(100)]),
        Look(listed: [listener, client(200)]),
        Look(listed: [listener], endedBefore: [client(700)]), Look(listed: [listener]),
      ]
    }
    #expect(others.sent == 0 && others.notes.count == 1, "\(others)")
  }

  @Test func `a connection whose end is not told is counted up to the last look, and told of`()
    throws
  {
    let told = try told { listener in
      let connection = Self.connection(inode: listener.inode, sent: 100)
      return [
        Look(listed: [listener]), Look(listed: [listener, connection]), Look(listed: [listener]),
        Look(listed: [listener], areMissing: true), Look(listed: [listener]),
      ]
    }
    #expect(told.sent == 100 && told.closed == 1, "\(told)")
    #expect(told.notes.count == 2 && told.notes.last?.contains("end of 1 connection,") == true)
    #expect(told.notes.last?.contains("are not told either") == true, "\(told)")
  }

  // MARK: - Processes that are found late

  // Of a child that was found after two looks nothing was told, and it passed for one that uses no network.
  @Test func `a process that is found late has what its sockets carried until then`() throws {
    let told = try told(foundBefore: 4) { listener in
      let connection = { Self.connection(inode: listener.inode, sent: $0, received: 9) }
      return [
        Look(), Look(listed: [connection(100)]), Look(listed: [connection(200)]),
        Look(listed: [connection(300)]), Look(listed: [connection(700)]),
        Look(endedBefore: [connection(1000)]),
      ]
    }
    #expect(told.sent == 1000 && told.received == 9 && told.opened == 1, "\(told)")
    #expect(told.closed == 1 && told.notes.count == 1, "\(told)")
  }

  @Test func `what ended before a process was found that ran by then may be its`() throws {
    func told(since start: UInt64) throws -> Told {
      try self.told(foundBefore: 4, since: start) { listener in
        let connection = { Self.connection(inode: listener.inode, sent: $0) }
        return [
          Look(), Look(listed: [connection(100)]), Look(listed: [connection(200)]),
          Look(endedBefore: [connection(1000)]), Look(), Look(),
        ]
      }
    }
    let unknown = try told(since: SystemInfo.monotonicNanoseconds())
    #expect(unknown.sent == 0 && unknown.notes.count == 2, "\(unknown)")
    #expect(unknown.notes.last?.contains("with 1 kB,") == true, "\(unknown)")
    // One that began after that had none of it.
    let others = try told(since: 0)
    #expect(others.sent == 0 && others.notes.count == 1, "\(others)")
  }

  @Test func `what is listed at the end and nobody was asked for yet is told of`() throws {
    let told = try told { listener in
      let client = Self.connection(port: 50000, sent: 700)
      return [Look(listed: [listener]), Look(listed: [listener, client])]
    }
    #expect(told.sent == 0 && told.notes.last?.contains("with 700 B,") == true, "\(told)")
  }

  @Test func `a connection of the command carried nothing before the command was let go`() throws {
    let told = try told(before: Look()) { listener in
      let connection = { Self.connection(inode: listener.inode, sent: $0) }
      return [Look(listed: [connection(500)]), Look(endedBefore: [connection(900)])]
    }
    #expect(told.sent == 900 && told.notes.count == 1, "\(told)")
  }

  // MARK: - Limits

  /// Very many sockets: of others, and of a process's own that ended at once.
  private final class Crowd: SocketTable {
    var listed: [lull_socket] = []
    var datagrams: [lull_socket] = []
    var over: [lull_socket] = []

    func list(_ family: Int32, _ protocol: Int) -> [lull_socket]? {
      guard family == AF_INET else { return [] }
      return `protocol` == IPPROTO_TCP ? listed : datagrams
    }

    func ended() -> (sockets: [lull_socket], areMissing: Bool) {
      defer { over = [] }
      return (over, false)
    }

    func awaitEnd(milliseconds: Int32) {}
  }

  @Test func `of very many sockets it is forgotten whose they are not, and where they led`() throws
  {
    let most = 100_000
    let setting = try Setting()
    let crowd = Crowd()
    crowd.datagrams = (0...most).map { Self.connection(UInt64(1000 + $0), sent: 0) }
    crowd.listed = [Self.listener(setting.inode), Self.listener(setting.inode)]
    (crowd.listed[1].cookie, crowd.listed[1].own_port) = (2, Self.port + 1)
    let (counts, sink) = try setting.counts(by: crowd)
    func count<Element: Hashable>(_ name: String, _: Element.Type) throws -> Int {
      let set = Mirror(reflecting: counts).descendant(name) as? Set<Element>
      return try #require(set).count
    }
    counts.start(at: 0)
    try counts.collect(Round(now: 1_000_000_000, sink: sink))
    #expect(try count("foreign", UInt64.self) == 0)
    crowd.datagrams = []
    crowd.over = crowd.listed.flatMap { listener in
      (0..<most / 2 + 10).map { number in
        var socket = Self.connection(
          listener.cookie * 1_000_000 + UInt64(number), port: listener.own_port, sent: 1)
        socket.peer_port = UInt16(number)
        return socket
      }
    }
    try counts.collect(Round(now: 2_000_000_000, sink: sink))
    #expect(try count("ends", UInt32.self) < most)
  }
}
