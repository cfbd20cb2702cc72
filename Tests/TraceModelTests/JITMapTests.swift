import Foundation
import PerfData
import TestSupport
import Testing

@testable import TraceModel

struct JITMapTests {
  @Test func `code that a process made has the names that it wrote for perf`() throws {
    // Above the largest id that a process can have.
    let pid: Int32 = 4_194_304 + 7
    let path = "/tmp/perf-\(pid).map"
    let text =
      "7f0010 20 LazyCompile:~work app.js:3\n0x7f0030 0x10 Function:idle\nno line\nffff ffffffffffffffff x\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    let trace = try traceOf { builder in
      builder.comm(time: second, pid: pid, tid: pid, name: "node")
      builder.mmap(time: second, pid: pid, start: 0x7f0000, length: 0x1000, path: "//anon")
      builder.mmap(time: second, pid: pid, start: 0x9000, length: 0x1000, path: "/bin/none")
      for (index, address) in [UInt64(0x7f0018), 0x7f0034, 0x7f0044, 0x9010].enumerated() {
        builder.processorSample(
          time: second + UInt64(index + 1) * millisecond, pid,
          callchain: [CallchainContext.user, address])
      }
    }
    let names = trace.processorSamples.map { sample in
      sample.stack.flatMap { trace.stacks.frames(of: $0).first?.displayName } ?? ""
    }
    #expect(names[0] == "LazyCompile:~work app.js:3" && names[1] == "Function:idle")
    #expect(!names[2].contains("Function") && names[3].hasPrefix("/bin/none"), "\(names)")
  }

  /// As the specification lays it out.
  @Test func `code in a jitdump has its names, and keeps them when it is moved`() throws {
    let path = "/tmp/jit-\(getpid())-\(UInt32.random(in: 0...(.max))).dump"
    defer { unlink(path) }
    func words(_ values: [UInt64]) -> [UInt8] {
      values.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    }
    func record(_ kind: UInt64, _ body: [UInt8]) -> [UInt8] {
      words([kind | UInt64(16 + body.count) << 32, 1]) + body
    }
    func load(_ address: UInt64, _ number: UInt64, _ name: String) -> [UInt8] {
      record(
        0,
        words([7 | 7 << 32, address, address, 0x20, number]) + Array(name.utf8) + [0]
          + [UInt8](repeating: 0x90, count: 0x20))
    }
    let dump =
      words([0x4a69_5444 | 1 << 32, 40 | 62 << 32, 7 << 32, 0, 0])
      + load(0x7f0010, 1, "LCompute.run()") + record(2, words([7, 0x7f0010, 0]))
      + load(0x7f0100, 2, "LIdle.spin()")
      + record(1, words([7 | 7 << 32, 0, 0x7f0100, 0x7f0200, 0x20, 2]))
      // Torn: the process was killed as it wrote.
      + words([0 | 4096 << 32, 1])
    try Data(dump).write(to: URL(fileURLWithPath: path))
    let trace = try traceOf { builder in
      builder.comm(time: second, pid: 7, tid: 7, name: "java")
      builder.mmap(time: second, pid: 7, start: 0x7f0000, length: 0x1000, path: "//anon")
      builder.mmap(time: second, pid: 7, start: 0x9000, length: 0x1000, path: path)
      for (index, address) in [UInt64(0x7f0018), 0x7f0210, 0x7f0300].enumerated() {
        builder.processorSample(
          time: second + UInt64(index + 1) * millisecond, 7,
          callchain: [CallchainContext.user, address])
      }
    }
    let names = trace.processorSamples.map { sample in
      sample.stack.flatMap { trace.stacks.frames(of: $0).first?.displayName } ?? ""
    }
    #expect(names[0] == "LCompute.run()" && names[1] == "LIdle.spin()")
    #expect(!names[2].hasPrefix("L"), "\(names)")
  }
}
