import PerfData

/// The recorder's probe on libdispatch, which tells the labels of queues.
enum QueueDecoder {
  static func creating(_ context: DecodingContext, _ state: inout LoaderState) {
    state.queueLabels[context.tid] = context.string("label")
  }

  static func created(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let queue = context.integer("queue") else { return }
    // What cannot be read, as the label of a queue without one, the kernel calls so.
    let label = state.queueLabels.removeValue(forKey: context.tid).flatMap {
      $0.isEmpty || $0 == "(fault)" ? nil : $0
    }
    state.stacks.queue(UInt64(bitPattern: queue), of: context.pid, label: label)
  }
}
