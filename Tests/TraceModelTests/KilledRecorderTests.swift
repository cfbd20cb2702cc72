import PerfData
import TestSupport
import Testing

@testable import TraceModel

/// What a recorder that was killed had not told by then.
@Suite struct KilledRecorderTests {
  private static let standIn: UInt64 = 0xffff_ffff_8000_0100
  private static let function: UInt64 = 0xffff_ffff_8130_0000

  /// What runs in a function of the kernel that is in no list of names, or 16 bytes into one that is in it.
  private func kernelFunctions(complete: Bool, named: Bool, at address: UInt64 = function + 16)
    throws
    -> [String?]
  {
    let second: UInt64 = 1_000_000_000
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100, complete: complete)
    try builder.process(time: second, pid: 100)
    builder.sample(
      "cpu-clock", time: 2 * second, tid: 100,
      callchain: [CallchainContext.kernel, address, CallchainContext.user, 0x1010])
    let names = [(Self.standIn, "ep_poll")] + (named ? [(Self.function, "do_nanosleep")] : [])
    for (address, name) in names {
      try builder.synthetic(
        KernelSymbolEvent(address: address, name: name), time: 3 * second, pid: 100)
    }
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let stacks = trace.processorSamples.map { $0.stack.map(trace.stacks.frames(of:)) ?? [] }
    return stacks.joined().filter(\.isKernel).map(\.function)
  }

  // Of all functions the only one of which there was a name, an earlier wait's, was told: sleeps were event waits.
  @Test func `a name that stands for a function is no other's`() throws {
    #expect(try kernelFunctions(complete: false, named: false) == [nil])
    #expect(try kernelFunctions(complete: true, named: false) == [nil])
    #expect(try kernelFunctions(complete: false, named: false, at: Self.standIn) == ["ep_poll"])
    #expect(try kernelFunctions(complete: true, named: true) == ["do_nanosleep"])
  }

  @Test func `of names that may not be all none is taken for those after it`() throws {
    #expect(try kernelFunctions(complete: false, named: true) == [nil])
  }
}
