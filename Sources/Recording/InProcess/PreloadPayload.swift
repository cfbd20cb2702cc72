/// The raw bytes of an event.
struct PreloadPayload {
  private(set) var bytes: [UInt8]

  /// Begins as every event does; flags tell the context (include/linux/trace_events.h).
  ///
  /// `type` is the number of the event that it is written under, by which perf finds its description.
  init(_ event: PreloadEvent, pid: Int32, flags: UInt8 = 0, type: UInt64? = nil) {
    bytes = []
    add(UInt16(truncatingIfNeeded: type ?? event.config))
    add(UInt16(flags))
    add(pid)
  }

  /// A thread that leaves its CPU to wait (`sched:sched_switch`).
  init(waiting tid: Int32, type: UInt64? = nil) {
    self.init(.scheduleSwitch, pid: tid, type: type)
    add([], padded: 16)
    add(tid)
    add(Int32(120))
    // TASK_INTERRUPTIBLE.
    add(Int64(1))
    add([], padded: 16)
    add(Int32(0))
    add(Int32(120))
  }

  mutating func add<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  mutating func add(_ more: [UInt8], padded size: Int) {
    bytes += more.prefix(size) + [UInt8](repeating: 0, count: max(0, size - more.count))
  }

  /// Texts elsewhere: their places come first, and numbers behind these, as of the folders that paths begin at.
  mutating func add(texts: [String], _ numbers: [Int32] = []) {
    var offset = bytes.count + 4 * (texts.count + numbers.count)
    for text in texts {
      let count = text.utf8.count + 1
      add(UInt32(count) << 16 | UInt32(offset))
      offset += count
    }
    for number in numbers { add(number) }
    for text in texts { bytes += Array(text.utf8) + [0] }
  }
}
