import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000

/// The disk signal of a program that writes /data/state anew, with what the recorder read after each close.
private func disk(_ build: (inout TraceBuilder) throws -> Void) throws -> FileUse {
  var builder = TraceBuilder()
  try builder.capture(time: second, rootPid: 100)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "program")
  try build(&builder)
  builder.exit(time: 60 * second, pid: 100, tid: 100)
  let trace = try builder.withFile { try Trace.load(path: $0) }
  let signal = try #require(try Measurement.measure(trace).disk)
  return try #require(signal.files.first { $0.path == "/data/state" })
}

extension TraceBuilder {
  /// Written whole again, 8192 bytes.
  fileprivate mutating func rewrite(at time: UInt64) {
    open(
      time: time, returning: time + 5, tid: 100, path: "/data/state", fd: 5)
    exitSyscall(
      time: time + 3, tid: 100, number: 257, result: 5, arguments: [0, 0, 0o1101])
    exitSyscall(time: time + 10, tid: 100, number: 1, result: 8192, arguments: [5])
    exitSyscall(time: time + 20, tid: 100, number: 3, result: 0, arguments: [5])
  }

  fileprivate mutating func reading(
    at time: UInt64, changed: UInt64? = nil, isEqual: Bool? = nil, path: String = "/data/state"
  ) throws {
    try synthetic(
      ContentEvent(path: path, size: 8192, changedBytes: changed, isEqual: isEqual), time: time,
      pid: 100)
  }
}

struct ContentComparisonTests {
  @Test func `rewrites that were read before and after are compared`() throws {
    let file = try disk { builder in
      for index in 0..<4 {
        builder.rewrite(at: UInt64(2 + index) * second)
        let time = UInt64(2 + index) * second + 1000
        switch index {
        case 0: try builder.reading(at: time)
        case 1: try builder.reading(at: time, changed: 4096, isEqual: false)
        default: try builder.reading(at: time, changed: 0, isEqual: true)
        }
      }
    }
    #expect(file.rewrites == 3 && file.comparedRewrites == 3 && file.equalRewrites == 2)
    #expect(file.changedBytes == 4096 && file.comparedBytes == 3 * 8192)
  }

  @Test func `a content that was missed between two is no comparison`() throws {
    let file = try disk { builder in
      builder.rewrite(at: 2 * second)
      try builder.reading(at: 2 * second + 1000)
      builder.rewrite(at: 3 * second)
      builder.rewrite(at: 4 * second)
      try builder.reading(at: 4 * second + 1000, changed: 0, isEqual: true)
    }
    #expect(file.rewrites == 2 && file.comparedRewrites == 0)
  }

  @Test func `what was read half written is no comparison`() throws {
    let file = try disk { builder in
      builder.rewrite(at: 2 * second)
      try builder.reading(at: 2 * second + 1000)
      builder.open(
        time: 3 * second, returning: 3 * second + 5, tid: 100, path: "/data/state", fd: 5)
      builder.exitSyscall(
        time: 3 * second + 3, tid: 100, number: 257, result: 5, arguments: [0, 0, 0o1101])
      builder.exitSyscall(
        time: 3 * second + 10, tid: 100, number: 1, result: 4096, arguments: [5])
      try builder.reading(at: 3 * second + 15, changed: 0, isEqual: false)
      builder.exitSyscall(
        time: 3 * second + 20, tid: 100, number: 1, result: 4096, arguments: [5])
    }
    #expect(file.rewrites == 1 && file.comparedRewrites == 0)
  }

  @Test func `a file replaced by another is known by its last name`() throws {
    let file = try disk { builder in
      for index in 0..<3 {
        let time = UInt64(2 + index) * second
        builder.open(
          time: time, returning: time + 5, tid: 100, path: "/data/state.tmp", fd: 5)
        builder.exitSyscall(time: time + 10, tid: 100, number: 1, result: 8192, arguments: [5])
        builder.exitSyscall(time: time + 20, tid: 100, number: 3, result: 0, arguments: [5])
        builder.rename(time: time + 30, tid: 100, from: "/data/state.tmp", to: "/data/state")
        try builder.reading(
          at: time + 1000, changed: index > 0 ? 0 : nil, isEqual: index > 0 ? true : nil)
      }
    }
    #expect(file.rewrites == 2 && file.comparedRewrites == 2 && file.equalRewrites == 2)
  }
}
