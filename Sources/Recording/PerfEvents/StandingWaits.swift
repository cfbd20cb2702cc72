import PerfData

/// The stacks with which threads wait that wait still: a part of a recording that begins meanwhile is to tell them.
///
/// A wait's two records may be in the rings of two CPUs, of which either is read first.
struct StandingWaits {
  private struct Wait {
    /// When the thread last got a CPU.
    var arrived: UInt64 = 0
    /// When it last blocked, and the record of that.
    var left: UInt64 = 0
    var record: [UInt8] = []
  }

  private var waits: [Int32: Wait] = [:]
  private let places = SamplePlaces(.base)
  /// Of more threads only that they wait is known.
  private static let most = 1024
  /// Where in the raw payload, behind the callchain, a switch says who got the CPU.
  private let arrival: [Range<Int>]

  /// The waits that such events tell.
  init(_ specs: [EventSpec] = []) {
    let text = specs.first(where: \.tellsWaits)?.format
    let format = text.flatMap { TracepointFormat(parsing: $0) }
    arrival = ["next_comm", "next_pid"].compactMap { format?.field($0) }
      .map { $0.offset..<$0.offset + $0.size }
  }

  /// A thread blocks: the sample of it.
  mutating func left(_ tid: Int32, at time: UInt64, _ record: @autoclosure () -> [UInt8]) {
    guard waits[tid] != nil || waits.count < Self.most else { return }
    guard time >= waits[tid]?.left ?? 0 else { return }
    waits[tid, default: Wait()].left = time
    waits[tid]?.record = record()
  }

  /// A thread has got a CPU.
  mutating func arrived(_ tid: Int32, at time: UInt64) {
    guard waits[tid] != nil || waits.count < Self.most else { return }
    waits[tid, default: Wait()].arrived = max(time, waits[tid]?.arrived ?? 0)
  }

  mutating func ended(_ tid: Int32) { waits[tid] = nil }

  /// For each thread that waits the records of a wait that begins at this moment, if it did not begin later;
  /// the switch is by this event.
  func records(at time: UInt64, id: UInt64) -> [[UInt8]] {
    waits.sorted { $0.key < $1.key }.flatMap { tid, wait -> [[UInt8]] in
      guard wait.left > wait.arrived, wait.record.count >= Int(places.rest) else { return [] }
      let time = max(time, wait.left)
      var record = withoutArrival(wait.record)
      let pid = record.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: Int(places.pid), as: Int32.self)
      }
      record.withUnsafeMutableBytes {
        $0.storeBytes(of: time, toByteOffset: Int(places.time), as: UInt64.self)
      }
      return [record, RecordBuilder.contextSwitch(.left, pid: pid, tid: tid, time: time, id: id)]
    }
  }

  /// A wait's switch with nobody who gets the CPU: that was when the wait began, and whoever it was may wait as well.
  private func withoutArrival(_ record: [UInt8]) -> [UInt8] {
    guard !arrival.isEmpty else { return record }
    var record = record
    record.withUnsafeMutableBytes { bytes in
      let count = bytes.loadUnaligned(fromByteOffset: Int(places.rest), as: UInt64.self)
      let payload = Int(places.rest) + 8 * (1 + Int(min(count, 8192))) + SamplePart.rawSize.width
      for place in arrival where payload + place.upperBound <= bytes.count {
        for index in place { bytes[payload + index] = 0 }
      }
    }
    return record
  }
}

extension EventSpec {
  /// Its samples tell with what stack a thread blocks.
  var tellsWaits: Bool {
    fields.contains(.callchain) && purpose == .mainThread && kind == .tracepoint
  }
}
