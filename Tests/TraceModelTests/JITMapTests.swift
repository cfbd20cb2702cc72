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
}
