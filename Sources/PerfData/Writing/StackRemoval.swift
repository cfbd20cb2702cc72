/// One sample among those of a trace.
public struct SampleMoment: Hashable, Sendable {
  public var time: UInt64
  public var tid: Int32

  public init(time: UInt64, tid: Int32) {
    self.time = time
    self.tid = tid
  }
}

/// Takes the copies of stacks and registers out of samples, of which the trace tells the functions' names.
///
/// They are most of a trace: 3 KB of each wait. A sample says in their place that it has none.
public struct StackRemoval {
  private struct Source {
    var layout: SampleLayout
    var time: Int
    var tid: Int
  }

  private let kept: Set<SampleMoment>
  private let times: ClosedRange<UInt64>
  private var sources: [UInt64: Source] = [:]

  /// For a trace with these attributes; the given samples keep their stacks, and those of other times.
  public init(
    keeping kept: Set<SampleMoment>, in times: ClosedRange<UInt64>, attributes: [EventAttribute]
  ) {
    self.kept = kept
    self.times = times
    for attribute in attributes {
      guard let source = Self.source(attribute) else { continue }
      for id in attribute.ids { sources[id] = source }
    }
  }

  /// Whether an attribute's samples hold copies of stacks that can be taken out.
  public static func concerns(_ attribute: EventAttribute) -> Bool { source(attribute) != nil }

  private static func source(_ attribute: EventAttribute) -> Source? {
    guard attribute.sampleType.isSuperset(of: [.base, .userStack]) else { return nil }
    let layout = SampleLayout(attribute)
    let offsets = SampleOffsets(samplesOf: layout)
    guard offsets[.identifier] == 0, let time = offsets[.time], let tid = offsets[.tid] else {
      return nil
    }
    return Source(layout: layout, time: time, tid: tid)
  }

  /// Copies records; what cannot be read as one ends the changes, and is copied as it is.
  func copy(_ trace: FinishedTrace, to output: OutputFile) throws(PerfDataError) {
    let bytes = trace.bytes
    let end = trace.data.upperBound
    var passed = trace.passedPages
    var at = trace.data.lowerBound
    // What is kept as it is, is written as one.
    var start = at
    while at + 8 <= end {
      let header = bytes.load(UInt64.self, at: at)
      let size = Int(header >> 48)
      guard size >= 8, size <= end - at else { break }
      if UInt32(truncatingIfNeeded: header) == RecordType.sample,
        let shorter = shortened(bytes.view(at..<at + size))
      {
        try trace.copy(start..<at, to: output)
        try output.append(shorter)
        start = at + size
        passed.note(start)
      }
      at += size
    }
    try trace.copy(start..<end, to: output)
  }

  private func shortened(_ sample: ByteView) -> [UInt8]? {
    guard sample.count >= 16, let source = sources[sample.load(UInt64.self, at: 8)],
      sample.count >= 8 + max(source.time + 8, source.tid + 4)
    else { return nil }
    let moment = SampleMoment(
      time: sample.load(UInt64.self, at: 8 + source.time),
      tid: sample.load(Int32.self, at: 8 + source.tid))
    guard times.contains(moment.time), !kept.contains(moment) else { return nil }
    var ranges = SampleRanges(sample, from: 8, to: sample.count, until: nil)
    do throws(SampleRanges.Stop) { try source.layout.walk(&ranges) } catch { return nil }
    guard let stack = ranges.stack else { return nil }
    // Before the registers is their ABI, with the stack its size: 0 says that there are none.
    let none = [UInt8](repeating: 0, count: 8)
    var result: [UInt8] = []
    if let registers = ranges.userRegisters {
      result += sample.view(0..<registers.lowerBound - 8)
      result += none
      result += sample.view(registers.upperBound..<stack.lowerBound)
    } else {
      result += sample.view(0..<stack.lowerBound)
    }
    result += none
    result += sample.view(stack.upperBound..<sample.count)
    result[6] = UInt8(truncatingIfNeeded: result.count)
    result[7] = UInt8(truncatingIfNeeded: result.count >> 8)
    return result
  }
}
