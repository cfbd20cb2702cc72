import Foundation
import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct RedactedJobTests {
  private static let second: UInt64 = 1_000_000_000
  /// What a job's caller was thought to be, and was text: `swordfis`.
  private static let text = UInt64(
    littleEndian: Data("swordfis".utf8).withUnsafeBytes { $0.load(as: UInt64.self) })

  @Test func `what a job is called stays, and what was text among its addresses does not`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    var builder = TraceBuilder(withJobs: true)
    try builder.capture(time: Self.second, rootPid: 100)
    try builder.process(time: Self.second, pid: 100)
    builder.switchIn(time: Self.second, 100)
    for index in 0..<4 {
      let time = Self.second + UInt64(index + 1) * 1_000_000
      builder.job(
        time: time, until: time + 1000, tid: 100, job: 7, resume: 0x40_1000, caller: Self.text)
    }
    builder.exit(time: 2 * Self.second, pid: 100, tid: 100)
    try builder.synthetic(
      SymbolEvent(id: 0, function: "work()", module: "program", isProgram: true),
      time: 2 * Self.second, pid: 100)
    let place = try #require(
      JobPlace {
        ["resume": 0x40_1000, "executor": 0, "flags": 0, "caller": Int64(Self.text)]["\($0)"]
      })
    try builder.synthetic(
      StackEvent(time: .max >> 1, tid: 100, frames: [0], keys: [place.key(pid: 100)]),
      time: 2 * Self.second, pid: 100)
    let copy = folder.path + "/copy"
    let functions = try builder.withFile { path in
      try Redaction.redact(tracePath: path, to: copy)
      return try Trace.load(path: path).jobs.map(\.function?.function)
    }
    #expect(functions == Array(repeating: "work()", count: 4))
    #expect(try Trace.load(path: copy).jobs.map(\.function?.function) == functions)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
    #expect(bytes.range(of: Data("swordfis".utf8)) == nil)
  }

  @Test(arguments: [1, UInt64.random(in: 0 ... .max)])
  func `an address is found where one of many ranges has it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var ranges = AddressRanges()
    var all: [Range<UInt64>] = []
    for _ in 0..<300 {
      let start = UInt64.random(in: 0..<2000, using: &random)
      let range = start..<start + UInt64.random(in: 0..<12, using: &random)
      ranges.insert(range)
      all.append(range)
      for address in 0..<UInt64(2020) where address % 7 == 0 || address == start {
        #expect(ranges.contains(address) == all.contains { $0.contains(address) })
      }
    }
  }
}
