import PerfData
import TraceModel

/// Stacks as `pprof` reads them: CPU samples and waits of the subject.
///
/// The fields are those of profile.proto (github.com/google/pprof), which tools take compressed or, as here, not.
public enum PprofExport {
  /// A profile with three values a stack: samples, CPU nanoseconds, blocked nanoseconds.
  public static func render(_ trace: Trace) -> [UInt8] {
    var profile = Profile(trace)
    let threads = trace.threads(of: trace.subject.pid)
    let samples = trace.processorSamples.filter {
      $0.pid == trace.subject.pid && $0.stack != nil
    }
    let running = threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }.nanoseconds
    let each = samples.isEmpty ? 0 : running / Int64(samples.count)
    for sample in samples {
      profile.count(stack: sample.stack ?? 0, tid: sample.tid, cpu: each)
    }
    for thread in threads {
      for interval in thread.intervals {
        guard case .blocked(let cause) = interval.state, cause != .eventWait,
          let stack = interval.stack
        else { continue }
        profile.block(stack: stack, tid: thread.tid, nanoseconds: interval.length.nanoseconds)
      }
    }
    return profile.encoded(
      start: trace.metadata.startWallNanoseconds ?? 0, duration: trace.end - trace.start,
      names: Dictionary(threads.map { ($0.tid, $0.name) }, uniquingKeysWith: { $1 }))
  }

  private struct Key: Hashable {
    var stack: Int
    var tid: Int32
  }

  private struct Profile {
    private let trace: Trace
    private var values: [Key: (count: Int64, cpu: Int64, blocked: Int64)] = [:]
    private var strings = [""]
    private var indexOfString: [String: Int] = ["": 0]
    private var functions: [Int32: UInt64] = [:]
    private var body = ProtobufBuilder()

    init(_ trace: Trace) { self.trace = trace }

    mutating func count(stack: Int, tid: Int32, cpu: Int64) {
      let old = values[Key(stack: stack, tid: tid)] ?? (0, 0, 0)
      values[Key(stack: stack, tid: tid)] = (old.count + 1, old.cpu + cpu, old.blocked)
    }

    mutating func block(stack: Int, tid: Int32, nanoseconds: Int64) {
      let old = values[Key(stack: stack, tid: tid)] ?? (0, 0, 0)
      values[Key(stack: stack, tid: tid)] = (old.count, old.cpu, old.blocked + nanoseconds)
    }

    private mutating func string(_ text: String) -> UInt64 {
      if let known = indexOfString[text] { return UInt64(known) }
      strings.append(text)
      indexOfString[text] = strings.count - 1
      return UInt64(strings.count - 1)
    }

    /// A location and a function for each frame, of the same number.
    private mutating func location(_ frame: Int32) -> UInt64 {
      if let known = functions[frame] { return known }
      let id = UInt64(functions.count + 1)
      functions[frame] = id
      let value = trace.stacks.frames[Int(frame)]
      let name = string(value.displayName)
      let file = string(value.file ?? value.module)
      let line = UInt64(max(value.line ?? 0, 0))
      body.add(5) { function in
        function.add(1, id)
        function.add(2, name)
        function.add(3, name)
        function.add(4, file)
      }
      body.add(4) { location in
        location.add(1, id)
        location.add(4) { entry in
          entry.add(1, id)
          entry.add(2, line)
        }
      }
      return id
    }

    mutating func encoded(
      start: UInt64, duration: TimeSpan, names: [Int32: String]
    ) -> [UInt8] {
      let types = [("samples", "count"), ("cpu", "nanoseconds"), ("blocked", "nanoseconds")]
      for (name, unit) in types {
        let (name, unit) = (string(name), string(unit))
        body.add(1) { type in
          type.add(1, name)
          type.add(2, unit)
        }
      }
      let thread = string("thread")
      for (key, value) in values.sorted(by: {
        ($0.key.tid, $0.key.stack) < ($1.key.tid, $1.key.stack)
      }) {
        var locations: [UInt64] = []
        for frame in trace.stacks.stacks[key.stack] { locations.append(location(frame)) }
        let name = string(names[key.tid] ?? "\(key.tid)")
        body.add(2) { sample in
          sample.add(1, packed: locations)
          sample.add(
            2, packed: [value.count, value.cpu, value.blocked].map { UInt64(bitPattern: $0) })
          sample.add(3) { label in
            label.add(1, thread)
            label.add(2, name)
          }
        }
      }
      for text in strings { body.add(6, text) }
      body.add(9, start)
      body.add(10, duration.nanoseconds)
      return body.bytes
    }
  }
}
