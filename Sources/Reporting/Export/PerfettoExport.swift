import PerfData
import Signals
import TraceModel

/// The subject's threads, hangs, bursts and footprint as Perfetto's TrackEvent protobuf.
///
/// Field numbers are those of protos/perfetto/trace (trace_packet.proto, track_event.proto, track_descriptor.proto).
public enum PerfettoExport {
  private enum Packet {
    static let timestamp = 8
    static let sequence = 10
    static let event = 11
    static let descriptor = 60
  }

  private enum Kind {
    static let begin: UInt64 = 1
    static let end: UInt64 = 2
    static let counter: UInt64 = 4
  }

  /// A whole trace file.
  public static func render(_ trace: Trace, _ signals: SignalSet) -> [UInt8] {
    var output = Writer(origin: trace.start)
    let subject = trace.subject
    let process: UInt64 = 1
    output.track(process) { track in
      track.add(3) { descriptor in
        descriptor.add(1, UInt64(clamping: subject.pid))
        for word in subject.commandLine { descriptor.add(2, word) }
        descriptor.add(6, subject.name)
      }
    }
    for (index, thread) in trace.threads(of: subject.pid).enumerated() {
      let track = UInt64(index + 100)
      output.track(track) {
        $0.add(5, process)
        $0.add(4) { descriptor in
          descriptor.add(1, UInt64(clamping: thread.pid))
          descriptor.add(2, UInt64(clamping: thread.tid))
          descriptor.add(5, thread.name)
        }
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
    output.counter(4, "footprint", unit: 3, under: process)
    for sample in trace.footprints where sample.pid == subject.pid {
      output.value(Int64(clamping: sample.sample.footprint), of: 4, at: sample.time)
    }
    output.counter(5, "radio energy", unit: 0, under: process, unitName: "mJ")
    var energy = 0.0
    for burst in signals.network?.bursts ?? [] {
      energy += burst.energyJoules
      output.value(
        Int64((energy * 1000).rounded()), of: 5,
        at: trace.start + TimeSpan(seconds: burst.start))
    }
    return output.bytes
  }

  private struct Writer {
    private let origin: Timestamp
    private var trace = ProtobufBuilder()

    init(origin: Timestamp) { self.origin = origin }

    var bytes: [UInt8] { trace.bytes }

    mutating func track(_ uuid: UInt64, _ fill: (inout ProtobufBuilder) -> Void) {
      trace.add(1) { packet in
        packet.add(Packet.sequence, UInt64(1))
        packet.add(Packet.descriptor) { descriptor in
          descriptor.add(1, uuid)
          fill(&descriptor)
        }
      }
    }

    mutating func named(_ uuid: UInt64, _ name: String, under parent: UInt64) {
      track(uuid) {
        $0.add(2, name)
        $0.add(5, parent)
      }
    }

    mutating func counter(
      _ uuid: UInt64, _ name: String, unit: UInt64, under parent: UInt64, unitName: String? = nil
    ) {
      track(uuid) {
        $0.add(2, name)
        $0.add(5, parent)
        $0.add(8) { counter in
          if unit > 0 { counter.add(3, unit) }
          if let unitName { counter.add(6, unitName) }
        }
      }
    }

    mutating func slice(_ name: String, on track: UInt64, from: Timestamp, to: Timestamp) {
      event(at: from, Kind.begin, track) { $0.add(23, name) }
      event(at: to, Kind.end, track) { _ in }
    }

    mutating func slice(_ name: String, on track: UInt64, start: Double, duration: Double) {
      let from = origin + TimeSpan(seconds: start)
      slice(name, on: track, from: from, to: from + TimeSpan(seconds: duration))
    }

    mutating func value(_ value: Int64, of track: UInt64, at time: Timestamp) {
      event(at: time, Kind.counter, track) { $0.add(30, value) }
    }

    private mutating func event(
      at time: Timestamp, _ kind: UInt64, _ track: UInt64,
      _ fill: (inout ProtobufBuilder) -> Void
    ) {
      trace.add(1) { packet in
        packet.add(Packet.timestamp, time.nanoseconds)
        packet.add(Packet.sequence, UInt64(1))
        packet.add(Packet.event) { event in
          event.add(9, kind)
          event.add(11, track)
          fill(&event)
        }
      }
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
