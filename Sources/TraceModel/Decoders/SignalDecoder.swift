import PerfData

/// signal:* tracepoints.
enum SignalDecoder {
  static func generate(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let number = context.integer("sig"), let pid = context.thread("pid", state) else {
      return
    }
    state.tables.signals.append(
      SignalDelivery(time: context.time, pid: pid, number: Int(number)))
  }
}
