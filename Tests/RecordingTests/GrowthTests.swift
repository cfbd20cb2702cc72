import CBPF
import CPreloadRing
import Glibc
import PerfData
import Quantities
import Testing

@testable import Recording

/// What the recorder keeps of a target that does the same for days.
@Suite(.serialized) struct GrowthTests {
  /// How many values something holds, with what these hold.
  private func size(_ value: Any) -> Int {
    Mirror(reflecting: value).children.reduce(1) { $0 + size($1.value) }
  }

  private func size(of name: String, in value: Any) throws -> Int {
    let child = Mirror(reflecting: value).children.first { $0.label == name }
    return size(try #require(child).value)
  }

  // MARK: - Sockets

  private let writer = PreloadWriter(stackBytes: 0)
  private let place = PreloadWriter.Place(pid: 7, tid: 7, time: 200)

  private func call(
    _ number: UInt32, _ kind: lull_descriptor_kind, _ arguments: (UInt64, UInt64, UInt64),
    _ addresses: (SocketName, SocketName)?, _ sockets: inout PreloadSockets
  ) -> Int {
    var record = lull_record()
    (record.number, record.descriptor_kind) = (number, UInt16(kind.rawValue))
    (record.start, record.end, record.result) = (100, 110, 0)
    record.arguments = arguments
    let parts = PreloadParts(addresses: addresses.map { (own: $0, peer: $1) })
    var output = RecordBytes()
    sockets.call(record, parts, place, writer, RecordTemplates(writer), into: &output)
    return RecordBuilder.count(output.bytes)
  }

  private func name(_ number: Int) -> SocketName {
    SocketName(address: [192, 0, UInt8(number >> 8), UInt8(number & 255)], port: 53)
  }

  @Test func `connections that were closed are forgotten`() throws {
    var sockets = PreloadSockets()
    func connect(_ count: Int) throws -> Int {
      for number in 0..<count {
        let fd = UInt64(5 + number % 10)
        let told = call(
          CallMeaning.Number.connect, lull_descriptor_tcp, (fd, 0, 0), (name(0), name(number)),
          &sockets)
        #expect(told == 2)
        #expect(
          call(CallMeaning.Number.close, lull_descriptor_tcp, (fd, 0, 0), nil, &sockets) == 1)
      }
      return size(sockets)
    }
    let few = try connect(200)
    #expect(try connect(2000) == few)
    var output = RecordBytes()
    sockets.keep([], of: 7, place, writer, into: &output)
    #expect(size(sockets) < few)
  }

  @Test func `of many ends of datagrams the last are known`() throws {
    var sockets = PreloadSockets()
    let number = UInt32(
      try #require(
        CallMeaning.Number.messages.numbers.filter(CallMeaning.Number.writes.contains).min()))
    func send(to end: Int, by fd: Int, isTold: Bool) -> Int {
      call(
        number, lull_descriptor_udp, (UInt64(fd), UInt64(end) << 32, 0),
        isTold ? (name(0), name(end)) : nil, &sockets)
    }
    for end in 1...40_000 { #expect(send(to: end, by: end / 1000, isTold: true) == 2) }
    #expect(try size(of: "names", in: sockets) < 40_000 * size((UInt32(0), name(1))))
    // By another socket: the last told of it, and it is not known whom the first goes to.
    #expect(send(to: 40_000, by: 500, isTold: false) == 2)
    #expect(send(to: 1, by: 500, isTold: false) == 1)
    #expect(send(to: 1, by: 500, isTold: true) == 2)
  }

  // MARK: - Processes

