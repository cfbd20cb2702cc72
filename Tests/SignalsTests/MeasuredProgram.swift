import TestSupport
import TraceModel

@testable import Signals

/// The signals of a program, pid 100, that starts at 1 s and does what is built.
func measureProgram(
  _ options: MeasurementOptions = .init(), _ build: (inout TraceBuilder) throws -> Void
) throws -> SignalSet {
  let second: UInt64 = 1_000_000_000
  var builder = TraceBuilder()
  try builder.capture(time: second, rootPid: 100)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "program")
  try build(&builder)
  let trace = try builder.withFile { try Trace.load(path: $0) }
  return try Measurement.measure(trace, options: options)
}
