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
    let sums = StackSums(trace)
    guard !sums.isEmpty else { return nil }
    var profile = Profile(trace)
    return try profile.encoded(sums)
  }

  private struct Profile {
    private let trace: Trace
    private var indexOfString: [String: Int64] = ["": 0]
    private var functions: [Int32: UInt64] = [:]
    private var profile = PprofProfile()

    init(_ trace: Trace) {
      self.trace = trace
      // The first text is empty by pprof's rules.
      profile.stringTable = [""]
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

    mutating func encoded(_ sums: StackSums) throws -> [UInt8] {
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
      if !sums.running.isEmpty { profile.defaultSampleType = profile.sampleType[1].type }
      let thread = string("thread")
      for place in Set(sums.running.keys).union(sums.blocked.keys).sorted() {
        var label = PprofLabel()
        label.key = thread
        label.str = string(sums.names[place.tid] ?? "\(place.tid)")
        let running = sums.running[place] ?? (0, 0)
        var sample = PprofSample()
        sample.locationID = trace.stacks.stacks[place.stack].map { location($0) }
        sample.value = [
          running.samples, running.value, sums.blocked[place]?.values.reduce(0, &+) ?? 0,
        ]
        sample.label = [label]
        profile.sample.append(sample)
      }
      profile.timeNanos = Int64(clamping: trace.metadata.startWallNanoseconds ?? 0)
      profile.durationNanos = (trace.end - trace.start).nanoseconds
      return try profile.serializedBytes()
    }
  }
}
