import CBPF
import Foundation
import Testing

@testable import Recording

/// Why nothing can be recorded in the kernel here; nil where it can.
private let absence: String? = {
  do throws(KernelPrograms.Absence) {
    try KernelPrograms().attach()
    return nil
  } catch { return error.cause }
}()

@Suite struct KernelProgramsTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(
    .enabled(
      if: access("/usr/include/bpf/bpf_helpers.h", R_OK) == 0, "needs libbpf-dev"))
  func `the objects are those that their script makes`() throws {
    let made = FileManager.default.temporaryDirectory.appendingPathComponent(
      "lull-\(getpid())-objects")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: made) }
    let process = Process()
    process.executableURL = Self.root.appendingPathComponent("Sources/KernelPrograms/build")
    process.arguments = [made.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    for (folder, name) in [
      ("Kernel", "recorder.bpf.o"), ("Kernel", "sockets.bpf.o"), ("Transfers", "transfers.bpf.o"),
    ] {
      let kept = Self.root.appendingPathComponent("Sources/Recording/\(folder)/\(name)")
      #expect(
        try Data(contentsOf: made.appendingPathComponent(name)) == Data(contentsOf: kept),
        "make \(name) anew by Sources/KernelPrograms/build")
    }
  }

  @Test func `sums of transfers are exact as transfers of two sizes`() {
    var sum = lull_kernel_sum()
    (sum.socket, sum.pid, sum.is_receive, sum.last) = (7, 3, 1, 500)
    func parts(_ count: UInt64, _ bytes: UInt64, after: UInt64 = 0) -> [KernelTransfers.Part] {
      KernelTransfers.parts(sum, count: count, bytes: bytes, after: after)
    }
    // 3 of 33 and 1 of 34 are 133.
    let told = parts(4, 133)
    #expect(told.map(\.count) == [3, 1])
    #expect(told.map(\.record.result) == [33, 34])
    #expect(told.allSatisfy { $0.isReceive && $0.record.pid == 3 && $0.record.socket == 7 })
    #expect(told.allSatisfy { $0.record.head.time == 500 })
    #expect(parts(5, 50).map(\.count) == [5])
    #expect(parts(0, 0).isEmpty)
    // Never before what was told already.
    #expect(parts(1, 9, after: 900).map(\.record.head.time) == [900])
  }

  @Test func `where a process has code is known by steps of 2 MB`() {
    func mapping(_ start: UInt64, _ size: UInt64, _ isExecutable: Bool) -> MemoryMapping {
      MemoryMapping(
        start: start, end: start + size, isWritable: false, isExecutable: isExecutable,
        fileOffset: 0, path: "")
    }
    // Steps 0x3f8_0000 and, of a second, two; modulo 4096 these are 0, and 5 and 6.
    let code = KernelCode.code(
      of: [
        mapping(0x7f00_0000_0000, 4096, true), mapping(0x7f00_00bf_f000, 8192, true),
        mapping(0x7f00_1000_0000, 4096, false),
      ], drain: 0x1000..<0x1234)
    let steps = withUnsafeBytes(of: code.steps) { Array($0.bindMemory(to: UInt64.self)) }
    #expect(steps == [0b110_0001] + [UInt64](repeating: 0, count: 63))
    #expect(code.drain_start == 0x1000 && code.drain_size == 0x234)
    let large = KernelCode.code(of: [mapping(0x4000, 1 << 40, true)], drain: 0..<0)
    withUnsafeBytes(of: large.steps) { bytes in
      #expect(bytes.allSatisfy { $0 == 0xff })
    }
  }

  @Test func `a stack that a thread goes back to is the one of that time`() {
    var told = KernelStacksTold()
    told.add([1], of: 5, at: 10, isOfWait: true)
    told.add([2], of: 5, at: 20, isOfWait: true)
    #expect(told.last(of: 5) == [2])
    told.goesBack(5, to: 10)
    #expect(told.last(of: 5) == [1])
    told.goesBack(5, to: 0)
    #expect(told.last(of: 5) == nil)
    for time in 30..<200 { told.add([3], of: 5, at: UInt64(time), isOfWait: true) }
    told.goesBack(5, to: 10)
    #expect(told.last(of: 5) == nil)
  }

  // The programs hear of a part some milliseconds after it began: until then they go back to stacks from before, which
  // are in another file. The waits of those milliseconds were unknown, and with them nothing was measured.
  @Test func `a stack from before a part is told again in it`() {
    var told = KernelStacksTold()
    let record = [UInt8](repeating: 1, count: 64)
    told.add(record, of: 5, at: 10, isOfWait: true)
    told.add(record, of: 5, at: 12, isOfWait: false)
    func again(_ stack: UInt64, at time: UInt64, isOfWait: Bool = true) -> Bool {
      told.again(5, told: stack, at: time, isOfWait: isOfWait) != nil
    }
    #expect(!again(10, at: 15))
    told.beginPart(at: 20)
    // Before the part, and of an unknown stack.
    #expect(!again(10, at: 19) && !again(0, at: 21) && !again(11, at: 21))
    #expect(again(10, at: 22) && !again(10, at: 23))
    #expect(again(12, at: 24, isOfWait: false) && again(12, at: 25, isOfWait: false))
    // With another in between the thread comes back to it.
    told.add(record, of: 5, at: 26, isOfWait: true)
    #expect(!again(26, at: 27) && again(10, at: 28))
  }
}

