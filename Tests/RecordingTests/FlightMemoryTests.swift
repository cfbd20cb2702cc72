import PerfData
import TestSupport
import Testing

@testable import Recording

/// What a recording keeps in memory, and what it tells of waits that go on.
struct FlightMemoryTests {
  private static let capture = CaptureEvent(mode: .attach, scope: .system, rootPid: 1)

  private func append(_ count: Int, to memory: FlightMemory) {
    [UInt8](repeating: 7, count: count).withUnsafeBytes { memory.append($0) }
  }

  @Test func `at least so long is kept, and no more than a part longer`() {
    let memory = FlightMemory(length: 30, limit: 1 << 20, now: 0)
    for time in stride(from: UInt64(5), through: 1000, by: 5) {
      append(100, to: memory)
      memory.beginPart(at: time, ending: Self.capture, standing: [1, 2])
      let oldest = memory.parts[0].began
      #expect(time < 30 ? oldest == 0 : time - oldest >= 30 && time - oldest < 35)
    }
    #expect(memory.ended.count == 6)
    #expect(memory.dataBytes == 20_000)
  }

  @Test func `no more bytes are kept than there is room for, whatever comes`() {
    let limit = 8 << 20
    let memory = FlightMemory(length: .max, limit: limit, now: 0)
    var most = 0
    for round in 0..<2000 {
      append(100_000, to: memory)
      most = max(most, memory.count)
      guard memory.isLarge else { continue }
      memory.beginPart(
        at: UInt64(round), ending: Self.capture, standing: [UInt8](repeating: 0, count: 5000))
    }
    #expect(most <= limit + limit / 8 + 100_000)
    #expect(most > limit / 2)
    // Chunks hold all that the parts count.
    for part in memory.parts { #expect(part.chunks.reduce(0) { $0 + $1.count } == part.count) }
  }

  @Test func `a wait that goes on is told by its stack and a switch, one that is over is not`()
    throws
  {
    let attribute = SyntheticEvent.mark.attribute(ids: [5])
    func blocks(_ tid: Int32, _ time: UInt64) -> [UInt8] {
      RecordBuilder.sample(
        attribute: attribute, id: 5, time: time, pid: 10, tid: tid, cpu: 0, raw: [1, 2, 3, 4])
    }
    var waits = StandingWaits()
    waits.left(11, at: 100, blocks(11, 100))
    waits.left(12, at: 100, blocks(12, 100))
    waits.arrived(12, at: 150)
    // Its second wait is in a ring that is read after the one that tells of its end.
    waits.arrived(13, at: 300)
    waits.left(13, at: 200, blocks(13, 200))
    waits.left(14, at: 100, blocks(14, 100))
    waits.ended(14)
    let records = waits.records(at: 1000, id: 5)
    #expect(
      records == [
        blocks(11, 1000),
        RecordBuilder.contextSwitch(.left, pid: 10, tid: 11, time: 1000, id: 5),
      ])
  }

  // Whoever had got the CPU as a wait began ran from the part's beginning on, by what was told of the wait.
  @Test func `a wait that goes on gives its CPU to nobody`() throws {
    let event = BuiltTracepoint.schedSwitchStack
    var spec = EventSpec(
      name: event.rawValue, kind: .tracepoint, config: UInt64(event.id), purpose: .mainThread)
    spec.fields = [.base, .callchain, .raw]
    spec.format = event.formatText
    let attribute = EventAttribute(
      type: 2, config: spec.config, sampleType: spec.fields, ids: [5], name: spec.name)
    func blocks(_ time: UInt64, next: Int64, named name: String) -> [UInt8] {
      RecordBuilder.sample(
        attribute: attribute, id: 5, time: time, pid: 10, tid: 11, cpu: 0, callchain: [7, 8, 9],
        raw: event.payload(
          ["prev_pid": 11, "prev_state": 1, "next_pid": next, "next_prio": 120],
          texts: ["prev_comm": "waiter", "next_comm": name]))
    }
    var waits = StandingWaits([spec])
    waits.left(11, at: 100, blocks(100, next: 12, named: "other"))
    let records = waits.records(at: 1000, id: 5)
    #expect(records.first == blocks(1000, next: 0, named: ""))
  }
}