  /// The rings of a process of one thread, as it writes them.
  private func writeSegment(_ pid: Int32, at time: UInt64, in folder: String) throws {
    let name = "\(folder)/\(pid)-\(time)"
    let file = open("\(name).new", O_RDWR | O_CREAT | O_EXCL, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    try #require(ftruncate(file, off_t(lull_segment_bytes)) == 0)
    var header = lull_segment()
    header.version = UInt32(lull_preload_version)
    (header.pid, header.parent, header.is_program, header.began) = (pid, getpid(), 1, time)
    header.sampling = lull_sampling_old_kernel.rawValue
    pwrite(file, &header, MemoryLayout<lull_segment>.size, 0)
    var slot = lull_slot()
    (slot.taken, slot.tid, slot.head) = (1, pid, 64)
    pwrite(file, &slot, MemoryLayout<lull_slot>.size, off_t(lull_page_bytes))
    var record = lull_record()
    (record.size, record.kind) = (64, UInt8(lull_record_thread_begin.rawValue))
    (record.start, record.end, record.result) = (time, time, Int64(pid))
    pwrite(file, &record, 64, off_t(lull_page_bytes + lull_ring_offset))
    try #require(rename("\(name).new", name) == 0)
  }

  /// A child that waits until it is killed.
  private func child() throws -> pid_t {
    var pid: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
    defer { for word in words { free(word) } }
    try #require(posix_spawnp(&pid, "sleep", nil, nil, &words, environ) == 0)
    return pid
  }

  private func end(_ pid: pid_t) {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  @Test func `of processes that ended little is kept, and the next one of an id is another`()
    throws
  {
    let (sink, _, path) = try Scratch.sink()
    defer { unlink(path) }
    let options = RecordingOptions(target: .command(["x"]), outputPath: path)
    let folder = try PreloadFolder(options)
    defer { folder.remove() }
    let book = ProcessBook(
      root: 1, interval: TimeSpan(nanoseconds: 1_000_000), programs: .events)
    let source = PreloadSource(
      folder: folder, door: nil, options: options, processes: book, root: 1, own: [])
    func collect() throws -> [Observation] {
      let round = Round(now: SystemInfo.monotonicNanoseconds(), sink: sink)
      try source.collect(round)
      let observations = round.observations()
      for observation in observations { try book.observe(observation, round) }
      return observations
    }
    // One with a thread that is read in /proc, which ends; and then another with its id.
    let pid = try child()
    // Others of the machine, all of which are the root's, may be found beside it.
    func begins(_ observations: [Observation]) -> Int {
      observations.count {
        if case .processBegan(pid: pid, parentPid: _, time: _) = $0 { true } else { false }
      }
    }
    try writeSegment(pid, at: SystemInfo.monotonicNanoseconds(), in: folder.path)
    #expect(begins(try collect()) == 1)
    #expect(try size(of: "last", in: source.runDelays) > 1)
    end(pid)
    _ = try collect()
    #expect(source.known.isEmpty && size(source.runDelays) == size(RunDelays()))
    try writeSegment(pid, at: SystemInfo.monotonicNanoseconds(), in: folder.path)
    #expect(begins(try collect()) == 1)
    _ = try collect()
    #expect(source.known.isEmpty)
    for other in 0..<40 {
      try writeSegment(
        4_190_000 + Int32(other), at: SystemInfo.monotonicNanoseconds(), in: folder.path)
      _ = try collect()
    }
    _ = try collect()
    #expect(try size(of: "seen", in: folder) == 1)
    #expect(try size(of: "held", in: book) == 1)
    let reasons = source.unavailable.map(\.reason).filter { $0.contains("Linux 5.9") }
    #expect(reasons.count == 1 && reasons[0].hasSuffix("and 25 more)"), "\(reasons)")
  }

  @Test func `what processes that ended had been started by is forgotten`() throws {
    let (sink, _, path) = try Scratch.sink()
    defer { unlink(path) }
    let book = ProcessBook(
      root: 1, interval: TimeSpan(nanoseconds: 1_000_000), programs: .events)
    for pid in 4_180_000..<Int32(4_184_000) {
      let round = Round(now: UInt64(pid), sink: sink)
      try book.observe(.processBegan(pid: pid, parentPid: 1, time: 1), round)
      try book.observe(.processEnded(pid: pid, time: 2), round)
    }
    #expect(try size(of: "ended", in: book) < 2100 * size((key: 1, value: 1)))
  }

  // MARK: - Threads and files

  @Test func `the stacks of the last threads are known, however many there were`() {
    var told = KernelStacksTold()
    for tid in 1...Int32(3000) {
      told.add([UInt8(tid & 255)], of: tid, at: UInt64(tid), isOfWait: true)
    }
    #expect(told.last(of: 3000) == [UInt8(3000 & 255)] && told.last(of: 1) == nil)
  }
}
