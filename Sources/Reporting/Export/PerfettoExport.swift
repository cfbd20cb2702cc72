import ExportFormats
import Quantities
import Signals
import SwiftProtobuf
import TraceModel

/// The subject's threads, hangs, bursts and footprint as Perfetto's TrackEvent protobuf.
package enum PerfettoExport {
  /// A whole trace file; nil where it would hold names only.
  ///
  /// - Throws: when the trace is too large for a protobuf message (2 GiB).
  package static func render(_ trace: Trace, _ signals: SignalSet) throws -> [UInt8]? {
    var output = Writer(origin: trace.start)
    let subject = trace.subject
    let process: UInt64 = 1
    output.track(process) {
      $0.process.pid = subject.pid
      $0.process.cmdline = subject.commandLine
      $0.process.processName = subject.name
    }
    for (index, thread) in trace.threads(of: subject.pid).enumerated() {
      let track = UInt64(index + 100)
      output.track(track) {
        $0.parentUuid = process
        $0.thread.pid = thread.pid
        $0.thread.tid = thread.tid
        $0.thread.threadName = thread.name
      }
      for interval in thread.intervals {
        output.slice(
          interval.state.exportName, on: track, from: interval.start, to: interval.end)
      }
    }
    output.named(2, "hangs", under: process)
    for hang in signals.mainThread?.hangs ?? [] {
      output.slice(
        hang.blamedFunction ?? hang.severity.rawValue, on: 2, start: hang.start,
        duration: hang.durationSeconds)
    }
    output.named(3, "network bursts", under: process)
    for burst in signals.network?.bursts ?? [] {
      output.slice(
        burst.class.rawValue, on: 3, start: burst.start, duration: burst.durationSeconds)
    }
    output.named(4, "footprint", under: process) { $0.counter.unit = .sizeBytes }
    for sample in trace.footprints where sample.pid == subject.pid {
      output.value(Int64(clamping: sample.sample.footprint), of: 4, at: sample.time)
    }
    output.named(5, "radio energy", under: process) { $0.counter.unitName = "mJ" }
    var energy = 0.0
    for burst in signals.network?.bursts ?? [] {
      energy += burst.energyJoules
      output.value(
        Int64(saturating: (energy * 1000).rounded()), of: 5,
        at: trace.start + TimeSpan(seconds: burst.start))
    }
    return output.isEmpty ? nil : try output.trace.serializedBytes()
  }

  private struct Writer {
    private let origin: Timestamp
    private(set) var trace = PerfettoTrace()
    /// Nothing but tracks was written.
    private(set) var isEmpty = true

    init(origin: Timestamp) { self.origin = origin }

    mutating func track(_ uuid: UInt64, _ fill: (inout PerfettoTrackDescriptor) -> Void) {
      add {
        $0.trackDescriptor.uuid = uuid
        fill(&$0.trackDescriptor)
      }
    }

    mutating func named(
      _ uuid: UInt64, _ name: String, under parent: UInt64,
      _ fill: (inout PerfettoTrackDescriptor) -> Void = { _ in }
    ) {
      track(uuid) {
        $0.name = name
        $0.parentUuid = parent
        fill(&$0)
      }
    }

    mutating func slice(_ name: String, on track: UInt64, from: Timestamp, to: Timestamp) {
      event(.sliceBegin, at: from, on: track) { $0.name = name }
      event(.sliceEnd, at: to, on: track) { _ in }
    }

    mutating func slice(_ name: String, on track: UInt64, start: Double, duration: Double) {
      let from = origin + TimeSpan(seconds: start)
      slice(name, on: track, from: from, to: from + TimeSpan(seconds: duration))
    }

    mutating func value(_ value: Int64, of track: UInt64, at time: Timestamp) {
      event(.counter, at: time, on: track) { $0.counterValue = value }
    }

    private mutating func event(
      _ kind: PerfettoTrackEvent.Kind, at time: Timestamp, on track: UInt64,
      _ fill: (inout PerfettoTrackEvent) -> Void
    ) {
      isEmpty = false
      add {
        $0.timestamp = time.nanoseconds
        $0.trackEvent.type = kind
        $0.trackEvent.trackUuid = track
        fill(&$0.trackEvent)
      }
    }

    private mutating func add(_ fill: (inout PerfettoTracePacket) -> Void) {
      var packet = PerfettoTracePacket()
      packet.trustedPacketSequenceID = 1
      fill(&packet)
      trace.packet.append(packet)
    }
  }
}

extension ThreadState {
  /// A word for the state in exported files.
  var exportName: String {
    switch self {
    case .running: "running"
    case .runnable: "runnable"
    case .blocked(.eventWait): "idle"
    case .blocked(let cause): "blocked: \(cause.rawValue)"
    }
  }
}
