import Foundation
import PerfData
import Quantities
import TestSupport
import Testing

struct SyntheticEventTests {
  @Test func `a footprint's words come back in order`() throws {
    var sample = FootprintSample()
    sample.anonymous = 1
    sample.swapped = 4
    sample.threadCount = 19
    sample.huge = 64
    let bytes = sample.encoded()
    #expect(bytes.count == 168)
    #expect(bytes[0] == 1)
    #expect(bytes[24] == 4)
    #expect(bytes[18 * 8] == 19)
    #expect(FootprintSample(decoding: RawPayload(bytes: bytes)) == sample)
    #expect(FootprintSample(decoding: RawPayload(bytes: Array(bytes[..<100]))) == nil)
    #expect(sample.footprint == 69)
    // A trace of before.
    sample.huge = 0
    #expect(FootprintSample(decoding: RawPayload(bytes: Array(bytes[..<160]))) == sample)
  }

  @Test func `a payload comes back through a trace`() throws {
    var builder = TraceBuilder()
    let event = ProcessEvent(
      pid: 5, parentPid: 1, kind: .attach, executable: "/a\"b", commandLine: ["ä", ""],
      isSwift: true, threads: [ProcessEvent.Thread(tid: 6, name: "x")])
    try builder.synthetic(event, time: 10, pid: 5)
    let counter = CounterEvent(name: "n", value: .infinity, final: true)
    try builder.synthetic(counter, time: 11)
    let file = try builder.file()
    let records = file.orderedRecords().filter { $0.type == RecordType.sample }
    let first = try file.sample(records[0])
    #expect(try ProcessEvent(decoding: #require(first.raw)) == event)
    #expect(records[0].size % 8 == 0)
    let attribute = try #require(file.attribute(of: records[0]))
    #expect(SyntheticEvent(attribute: attribute) == .process)
    let second = try file.sample(records[1])
    #expect(try CounterEvent(decoding: #require(second.raw)) == counter)
  }

  @Test func `a stack is read as a JSON library reads it, or left to that`() throws {
    let events = [
      StackEvent(time: 0, tid: 0, frames: []),
      StackEvent(time: 1, tid: 7, frames: [-1], complete: false),
      StackEvent(time: UInt64(Int64.max), tid: Int(Int32.max), frames: [0, 12, -1, 345_678]),
      StackEvent(time: 5, tid: 7, frames: [3], later: [1]),
      StackEvent(time: 5, tid: 7, frames: [3, 4], later: [1_000_000, 0, 12]),
      StackEvent(time: 5, tid: 0, frames: [3, 4], keys: [Int.max >> 1, 0, 12]),
      StackEvent(time: 5, tid: 0, frames: [3, 4], later: [7], keys: []),
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for event in events {
      #expect(try event.encoded() == Array(encoder.encode(event)))
      for padding in [[], [0x20, 0x20], [0, 0, 0]] as [[UInt8]] {
        let bytes = try event.encoded() + padding
        #expect(bytes.withUnsafeBytes { StackEvent(scanning: $0) } == event)
        #expect(try StackEvent(decoding: RawPayload(bytes: bytes)) == event)
      }
      // Cut short anywhere it is no stack.
      let bytes = try event.encoded()
      for count in bytes.indices {
        #expect(bytes[..<count].withUnsafeBytes { StackEvent(scanning: $0) } == nil)
      }
    }
    // What is JSON of another form, or none, is not guessed at.
    for text in [
      "", "{}", #"{"complete":true,"frames":[1,],"tid":1,"time":1}"#,
      #"{"complete":true,"frames":[1.5],"tid":1,"time":1}"#,
      #"{"complete":true, "frames":[1],"tid":1,"time":1}"#,
      #"{"complete":true,"frames":[99999999999999999999],"tid":1,"time":1}"#,
      #"{"complete":true,"frames":[1],"tid":1,"time":-1}"#,
      #"{"complete":true,"frames":[1],"tid":1,"time":1}x"#,
      #"{"complete":true,"frames":[1],"later":[1,],"tid":1,"time":1}"#,
      #"{"complete":true,"frames":[1],"later":1,"tid":1,"time":1}"#,
      #"{"complete":true,"frames":[1],"keys":[1,],"tid":1,"time":1}"#,
      #"{"complete":true,"frames":[1],"later":[1],"keys":[1],"tid":1,"time":1}"#,
    ] {
      #expect(Array(text.utf8).withUnsafeBytes { StackEvent(scanning: $0) } == nil, "\(text)")
    }
  }

  @Test func `samples with the same stack are told by the time between them`() {
    func times(_ later: [Int]?) -> [UInt64] {
      StackEvent(time: 1_000, tid: 1, frames: [1], later: later).times
    }
    #expect(times(nil) == [1_000])
    #expect(times([5, 0, 100]) == [1_000, 1_005, 1_005, 1_105])
    // What no time can be is not guessed at.
    #expect(times([5, -1, 7]) == [1_000, 1_005])
    #expect(times([Int.max, Int.max, Int.max]).count == 2)
  }

  @Test(arguments: [0, 60_000, 65_480, 65_481, 70_000, 400_000])
  func `a payload longer than a record is written in parts`(length: Int) throws {
    let event = CounterEvent(name: String(repeating: "x", count: length), value: 1)
    let whole = try event.encoded()
    let parts = SyntheticParts.split(whole)
    #expect((parts.count == 1) == (whole.count <= RecordBuilder.largestRawPayload))
    #expect(parts.allSatisfy { $0.count <= RecordBuilder.largestRawPayload })
    var joiner = SyntheticJoiner()
    let joined = parts.map { part in
      // As a record's alignment has it.
      joiner.add(RawPayload(bytes: part + [0x20, 0x20]), of: .counter)
    }
    #expect(joined.dropLast().allSatisfy { $0 == nil })
    #expect(try CounterEvent(decoding: #require(joined.last ?? nil)) == event)
  }

  @Test func `a payload of which a part is missing is none`() throws {
    let event = CounterEvent(name: String(repeating: "x", count: 200_000), value: 1)
    let parts = SyntheticParts.split(try event.encoded()).map { RawPayload(bytes: $0) }
    #expect(parts.count == 4)
    for missing in parts.indices {
      var joiner = SyntheticJoiner()
      var kept = parts
      kept.remove(at: missing)
      #expect(kept.allSatisfy { joiner.add($0, of: .counter) == nil }, "\(missing)")
      // The next one is whole again.
      #expect(parts.compactMap { joiner.add($0, of: .counter) }.count == 1)
      // Those of another event have nothing to do with it.
      _ = joiner.add(parts[0], of: .counter)
      #expect(joiner.add(parts[1], of: .mark) == nil)
    }
  }

  @Test func `bytes that are no payload are an error`() {
    let raw = RawPayload(bytes: Array("{]".utf8))
    #expect(throws: PerfDataError.self) { _ = try CaptureEvent(decoding: raw) }
  }

  @Test func `times add and subtract`() {
    let a = Timestamp(nanoseconds: 5)
    let b = Timestamp(nanoseconds: 8)
    #expect((a - b).nanoseconds == -3)
    #expect(a + (b - a) == b)
    #expect(TimeSpan(seconds: 1.5).nanoseconds == 1_500_000_000)
    #expect(TimeSpan(seconds: .nan) == .zero)
    #expect(TimeSpan(seconds: 1e300).nanoseconds == .max)
  }
}
