import CPreloadRing
import Glibc
import PerfData
import Quantities
import Testing

@testable import Recording

@Suite struct PreloadThreadTests {
  private let file = CallMeaning(function: "vfs_read", onlyWaits: false)

  /// So many calls one after another, of which each takes 30 µs and uses the CPU for some of them.
  private func told(
    calls: Int, using used: UInt64, of meanings: [CallMeaning]
  ) -> [PreloadThread.Wait] {
    let thread = PreloadThread(tid: 1, began: 0, processor: 0)
    var processor: UInt64 = 0
    return (0..<calls).compactMap { call in
      let start = UInt64(call) * 30_000
      defer { processor += used }
      return thread.call(
        from: start, to: start + 30_000, meanings[call % meanings.count],
        use: PreloadUse(processor: processor + used, processorBefore: processor, waits: 0)
      ).wait
    }
  }

  @Test(arguments: [(25_000, 5_000), (12_000, 18_000), (1_000, 29_000)] as [(UInt64, UInt64)])
  func `waits too short to be told are told together`(used: UInt64, off: UInt64) {
    let waits = told(calls: 100, using: used, of: [file])
    let sum = waits.reduce(0) { $0 + $1.to - $1.from }
    #expect(sum <= 100 * off && sum > 100 * off - 30_000, "\(sum) of \(100 * off)")
    #expect(waits.allSatisfy { $0.to - $0.from >= 20_000 })
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0.to <= $1.from })
  }

  @Test func `a wait of one kind is not told as another's`() {
    let socket = CallMeaning(function: "tcp_recvmsg", onlyWaits: false)
    #expect(told(calls: 100, using: 20_000, of: [file, socket]).isEmpty)
  }

  // What a busy thread waits in calls that are too short to be told, and for a CPU, is missing between its waits in
  // pieces for which no one gap has room: its CPU time was up to 42 % too high.
  @Test func `what is run comes to the CPU time that was read`() {
    let thread = PreloadThread(tid: 1, began: 0, processor: 0)
    let socket = CallMeaning(function: "tcp_recvmsg", onlyWaits: true)
    var off: UInt64 = 0
    var processor: UInt64 = 0
    for round in 0..<UInt64(2000) {
      // 50 µs, in 30 of which it runs, and 40 in a call.
      let start = round * 90_000 + 50_000
      processor += 30_000
      let told = thread.call(from: start, to: start + 40_000, socket, use: nil).wait
      if let told { off += told.keptBefore + told.to - told.from }
      guard round % 100 == 99 else { continue }
      let reading = thread.read(
        PreloadUse(processor: processor, waits: 2 * round), at: start + 40_000)
      off += reading?.brief?.length ?? 0
      if let unseen = reading?.unseen { off += unseen.to - unseen.from }
    }
    let run = 2000 * 90_000 - off
    #expect(run > processor && run < processor / 100 * 105, "\(run) of \(processor)")
  }

  /// Half a CPU's time in 10 ms, with so many times that the thread went to sleep.
  private func reading(waits: UInt64) -> PreloadThread.Reading? {
    let thread = PreloadThread(tid: 1, began: 0, processor: 0)
    return thread.read(PreloadUse(processor: 5_000_000, waits: waits), at: 10_000_000)
  }

  @Test func `who did not go to sleep had no CPU`() {
    let awake = reading(waits: 0)
    #expect(awake?.unseen?.isInvoluntary == true && awake?.brief == nil)
    #expect(awake?.unseen.map { $0.to - $0.from } == 5_000_000)
    #expect(reading(waits: 1)?.unseen?.isInvoluntary == false)
  }

  /// A call of 10 ms with 4 ms of CPU time in which the thread went to sleep so many times.
  private func sync(times: UInt64) -> (wait: PreloadThread.Wait?, reading: PreloadThread.Reading?) {
    let thread = PreloadThread(tid: 1, began: 0, processor: 0)
    return thread.call(
      from: 1_000_000, to: 11_000_000, CallMeaning(function: "do_fsync", onlyWaits: false),
      use: PreloadUse(
        processor: 5_000_000, processorBefore: 1_000_000, waits: times + 3, waitsBefore: 3))
  }

  @Test(arguments: [1, 2, 3, 40] as [UInt64])
  func `a call in which its thread waits several times is as many waits`(times: UInt64) throws {
    let (told, reading) = sync(times: times)
    let wait = try #require(told)
    #expect(wait.timesTold == times && !wait.isInvoluntary)
    var pieces: [(from: UInt64, to: UInt64)] = []
    wait.forEachPiece(from: wait.from) { pieces.append(($0, $1)) }
    #expect(pieces.count == Int(times))
    let sum = pieces.reduce(0) { $0 + $1.to - $1.from }
    #expect(sum <= 6_000_000 && sum > 6_000_000 - times)
    #expect(pieces[0].from == 1_000_000 && pieces.allSatisfy { $0.to <= 11_000_000 })
    #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.to < $1.from })
    #expect(reading?.brief?.count == 3 && reading?.brief?.within == 0..<1_000_000)
  }

  /// A write of 10 ms to a pipe, of which nothing was read as it began, with so much CPU time; the thread's was read
  /// as it began, 1 ms before.
  private func write(using used: UInt64, times: UInt64) -> PreloadThread.Wait? {
    let thread = PreloadThread(tid: 1, began: 1_000_000, processor: 7_000_000, waits: 2)
    return thread.call(
      from: 2_000_000, to: 12_000_000, CallMeaning(function: "pipe_write", onlyWaits: false),
      use: PreloadUse(processor: 8_000_000 + used, waits: 2 + times)
    ).wait
  }

  // It was told as blocked for all of the 10 ms.
  @Test func `a long call that worked is off its CPU for what its CPU time leaves`() throws {
    #expect(write(using: 10_000_000, times: 1) == nil)
    let part = try #require(write(using: 4_000_000, times: 1))
    #expect(!part.isInvoluntary && part.to - part.from == 6_000_000)
    let preempted = try #require(write(using: 4_000_000, times: 0))
    #expect(preempted.isInvoluntary && preempted.timesTold == 0)
    let waited = try #require(write(using: 0, times: 1))
    #expect(waited.to - waited.from == 10_000_000 && waited.timesTold == 1)
  }

  @Test func `a call in which its thread did not go to sleep had no CPU`() throws {
    let wait = try #require(sync(times: 0).wait)
    #expect(wait.isInvoluntary && wait.timesTold == 0 && wait.to - wait.from == 6_000_000)
  }

  @Test func `who was not heard of for longer than between samples did not run`() {
    let thread = PreloadThread(tid: 1, began: 0, processor: 0)
    _ = thread.read(PreloadUse(processor: 5_000_000, waits: 0), at: 10_000_000)
    #expect(thread.silence(until: 40_000_000) == nil)
    let unseen = thread.silence(until: 2_000_000_000)?.unseen
    #expect(unseen?.from == 10_000_000 && unseen?.to == 2_000_000_000)
    #expect(thread.silence(until: 2_000_000_000) == nil)
  }

  @Test func `each time that a thread went to sleep is told once`() {
    let reading = reading(waits: 30)
    #expect(reading?.brief?.count == 30 && reading?.brief?.length == 5_000_000)
    #expect(reading?.brief?.within == 0..<10_000_000 && reading?.unseen == nil)
    let thread = PreloadThread(tid: 1, began: 0, processor: 0)
    let sleep = CallMeaning(function: "hrtimer_nanosleep", onlyWaits: true)
    let use = PreloadUse(processor: 2_000_000, waits: 1)
    let (wait, told) = thread.call(from: 2_000_000, to: 9_000_000, sleep, use: use)
    #expect(wait != nil && told?.brief == nil && told?.unseen == nil)
  }

  // MARK: - Sleeps beside queues

  /// What is told of a call of 10 ms by a thread that queued for a CPU for as long, as far as /proc tells.
  private func sleepsTold(
    _ number: UInt32, _ use: PreloadUse?, then later: PreloadUse? = nil
  ) throws -> UInt64 {
    let options = RecordingOptions(target: .command(["x"]), outputPath: Scratch.path())
    let folder = try PreloadFolder(options)
    defer { folder.remove() }
    let book = ProcessBook(root: 1, interval: TimeSpan(seconds: 1), programs: .events)
    let source = PreloadSource(
      folder: folder, door: nil, options: options, processes: book, root: 1, own: [])
    let (thread, process) = (
      PreloadThread(tid: getpid(), began: 0, processor: 0), PreloadProcess(getpid(), [], at: 0)
    )
    source.runDelays.left[getpid()] = 1_000_000_000
    var record = lull_record()
    (record.number, record.start, record.end) = (number, 1_000_000, 11_000_000)
    var output = RecordBytes()
    _ = source.tellWait(
      in: record, PreloadParts(use: use), of: process, thread, into: &output)
    if let later {
      source.tell(thread.read(later, at: 12_000_000), process, thread.tid, into: &output)
    }
    return process.toldWaits
  }

  // Of a busy machine's fsync all was told as a queue for a CPU, and none of its waits, which were counted as told.
  @Test func `what slept is told to have slept, however long it queued for a CPU`() throws {
    var use = PreloadUse(
      processor: 1_000_000, processorBefore: 1_000_000, waits: 4, waitsBefore: 0)
    #expect(try sleepsTold(CallMeaning.Number.fsync, use) == 4)
    use.waitsBefore = 4
    #expect(try sleepsTold(CallMeaning.Number.fsync, use) == 4, "before the call")
    // Of a write it is known how often its thread slept since its CPU time was last read.
    #expect(
      try sleepsTold(UInt32(SystemCallFilter.write), PreloadUse(processor: 1_000_000, waits: 1))
        == 1)
    #expect(
      try sleepsTold(UInt32(SystemCallFilter.write), PreloadUse(processor: 1_000_000, waits: 5))
        == 5)
  }

  @Test func `what is told as a queue for a CPU is no sleep, and is told by the next reading`()
    throws
  {
    #expect(try sleepsTold(UInt32(SystemCallFilter.write), nil) == 0)
    let later = PreloadUse(processor: 2_000_000, waits: 1)
    #expect(try sleepsTold(UInt32(SystemCallFilter.write), nil, then: later) == 1)
  }

  @Test func `who writes works, who reads waits, unless there was nothing to read`() {
    let us: UInt64 = 1_000
    func waits(
      _ number: Int?, _ kind: lull_descriptor_kind, result: Int64 = 8, for length: UInt64
    ) -> Bool {
      var record = lull_record()
      record.number = UInt32(number ?? 0)
      record.descriptor_kind = UInt16(kind.rawValue)
      record.result = result
      let thread = PreloadThread(tid: 7, began: 0, processor: 0)
      return thread.call(from: 10 * us, to: 10 * us + length, CallMeaning(record), use: nil).wait
        != nil
    }
    let read = CallMeaning.Number.reads.numbers.min()
    let write = CallMeaning.Number.writes.numbers.min()
    for kind in [lull_descriptor_event, lull_descriptor_tcp, lull_descriptor_pipe] {
      #expect(!waits(write, kind, for: 300 * us) && waits(write, kind, for: 3_000 * us))
      #expect(waits(read, kind, for: 300 * us) && !waits(read, kind, for: 10 * us))
      #expect(!waits(read, kind, result: -11, for: 300 * us))
      // A socket may have a time limit.
      #expect(waits(read, kind, result: -11, for: 3_000 * us))
    }
  }
}