@Suite struct KernelRepeatsTests {
  private func call(_ generation: UInt32, count: UInt32 = 1) -> lull_kernel_call_record {
    var call = lull_kernel_call_record()
    (call.tid, call.generation, call.head.flags) = (7, generation, count)
    return call
  }

  @Test func `what was read of a row is not told again when it ends`() {
    var repeats = KernelRepeats()
    repeats.began(call(1), .writes)
    func told(_ generation: UInt32, _ count: UInt64) -> [UInt64] {
      repeats.standing { _ in .init(generation: generation, sum: .init(count: count)) }.map(
        \.sum.count)
    }
    #expect(told(1, 5) == [5])
    #expect(told(1, 9) == [4] && !repeats.haveEnded)
    // The next row began, and that is not in the ring yet.
    #expect(told(2, 3).isEmpty && repeats.haveEnded)
    #expect(repeats.ended(call(1, count: 12), .writes).count == 3)
    repeats.began(call(2), .writes)
    #expect(told(2, 3) == [3])
    // A row whose beginning comes after its end, by another CPU's ring.
    #expect(repeats.ended(call(3, count: 8), .writes).count == 8)
    repeats.began(call(3), .writes)
    #expect(told(4, 8).isEmpty)
    // Other calls of the same thread have another place.
    #expect(repeats.ended(call(2, count: 3), .spins).count == 3)
  }

  @Test func `the sorts of rows have the places that the programs give them`() {
    let sorts = [lull_kernel_of_writes, lull_kernel_of_spins, lull_kernel_of_reads]
    #expect(KernelRepeats.Sort.allCases.map { UInt32($0.rawValue) } == sorts.map(\.rawValue))
    #expect(KernelRepeats.Sort.allCases.count == Int(lull_kernel_sorts.rawValue))
  }

  @Test func `of reads, what they brought is told once as well`() {
    var repeats = KernelRepeats()
    typealias Sum = KernelRepeats.Sum
    repeats.began(call(1), .reads)
    func told(_ count: UInt64, _ bytes: UInt64) -> [Sum] {
      repeats.standing { _ in .init(generation: 1, sum: .init(count: count, bytes: bytes)) }.map(
        \.sum)
    }
    #expect(told(5, 700) == [Sum(count: 5, bytes: 700)])
    // The bytes of a call that is not counted yet.
    #expect(told(6, 1000) == [Sum(count: 1, bytes: 300)])
    var end = call(1, count: 8)
    end.result = 1100
    #expect(repeats.ended(end, .reads) == Sum(count: 2, bytes: 100))
  }
}

