import PerfData

/// The recorder's probes on `fwrite` and `fputs` in test runners, which tell what they say.
enum TestRunnerDecoder {
  static func written(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let text = context.string("text"), let size = context.integer("size"),
      let count = context.integer("count"), size > 0, count > 0
    else { return }
    // What is written need not end in a zero, and what follows it is not ours.
    let length = size.multipliedReportingOverflow(by: count)
    let own = text.utf8.prefix(length.overflow ? .max : Int(length.partialValue))
    state.tests.said(String(decoding: own, as: UTF8.self), pid: context.pid, at: context.time)
  }

  static func put(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let text = context.string("text") else { return }
    state.tests.said(text, pid: context.pid, at: context.time)
  }
}
