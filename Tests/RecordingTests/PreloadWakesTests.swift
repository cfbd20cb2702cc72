import CPreloadRing
import Testing

@testable import Recording

@Suite struct PreloadWakesTests {
  private func wake(_ address: UInt64, at time: UInt64) -> lull_record {
    var record = lull_record()
    record.number = lull_number_wake.rawValue
    (record.start, record.end) = (time, time)
    record.arguments.0 = address
    return record
  }

  @Test func `who woke a thread is who did so where it waited, while it did`() {
    var wakes = PreloadWakes()
    wakes.add(wake(0x10, at: 100), by: 7)
    wakes.add(wake(0x10, at: 200), by: 8)
    #expect(wakes.maker(of: .address(0x10), from: 50, to: 120) == 7)
    #expect(wakes.maker(of: .address(0x10), from: 50, to: 220) == 8)
    #expect(wakes.maker(of: .address(0x10), from: 120, to: 180) == nil)
    #expect(wakes.maker(of: .address(0x20), from: 50, to: 220) == nil)
    #expect(wakes.maker(of: .descriptor(0x10), from: 50, to: 220) == nil)
  }

  @Test func `a wait tells who ended it, unless another did later`() {
    func wait(from start: UInt64, to end: UInt64, by tid: UInt64, before: UInt64) -> lull_record {
      var record = lull_record()
      record.number = CallMeaning.Number.futex
      (record.start, record.end) = (start, end)
      record.arguments = (0x10, 0, tid << UInt64(LULL_WAKER_SHIFT) | before)
      return record
    }
    var wakes = PreloadWakes()
    #expect(wakes.maker(endOf: wait(from: 50, to: 200, by: 9, before: 20), from: 50) == 9)
    wakes.add(wake(0x10, at: 100), by: 7)
    wakes.add(wake(0x10, at: 190), by: 8)
    #expect(wakes.maker(endOf: wait(from: 50, to: 200, by: 9, before: 20), from: 50) == 8)
    #expect(wakes.maker(endOf: wait(from: 50, to: 189, by: 9, before: 20), from: 50) == 9)
    #expect(wakes.maker(endOf: wait(from: 50, to: 189, by: 0, before: 0), from: 50) == 7)
    #expect(wakes.maker(endOf: wait(from: 150, to: 180, by: 0, before: 0), from: 150) == nil)
  }