/// What the programs tell of this process itself.
@Suite(.serialized, .enabled(if: absence == nil, Comment(rawValue: absence ?? "")))
struct KernelProgramsRunningTests {
  /// Gathers what the ring holds.
  private final class Records {
    var switches: [lull_kernel_switch_record] = []
    var wakes: [lull_kernel_waking_record] = []
    var stacks: [KernelStack] = []
    var transfers: [lull_kernel_transfer_record] = []
    var calls: [lull_kernel_call_record] = []
    var rows: [lull_kernel_call_record] = []
    var spins: [lull_kernel_call_record] = []
    var reads: [lull_kernel_call_record] = []
    var readRows: [lull_kernel_call_record] = []
    var paths: [(call: lull_kernel_call_record, paths: KernelPaths)] = []

    func take(_ record: UnsafeRawPointer) {
      switch lull_kernel_kind(UInt32(record.load(as: lull_kernel_head.self).kind)) {
      case lull_kernel_switch: switches.append(record.load(as: lull_kernel_switch_record.self))
      case lull_kernel_waking: wakes.append(record.load(as: lull_kernel_waking_record.self))
      case lull_kernel_stack: stacks.append(KernelStack(record))
      case lull_kernel_send, lull_kernel_receive:
        transfers.append(record.load(as: lull_kernel_transfer_record.self))
      case lull_kernel_call: calls.append(record.load(as: lull_kernel_call_record.self))
      case lull_kernel_calls: rows.append(record.load(as: lull_kernel_call_record.self))
      case lull_kernel_spin, lull_kernel_spins:
        spins.append(record.load(as: lull_kernel_call_record.self))
      case lull_kernel_read: reads.append(record.load(as: lull_kernel_call_record.self))
      case lull_kernel_reads: readRows.append(record.load(as: lull_kernel_call_record.self))
      case lull_kernel_path:
        paths.append((record.load(as: lull_kernel_call_record.self), KernelPaths(record)))
      default: break
      }
    }
  }

  private func recorded(
    _ body: (KernelPrograms) throws -> Void
  ) throws -> (Records, KernelPrograms) {
    let programs = try KernelPrograms()
    let records = Records()
    try programs.open(
      { context, record, _ in
        Unmanaged<Records>.fromOpaque(context).takeUnretainedValue().take(record)
      }, Unmanaged.passUnretained(records).toOpaque())
    try programs.attach()
    programs.add(getpid())
    try body(programs)
    programs.detach()
    programs.drain()
    return (records, programs)
  }

