import Dispatch
import Quantities
import TestSupport
import Testing

@testable import PerfData

/// Both sides take their time at random, so that each waits for the other now and then.
@Suite(.timeLimit(.minutes(1)))
struct RoundQueueTests {
  @Test(arguments: [(0, 20), (20, 0), (20, 20)])
  func `parts come out as they went in`(readerDelay: UInt64, takerDelay: UInt64) {
    let queue = RoundQueue()
    let reading = DispatchQueue(label: "reader")
    reading.async {
      var random = SeededGenerator(seed: 1)
      for number in 0..<1000 {
        let part = queue.empty()
        part.count = 0
        part.earliest = UInt64(number)
        Self.pass(readerDelay, &random)
        if !queue.put(part) { break }
      }
      var times = PassTimes()
      times.note(1000)
      queue.end(times)
    }
    var random = SeededGenerator(seed: 2)
    var read: RecordPart?
    var numbers: [UInt64] = []
    while let part = queue.take(read, beside: { false }) {
      numbers.append(part.earliest)
      Self.pass(takerDelay, &random)
      read = part
    }
    #expect(numbers == Array(0..<1000))
    #expect(queue.times.latest == 1000)
  }

  @Test func `a reader that nobody listens to any more ends`() {
    let queue = RoundQueue()
    let reading = DispatchQueue(label: "reader")
    reading.async { while queue.put(queue.empty()) {} }
    var read: RecordPart?
    for _ in 0..<3 { read = queue.take(read, beside: { false }) }
    queue.abandon()
    reading.sync {}
    #expect(!queue.put(RecordPart()))
  }

  /// Some of the time that a wakeup takes, most times none.
  private static func pass(_ most: UInt64, _ random: inout SeededGenerator) {
    guard most > 0, random.next() % 8 == 0 else { return }
    let end = DispatchTime.now().uptimeNanoseconds + random.next() % (most * 10_000)
    while DispatchTime.now().uptimeNanoseconds < end {}
  }
}
