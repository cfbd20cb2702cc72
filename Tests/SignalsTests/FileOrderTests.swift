import TestSupport
import Testing
import TraceModel

@testable import Signals

@Suite struct FileOrderTests {
  // A redacted recording told its files in another order than the one it was made from.
  @Test(arguments: [["/srv/z", "/srv/a"], ["/srv/n1", "/srv/n2"]])
  func `files alike in bytes stand in the order of their first use, whatever they are called`(
    paths: [String]
  ) throws {
    let second: UInt64 = 1_000_000_000
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    for (index, path) in paths.enumerated() {
      let (fd, time) = (UInt64(5 + index), second * UInt64(2 + index))
      builder.open(time: time, tid: 100, path: path, fd: Int(fd))
      builder.exitSyscall(
        time: time + 1000, tid: 100, number: 1, result: 512, arguments: [fd, 0, 512])
    }
    builder.exit(time: second * 7, pid: 100, tid: 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let disk = try #require(try Measurement.measure(trace).disk)
    #expect(disk.files.map(\.path) == paths)
  }
}