  private static func ownThread() -> Int32 {
    let files = FileManager.default
    let link = (try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    return link.split(separator: "/").last.flatMap { Int32($0) } ?? 0
  }

  @Test func `each sleep is a switch, a wake by a timer in an interrupt, and one stack of all`()
    throws
  {
    let tid = Self.ownThread()
    let before = SystemInfo.monotonicNanoseconds()
    let (records, _) = try recorded { programs in
      // Until that is known a stack is told more than once.
      let code = KernelCode.code(of: MemoryMapping.all(of: getpid()), drain: 0..<0)
      #expect(programs.tell(code, of: getpid()))
      for _ in 0..<20 { usleep(2_000) }
    }
    let left = records.switches.filter {
      $0.left_tid == tid && $0.head.flags & UInt32(LULL_KERNEL_PREEMPTED) == 0
    }
    let wakes = records.wakes.filter { $0.tid == tid }
    #expect(left.count >= 20)
    // The kernel drops some tracepoints of idle CPUs, of perf's events too: one of a thousand, or some in a row. With a
    // wake it drops the arrival.
    let arrived = records.switches.count { $0.arrived_tid == tid }
    #expect(wakes.count >= 12 && abs(wakes.count - arrived) <= 3, "\(wakes.count), \(arrived)")
    // TRACE_FLAG_HARDIRQ: what wakes a sleeper is a timer's interrupt.
    #expect(wakes.count { $0.head.flags & 0x08 != 0 } >= 12, "\(wakes.map(\.head.flags))")
    #expect(left.allSatisfy { $0.head.time > before })
    let stacks = records.stacks.filter { $0.tid == tid }
    #expect((1...5).contains(stacks.count), "\(stacks.count)")
    #expect(stacks.allSatisfy { $0.bytes.count > 1_000 && $0.registers.count >= 20 })
    let symbols = KernelSymbols()
    let names = stacks.flatMap { $0.kernel.map { symbols.name(for: $0)?.name ?? "" } }
    #expect(names.contains { $0.contains("nanosleep") }, "\(names)")
  }

  /// usleep with more than it takes: what finds no room in registers, of which there are eight at most, lies on the
  /// stack.
  private typealias Usleep =
    @convention(c) (
      useconds_t, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    ) -> Int32

  /// Sleeps with words on its stack that look like addresses of libraries, and are others each time.
  private static func sleep(besides word: UInt64, by usleep: Usleep) {
    _ = usleep(1_000, word, word, word, word, word, word, word, word, word, word)
  }

  @Test(arguments: [false, true])
  func `what lies on a stack beside addresses of code makes no other stack of it`(
    isCodeKnown: Bool
  ) throws {
    let tid = Self.ownThread()
    let usleep = unsafeBitCast(try #require(dlsym(nil, "usleep")), to: Usleep.self)
    let code = KernelCode.code(of: MemoryMapping.all(of: getpid()), drain: 0..<0)
    let words = withUnsafeBytes(of: code.steps) { Array($0.bindMemory(to: UInt64.self)) }
    // Steps are told apart modulo 4096: one that is none of this program's, wherever it was loaded.
    let step = try #require(
      (0..<words.count * 64).first { step in
        let bit: UInt64 = 1 << UInt64(step % 64)
        return words[step / 64] & bit == 0
      })
    let start: UInt64 = 0x7e00_0000_0000 + UInt64(step) << 21
    let (records, _) = try recorded { programs in
      if isCodeKnown { #expect(programs.tell(code, of: getpid())) }
      for place in UInt64(0)..<100 { Self.sleep(besides: start + place * 16, by: usleep) }
    }
    let count = records.stacks.count { $0.tid == tid }
    if isCodeKnown {
      #expect((1...10).contains(count), "\(count)")
    } else {
      #expect(count >= 90, "\(count)")
    }
  }

  #if !arch(arm64)
    // A server that reads until nothing is left makes as many calls that would have to wait as it gets messages.
    @Test(arguments: [false, true])
    func `calls that would have to wait are told where there are three in a row`(
      findsMuch: Bool
    ) throws {
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { for end in ends { close(end) } }
      let tid = Self.ownThread()
      var byte: UInt8 = 0
      let (records, programs) = try recorded { _ in
        for turn in 0..<600 {
          if findsMuch, turn % 2 == 0 {
            #expect(send(ends[0], &byte, 1, 0) == 1)
            #expect(recv(ends[1], &byte, 1, 0) == 1)
          }
          #expect(recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == -1)
        }
      }
      // The row that stands is not told by itself.
      let place = Int(tid) & Int(LULL_KERNEL_REPEATS - 1) + Int(LULL_KERNEL_REPEATS)
      let told = records.spins.filter { $0.tid == tid && $0.number == 45 }
      let standing = Int(programs.row(at: place).sum.count)
      let count = told.reduce(standing) { $0 + Int($1.head.flags) }
      #expect(count == (findsMuch ? 0 : 600), "\(told.map(\.head.flags))")
    }
  #endif

  @Test func `what is written to an internet socket is told by the socket alone`() throws {
    var local: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &local) == 0)
    let connection = try LoopbackConnection()
    defer {
      for end in local { close(end) }
      connection.close()
    }
    var buffer = [UInt8](repeating: 1, count: 64)
    let (records, _) = try recorded { _ in
      for _ in 0..<50 {
        for end in [connection.near, local[0]] {
          #expect(write(end, buffer, 3) == 3)
          buffer.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: 4)
            #expect(writev(end, &part, 1) == 4)
          }
        }
      }
    }
    func calls(of descriptor: Int32) -> Int {
      records.calls.count { $0.words.0 == UInt64(descriptor) && $0.result > 0 }
    }
    // Of equal calls in a tick the first is told, and of what goes through a socket the first eight.
    #expect(calls(of: connection.near) == 0)
    #expect(calls(of: local[0]) > 0)
    let sent = records.transfers.filter {
      UInt32($0.head.kind) == lull_kernel_send.rawValue && $0.family == UInt16(AF_INET)
    }
    #expect(sent.count >= 8 && sent.allSatisfy { [3, 4].contains($0.result) }, "\(sent.count)")
  }

  @Test func `transfers are exact at full rate, the first few one by one`() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    var buffer = [UInt8](repeating: 1, count: 16)
    let (records, programs) = try recorded { _ in
      for index in 0..<5_000 {
        let size = 1 + index % 7
        #expect(send(ends[0], buffer, size, 0) == size)
        #expect(recv(ends[1], &buffer, 16, 0) == size)
      }
    }
    var transfers = KernelTransfers()
    let sums = transfers.parts(of: programs, now: SystemInfo.monotonicNanoseconds(), after: 0)
      .filter { $0.record.family == UInt16(AF_UNIX) }
    for (isReceive, kind) in [(false, lull_kernel_send), (true, lull_kernel_receive)] {
      let singly = records.transfers.filter {
        UInt32($0.head.kind) == kind.rawValue && $0.family == UInt16(AF_UNIX)
      }
      let added = sums.filter { $0.isReceive == isReceive }
      let count = UInt64(singly.count) + added.reduce(0) { $0 + $1.count }
      let bytes =
        singly.reduce(0) { $0 + UInt64($1.result) }
        + added.reduce(0) { $0 + $1.count * UInt64($1.record.result) }
      // 714 rounds of 28 bytes, and 1 + 2.
      #expect(count == 5_000)
      #expect(bytes == 714 * 28 + 3)
      #expect(singly.count < 1_000, "\(singly.count)")
    }
  }

  @Test func `equal writes are added up, and none is missing`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("lull-\(getpid())")
      .path
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    #expect(file >= 0)
    defer {
      close(file)
      unlink(path)
    }
    let bytes = [UInt8](repeating: 1, count: 64)
    let (records, programs) = try recorded { _ in
      for _ in 0..<20_000 { #expect(write(file, bytes, 1) == 1) }
      for size in 1...60 { #expect(write(file, bytes, size) == size) }
      usleep(1_000)
    }
    let writes = records.calls.filter {
      $0.number == UInt32(SystemCallFilter.write) && $0.words.0 == UInt64(file)
    }
    var repeats = KernelRepeats()
    for call in writes { repeats.began(call, .writes) }
    var rows = records.rows.filter { $0.words.0 == UInt64(file) }.map {
      ($0, repeats.ended($0, .writes).count)
    }
    rows += repeats.standing { programs.row(at: $0) }.map { ($0.call, $0.sum.count) }
    rows += writes.map { ($0, 1) }
    #expect(rows.reduce(0) { $0 + $1.1 } == 20_060)
    #expect(rows.reduce(0) { $0 + Int64($1.1) * $1.0.result } == 20_000 + 60 * 61 / 2)
    #expect(writes.count < 10_000, "\(writes.count)")
    #expect(zip(writes, writes.dropFirst()).allSatisfy { $0.head.time <= $1.head.time })
    // What was told is not told again.
    #expect(repeats.standing { programs.row(at: $0) }.isEmpty)
  }

  @Test func `small reads of files are added up by file, and those of pipes are not told`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("lull-r-\(getpid())")
      .path
    #expect(FileManager.default.createFile(atPath: path, contents: Data(count: 1 << 20)))
    defer { unlink(path) }
    let (first, second) = (open(path, O_RDONLY), open(path, O_RDONLY))
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for descriptor in [first, second] + ends { close(descriptor) } }
    var room = [UInt8](repeating: 1, count: 4096)
    let (records, programs) = try recorded { _ in
      for index in 0..<3_000 {
        #expect(read(first, &room, 1 + index % 50) == 1 + index % 50)
        if index % 7 == 0 { #expect(pread(second, &room, 4096, 0) == 4096) }
        if index % 5 == 0 {
          #expect(write(ends[1], room, 9) == 9)
          #expect(read(ends[0], &room, 9) == 9)
        }
      }
      // Nothing is left there.
      #expect(pread(second, &room, 4096, 1 << 20) == 0)
    }
    var repeats = KernelRepeats()
    for call in records.reads { repeats.began(call, .reads) }
    var sums = records.reads.map { ($0, KernelRepeats.Sum(count: 1, bytes: UInt64($0.result))) }
    sums += records.readRows.map { ($0, repeats.ended($0, .reads)) }
    sums += repeats.standing { programs.row(at: $0) }.filter { $0.sort == .reads }.map {
      ($0.call, $0.sum)
    }
    func sum(of descriptor: Int32) -> KernelRepeats.Sum {
      sums.filter { $0.0.words.0 == UInt64(descriptor) }.reduce(.init(count: 0)) {
        .init(count: $0.count + $1.1.count, bytes: $0.bytes + $1.1.bytes)
      }
    }
    #expect(sum(of: first) == .init(count: 3_000, bytes: 60 * 50 * 51 / 2))
    #expect(sum(of: second) == .init(count: 429, bytes: 429 * 4096))
    #expect(sum(of: ends[0]) == .init(count: 0))
    #expect(records.reads.count < 2_500, "\(records.reads.count)")
  }

  /// As what an interrupt tells while the record that it came into is being made.
  @Test func `what comes while a CPU's ring is busy is in the one that all share`() throws {
    let tid = Self.ownThread()
    // Of `lull_kernel_ring`, which is too large to be a type here: two pages and what the records take.
    let (busyPlace, ringBytes) = (1, 2 * 4096 + Int(LULL_KERNEL_RING_BYTES))
    let count = Int((SystemInfo.onlineCPUs().max() ?? 0) + 1)
    for isBusy in [false, true] {
      var heads: [UInt64] = []
      let (records, programs) = try recorded { programs in
        let memory = try #require(
          lull_bpf_map_memory(lull_bpf_map(programs.programs, "rings"), count * ringBytes))
        defer { lull_bpf_map_unshare(memory, count * ringBytes) }
        let rings = (0..<count).map { memory + $0 * ringBytes / 8 }
        // What began before ends before, and says that nothing is busy.
        programs.remove(getpid())
        usleep(10_000)
        for ring in rings { ring[busyPlace] = isBusy ? 1 : 0 }
        let before = rings.map { $0[0] }
        programs.add(getpid())
        for _ in 0..<50 { usleep(1_000) }
        programs.remove(getpid())
        usleep(10_000)
        heads = zip(rings, before).map { $0[0] - $1 }
        for ring in rings { ring[busyPlace] = 0 }
      }
      #expect(records.switches.count { $0.left_tid == tid } >= 40)
      #expect(programs.lost == 0)
      #expect(heads.contains { $0 > 0 } == !isBusy, "\(heads)")
    }
  }

  @Test func `files are told with the paths that the program named`() throws {
    let folder = FileManager.default.temporaryDirectory.path
    let (old, new) = (folder + "/lull-old-\(getpid())", folder + "/lull-new-\(getpid())")
    let (records, _) = try recorded { _ in
      let file = open(old, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      #expect(file >= 0)
      close(file)
      #expect(rename(old, new) == 0)
      #expect(unlink(new) == 0)
      // What failed is told of none.
      #expect(unlink(new) < 0)
    }
    let own = records.paths.filter { $0.paths.first?.contains("-\(getpid())") == true }
    #expect(own.map(\.paths.first) == [old, old, new])
    #expect(own.map(\.paths.second) == [nil, new, nil])
    let closed = records.calls.filter { $0.number == UInt32(SystemCallFilter.close) }
    #expect(closed.contains { $0.words.0 == UInt64(own[0].call.result) })
  }

  @Test func `nothing is recorded of processes that are none of the target's`() throws {
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/bin/sleep")
    other.arguments = ["5"]
    try other.run()
    defer { other.terminate() }
    usleep(100_000)
    let (records, _) = try recorded { _ in usleep(20_000) }
    let own = getpid()
    #expect(records.switches.allSatisfy { [0, own].contains($0.left_pid) })
    #expect(records.switches.allSatisfy { [0, own].contains($0.arrived_pid) })
    #expect(records.wakes.allSatisfy { $0.pid == own })
  }
}