  @Test func `a write to an eventfd wakes, a failed one and one to a file do not`() throws {
    var record = lull_record()
    record.number = UInt32(try #require(CallMeaning.Number.writes.numbers.min()))
    record.descriptor_kind = UInt16(lull_descriptor_event.rawValue)
    (record.start, record.end) = (100, 110)
    record.arguments.0 = 5
    var wakes = PreloadWakes()
    record.result = -11
    wakes.add(record, by: 7)
    #expect(wakes.maker(of: .descriptor(5), from: 50, to: 120) == nil)
    record.result = 8
    wakes.add(record, by: 7)
    #expect(wakes.maker(of: .descriptor(5), from: 50, to: 120) == 7)
    record.descriptor_kind = UInt16(lull_descriptor_file.rawValue)
    record.arguments.0 = 6
    wakes.add(record, by: 7)
    #expect(wakes.maker(of: .descriptor(6), from: 50, to: 120) == nil)
  }

  @Test func `a timer goes off when it was set to, by what was last set before the wait was over`()
  {
    var wakes = PreloadWakes()
    func set(_ first: UInt64, every interval: UInt64 = 0, at time: UInt64) {
      var record = lull_record()
      record.number = CallMeaning.Number.setTimer
      (record.start, record.end) = (time, time)
      record.arguments = (4, first, interval)
      wakes.add(record, by: 7)
    }
    func expiry(_ from: UInt64, _ to: UInt64) -> UInt64? {
      wakes.expiry(of: 4, in: .init(from: from, to: to))
    }
    #expect(expiry(100, 200) == nil)
    set(150, at: 90)
    // Set anew as the wait was just over, and before that is told.
    set(260, at: 205)
    #expect(expiry(100, 200) == 150)
    #expect(expiry(210, 270) == 260)
    // Something else ended it; what was set and taken back does not count.
    #expect(expiry(210, 250) == nil)
    set(0, at: 280)
    #expect(expiry(255, 300) == nil)
    set(400, every: 10, at: 390)
    #expect(expiry(395, 405) == 400)
    #expect(expiry(425, 434) == 430)
    #expect(wakes.expiry(of: 5, in: .init(from: 100, to: 200)) == nil)
    // Of whichever descriptor, and not long before the end.
    #expect(wakes.hasExpiry(before: 405, in: .init(from: 395, to: 405)))
    #expect(!wakes.hasExpiry(before: 395, in: .init(from: 391, to: 395)))
    set(20_000_000, at: 500)
    #expect(wakes.hasExpiry(before: 20_000_100, in: .init(from: 600, to: 20_000_100)))
    #expect(!wakes.hasExpiry(before: 40_000_000, in: .init(from: 600, to: 40_000_000)))
  }

  /// libdispatch's manager waits for timers and for an eventfd in one call, and reads the eventfd a little later.
  @Test func `what was written after a wait, or long before its end, did not end it`() throws {
    let ms: UInt64 = 1_000_000
    var record = lull_record()
    record.number = UInt32(try #require(CallMeaning.Number.writes.numbers.min()))
    record.descriptor_kind = UInt16(lull_descriptor_event.rawValue)
    (record.start, record.end, record.result) = (60 * ms, 60 * ms + 500, 8)
    record.arguments.0 = 5
    var wakes = PreloadWakes()
    let place = PreloadWakes.Place.descriptor(5)
    func ending(_ from: UInt64, _ to: UInt64) -> PreloadWakes.Ending {
      wakes.end(of: .init(from: from * ms, to: to * ms), at: place, toldBy: (to + 3) * ms)
    }
    // Nothing was seen to be written: something must have been.
    #expect(ending(10, 59) == .woken(nil))
    wakes.add(record, by: 7)
    #expect(ending(10, 61) == .woken(7))
    #expect(ending(10, 59) == .byItself)
    #expect(ending(60, 110) == .byItself)
    #expect(ending(120, 130) == .woken(nil))
  }

  @Test func `what is read of a pipe was written to its other end, or to a copy of that`() throws {
    var wakes = PreloadWakes()
    func call(
      _ number: UInt32, _ result: Int64, _ first: UInt64, _ second: UInt64 = 0, at time: UInt64,
      by tid: Int32 = 7
    ) {
      var record = lull_record()
      (record.number, record.result) = (number, result)
      (record.start, record.end) = (time, time)
      record.arguments = (first, second, 0)
      record.descriptor_kind = UInt16(lull_descriptor_pipe.rawValue)
      wakes.add(record, by: tid)
    }
    func writer(_ descriptor: UInt64, _ from: UInt64, _ to: UInt64) -> PreloadWakes.Writer? {
      wakes.writer(of: descriptor, in: .init(from: from, to: to), readAt: to + 1)
    }
    typealias Number = CallMeaning.Number
    let join = UInt32(try #require(Number.joins.numbers.first))
    let copy = UInt32(try #require(Number.duplicates.numbers.min()))
    #expect(writer(4, 10, 100) == .otherProcess)
    call(join, 0, 4, 5, at: 200)
    call(Number.write, 1, 5, at: 250, by: 8)
    #expect(writer(4, 210, 260) == .thread(8))
    #expect(writer(4, 260, 290) == .otherProcess)
    call(copy, 9, 5, at: 300)
    call(Number.write, 1, 9, at: 350, by: 9)
    #expect(writer(4, 310, 360) == .thread(9))
    // To its own end, and to that of another pipe.
    call(Number.write, 1, 4, at: 400, by: 9)
    call(join, 0, 14, 15, at: 410)
    call(Number.write, 1, 15, at: 420, by: 9)
    #expect(writer(4, 390, 430) == .otherProcess)
    // Where an end is of a pipe that is not known it may be that.
    call(Number.write, 1, 30, at: 500, by: 9)
    #expect(writer(31, 490, 510) == nil)
    #expect(writer(4, 490, 510) == .otherProcess)
    call(Number.close, 0, 4, at: 600)
    #expect(writer(4, 590, 620) == .otherProcess)
    call(Number.write, 1, 5, at: 700, by: 9)
    #expect(writer(4, 690, 710) == .otherProcess)
  }

  @Test func `a signal was sent to the thread, or to its process`() {
    var wakes = PreloadWakes()
    wakes.add(wake(0x101, at: 100), by: 7)
    wakes.add(wake(UInt64(LULL_PROCESS_SIGNALS), at: 200), by: 8)
    #expect(wakes.sender(to: 0x101, from: 50, to: 150) == 7)
    #expect(wakes.sender(to: 0x101, from: 50, to: 250) == 8)
    #expect(wakes.sender(to: 0x201, from: 50, to: 150) == nil)
    #expect(wakes.sender(to: 0x201, from: 150, to: 250) == 8)
  }

  @Test func `many wakes of one place take bounded memory, and the last is known`() {
    var wakes = PreloadWakes()
    for time in 1...100_000 as ClosedRange<UInt64> { wakes.add(wake(0x10, at: time), by: 7) }
    #expect(wakes.maker(of: .address(0x10), from: 99_990, to: 100_000) == 7)
    #expect(wakes.maker(of: .address(0x10), from: 1, to: 1000) == nil)
    wakes.forget(before: 10_000_000_000)
    #expect(wakes.maker(of: .address(0x10), from: 99_990, to: 100_000) == nil)
  }
}
