import ExportFormats
import Quantities
import SwiftProtobuf
import TraceModel

/// Stacks as `pprof` reads them: CPU samples and waits of the subject.
///
/// The fields are those of profile.proto (github.com/google/pprof), which tools take compressed or, as here, not.
package enum PprofExport {
  /// A profile with three values a stack: samples, CPU nanoseconds, blocked nanoseconds; nil where there is no stack.
  ///
  /// Of samples that tell shares alone the second value are the events that they stand for.
  ///
  /// - Throws: when the profile is too large for a protobuf message (2 GiB).
  package static func render(_ trace: Trace) throws -> [UInt8]? {
    var profile = Profile(trace)
    let threads = trace.threads(of: trace.subject.pid)
    let samples = trace.processorSamples.filter {
      $0.pid == trace.subject.pid && $0.stack != nil
    }
    let running = threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }.nanoseconds
    let each = samples.isEmpty ? 0 : running / Int64(samples.count)
    let isSampled = threads.contains { $0.sampledTime != nil }
    for sample in samples {
      let own =
        trace.sharesEvent != nil
        ? Int64(clamping: sample.period) : isSampled ? sample.clockTime.nanoseconds : each
      profile.count(stack: sample.stack ?? 0, tid: sample.tid, cpu: own)
    }
    for thread in threads {
      for interval in thread.intervals {
        guard case .blocked(let cause) = interval.state, !cause.isIdle,
          let stack = interval.stack
        else { continue }
        profile.block(stack: stack, tid: thread.tid, nanoseconds: interval.length.nanoseconds)
      }
    }
    guard !profile.isEmpty else { return nil }
    return try profile.encoded(
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
    private var indexOfString: [String: Int64] = ["": 0]
    private var functions: [Int32: UInt64] = [:]
    private var profile = PprofProfile()

    init(_ trace: Trace) {
      self.trace = trace
      // The first text is empty by pprof's rules.
      profile.stringTable = [""]
    }

    var isEmpty: Bool { values.isEmpty }

    mutating func count(stack: Int, tid: Int32, cpu: Int64) {
      let old = values[Key(stack: stack, tid: tid)] ?? (0, 0, 0)
      values[Key(stack: stack, tid: tid)] = (old.count + 1, old.cpu &+ cpu, old.blocked)
    }

    mutating func block(stack: Int, tid: Int32, nanoseconds: Int64) {
      let old = values[Key(stack: stack, tid: tid)] ?? (0, 0, 0)
      values[Key(stack: stack, tid: tid)] = (old.count, old.cpu, old.blocked &+ nanoseconds)
    }

    private mutating func string(_ text: String) -> Int64 {
      if let known = indexOfString[text] { return known }
      let index = Int64(profile.stringTable.count)
      profile.stringTable.append(text)
      indexOfString[text] = index
      return index
    }

    /// A location and a function for each frame, of the same number.
    private mutating func location(_ frame: Int32) -> UInt64 {
      if let known = functions[frame] { return known }
      let value = trace.stacks.frames[Int(frame)]
      var function = PprofFunction()
      function.id = UInt64(functions.count + 1)
      function.name = string(value.displayName)
      function.systemName = function.name
      function.filename = string(value.file ?? value.module)
      var line = PprofLine()
      line.functionID = function.id
      line.line = Int64(max(value.line ?? 0, 0))
      var location = PprofLocation()
      location.id = function.id
      location.line = [line]
      profile.function.append(function)
      profile.location.append(location)
      functions[frame] = function.id
      return function.id
    }

    mutating func encoded(
      start: UInt64, duration: TimeSpan, names: [Int32: String]
    ) throws -> [UInt8] {
      for (name, unit) in [
        ("samples", "count"),
        trace.sharesEvent.map { ($0.name, "count") } ?? ("cpu", "nanoseconds"),
        ("blocked", "nanoseconds"),
      ] {
        var type = PprofValueType()
        type.type = string(name)
        type.unit = string(unit)
        profile.sampleType.append(type)
      }
      // Else tools open on the last one, the waits.
      if !trace.processorSamples.isEmpty { profile.defaultSampleType = profile.sampleType[1].type }
      let thread = string("thread")
      for (key, value) in values.sorted(by: {
        ($0.key.tid, $0.key.stack) < ($1.key.tid, $1.key.stack)
      }) {
        var label = PprofLabel()
        label.key = thread
        label.str = string(names[key.tid] ?? "\(key.tid)")
        var sample = PprofSample()
        sample.locationID = trace.stacks.stacks[key.stack].map { location($0) }
        sample.value = [value.count, value.cpu, value.blocked]
        sample.label = [label]
        profile.sample.append(sample)
      }
      profile.timeNanos = Int64(clamping: start)
      profile.durationNanos = duration.nanoseconds
      return try profile.serializedBytes()
    }
  }
}
