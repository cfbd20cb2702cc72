import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

struct SpinMeasureTests {
  private static let start: UInt64 = 1_000_000_000

  /// What is told of calls of one thread; each is a number with its fourth word, 0.1 ms apart.
  private func spins(
    recorder: String? = nil, _ calls: [(number: Int, fourth: UInt64)], period: UInt64 = 1,
    besides add: (inout TraceBuilder) -> Void = { _ in }
  ) throws -> SpinSignal? {
    var builder = TraceBuilder(withSpins: true)
    try builder.capture(time: Self.start, rootPid: 100, recorder: recorder)
    try builder.process(time: Self.start, pid: 100)
    for (index, call) in calls.enumerated() {
      builder.exitSyscall(
        time: Self.start + UInt64(index + 1) * 100_000, tid: 100, number: call.number, result: -11,
        arguments: [5, 0, 0, call.fourth], period: period, as: .spin)
    }
    add(&builder)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    return try Measurement.measure(trace, options: .init()).spins
  }

  // Two threads at a mutex: a futex whose value had changed (EAGAIN) would not have slept. It was taken for a busy
  // wait, as were times that were over and threads that could not be made.
  @Test(
    arguments: [
      ("futex", 202, 0, 0), ("rt_sigtimedwait", 128, 0, 0), ("clone", 56, 0, 0),
      ("io_uring_enter", 426, 0, 0), ("semtimedop with a time", 220, 0x7ffd_1234, 0),
      ("semtimedop without", 220, 0, 5), ("recvfrom", 45, 0, 5), ("read", 0, 0, 5),
      ("flock", 73, 0, 5),
    ] as [(String, Int, UInt64, Int)])
  func `only what would have had to wait is a call that would have blocked`(
    name: String, number: Int, fourth: UInt64, count: Int
  ) throws {
    let signal = try spins(Array(repeating: (number, fourth), count: 5))
    #expect(signal?.emptyReads == count, "\(name)")
  }

  // A server that reads until nothing is left: each message ends with one such call.
  @Test func `what a thread receives in between ends a row`() throws {
    let calls = Array(repeating: (number: 45, fourth: UInt64(0)), count: 9)
    let server = try spins(calls) { builder in
      for index in 0..<9 {
        builder.receive(
          time: Self.start + UInt64(index) * 100_000 + 50_000, tid: 100, socket: 7, bytes: 5,
          family: 1)
      }
    }
    #expect(server?.emptyReads == 0)
    let once = try spins(calls) { builder in
      builder.receive(time: Self.start + 250_000, tid: 100, socket: 7, bytes: 5)
    }
    #expect(once?.emptyReads == 7)
  }

  @Test func `a sample of many is no row, but what the kernel counted is`() throws {
    let call = [(number: 45, fourth: UInt64(0))]
    #expect(try spins(call, period: 8)?.emptyReads == 0)
    #expect(try spins(call + call + call, period: 8)?.emptyReads == 24)
    #expect(try spins(recorder: CaptureEvent.kernelRecorder, call, period: 8)?.emptyReads == 8)
  }
}
