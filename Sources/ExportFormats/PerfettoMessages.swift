// What Lull writes of a Perfetto trace; the numbers are those of protos/perfetto/trace (trace_packet.proto,
// track_event/track_event.proto, track_event/track_descriptor.proto and those that it names).

package struct PerfettoTrace: ProtobufMessage {
  package var packet: [PerfettoTracePacket] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, each: packet)
  }
}

package struct PerfettoTracePacket: ProtobufMessage {
  package var timestamp: UInt64?
  package var trustedPacketSequenceID: UInt32?
  package var trackEvent: PerfettoTrackEvent?
  package var trackDescriptor: PerfettoTrackDescriptor?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(8, timestamp)
    writer.add(10, trustedPacketSequenceID)
    writer.add(11, trackEvent)
    writer.add(60, trackDescriptor)
  }
}

package struct PerfettoTrackEvent: ProtobufMessage {
  package enum Kind: Int32 {
    case sliceBegin = 1
    case sliceEnd = 2
    case counter = 4
  }

  package var type: Kind?
  package var trackUuid: UInt64?
  package var name: String?
  package var counterValue: Int64?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(9, type?.rawValue)
    writer.add(11, trackUuid)
    writer.add(23, name)
    writer.add(30, counterValue)
  }
}

package struct PerfettoTrackDescriptor: ProtobufMessage {
  package var uuid: UInt64?
  package var name: String?
  package var process: PerfettoProcessDescriptor?
  package var thread: PerfettoThreadDescriptor?
  package var parentUuid: UInt64?
  package var counter: PerfettoCounterDescriptor?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, uuid)
    writer.add(2, name)
    writer.add(3, process)
    writer.add(4, thread)
    writer.add(5, parentUuid)
    writer.add(8, counter)
  }
}

package struct PerfettoProcessDescriptor: ProtobufMessage {
  package var pid: Int32?
  package var cmdline: [String] = []
  package var processName: String?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, pid)
    writer.add(2, each: cmdline)
    writer.add(6, processName)
  }
}

package struct PerfettoThreadDescriptor: ProtobufMessage {
  package var pid: Int32?
  package var tid: Int32?
  package var threadName: String?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, pid)
    writer.add(2, tid)
    writer.add(5, threadName)
  }
}

package struct PerfettoCounterDescriptor: ProtobufMessage {
  package enum Unit: Int32 {
    case sizeBytes = 3
  }

  package var unit: Unit?
  package var unitName: String?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(3, unit?.rawValue)
    writer.add(6, unitName)
  }
}
