import Glibc
import PerfData
import Synchronization

@testable import Recording

/// Traces that tests make.
enum Scratch {
  private static let next = Atomic<Int>(0)

  static func path(_ suffix: String = "perf.data") -> String {
    let number = next.wrappingAdd(1, ordering: .relaxed).newValue
    return "/var/tmp/lull-test-\(getpid())-\(number).\(suffix)"
  }

  /// A new trace that takes all that Lull tells by itself.
  static func sink() throws -> (sink: TraceSink, writer: PerfDataWriter, path: String) {
    let path = path()
    let attributes = SyntheticEvent.allCases.enumerated().map {
      $1.attribute(ids: [UInt64($0 + 1)])
    }
    let writer = try PerfDataWriter(path: path, attributes: attributes, features: FileFeatures())
    return (TraceSink(writer: writer, synthetic: attributes), writer, path)
  }

  static func run(_ command: String...) -> Int32 {
    guard let wrapped = try? WrappedCommand(command, environment: ["PATH": "/usr/bin:/bin:/sbin"]),
      wrapped.release(program: "") == nil
    else { return -1 }
    return wrapped.reap(waiting: true)?.exitStatus ?? -1
  }

  static func record(
    _ command: [String], to path: String, by recorder: RecorderKind = .auto
  ) throws -> RecordingResult {
    var options = RecordingOptions(target: .command(command), outputPath: path)
    options.counters = []
    options.recorder = recorder
    return try Recorder(options: options).run()
  }

  static func payloads<Payload: SyntheticPayload>(
    _: Payload.Type, in trace: PerfDataFile
  ) throws -> [Payload] {
    try trace.orderedRecords().compactMap { record in
      guard record.type == RecordType.sample, record.attribute >= 0,
        trace.attributes[Int(record.attribute)].name == Payload.event.rawValue,
        let raw = try trace.sample(record).raw
      else { return nil }
      return try Payload(decoding: raw)
    }
  }
}
