// What Lull writes of a profile that pprof reads; the numbers are those of profile.proto (github.com/google/pprof).

package struct PprofProfile: ProtobufMessage {
  package var sampleType: [PprofValueType] = []
  package var sample: [PprofSample] = []
  package var location: [PprofLocation] = []
  package var function: [PprofFunction] = []
  /// All texts; other messages give their places in this list.
  package var stringTable: [String] = []
  package var timeNanos: Int64 = 0
  package var durationNanos: Int64 = 0
  /// The sample type that is shown first.
  package var defaultSampleType: Int64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, each: sampleType)
    writer.add(2, each: sample)
    writer.add(4, each: location)
    writer.add(5, each: function)
    writer.add(6, each: stringTable)
    writer.addUnlessZero(9, timeNanos)
    writer.addUnlessZero(10, durationNanos)
    writer.addUnlessZero(14, defaultSampleType)
  }
}

package struct PprofValueType: ProtobufMessage {
  package var type: Int64 = 0
  package var unit: Int64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, type)
    writer.addUnlessZero(2, unit)
  }
}

package struct PprofSample: ProtobufMessage {
  /// The innermost function first.
  package var locationID: [UInt64] = []
  /// One for each sample type.
  package var value: [Int64] = []
  package var label: [PprofLabel] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, packed: locationID)
    writer.add(2, packed: value)
    writer.add(3, each: label)
  }
}

package struct PprofLabel: ProtobufMessage {
  package var key: Int64 = 0
  package var str: Int64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, key)
    writer.addUnlessZero(2, str)
  }
}

package struct PprofLocation: ProtobufMessage {
  package var id: UInt64 = 0
  package var line: [PprofLine] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, id)
    writer.add(4, each: line)
  }
}

package struct PprofLine: ProtobufMessage {
  package var functionID: UInt64 = 0
  package var line: Int64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, functionID)
    writer.addUnlessZero(2, line)
  }
}

package struct PprofFunction: ProtobufMessage {
  package var id: UInt64 = 0
  package var name: Int64 = 0
  package var systemName: Int64 = 0
  package var filename: Int64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, id)
    writer.addUnlessZero(2, name)
    writer.addUnlessZero(3, systemName)
    writer.addUnlessZero(4, filename)
  }
}
