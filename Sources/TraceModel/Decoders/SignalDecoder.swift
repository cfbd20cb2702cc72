import PerfData

/// signal:* tracepoints.
enum SignalDecoder {
  static func generate(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let number = context.integer("sig"), let pid = context.integer("pid") else { return }
    state.tables.signals.append(
      SignalDelivery(
        time: context.time, pid: Int32(truncatingIfNeeded: pid), number: Int(number)))
  }
}
