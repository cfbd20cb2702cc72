// What Lull writes of OpenTelemetry's profiles; the numbers are those of profiles.proto (v1development), common.proto and
// resource.proto (github.com/open-telemetry/opentelemetry-proto, 1.10). A request to a collector has the same fields as
// ProfilesData.

package struct OTLPProfilesData: ProtobufMessage {
  package var resourceProfiles: [OTLPResourceProfiles] = []
  package var dictionary = OTLPProfilesDictionary()

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, each: resourceProfiles)
    writer.add(2, dictionary)
  }
}

package struct OTLPProfilesDictionary: ProtobufMessage {
  package var mappingTable: [OTLPMapping] = []
  package var locationTable: [OTLPLocation] = []
  package var functionTable: [OTLPFunction] = []
  package var linkTable: [OTLPLink] = []
  package var stringTable: [String] = []
  package var attributeTable: [OTLPKeyValueAndUnit] = []
  package var stackTable: [OTLPStack] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, each: mappingTable)
    writer.add(2, each: locationTable)
    writer.add(3, each: functionTable)
    writer.add(4, each: linkTable)
    writer.add(5, each: stringTable)
    writer.add(6, each: attributeTable)
    writer.add(7, each: stackTable)
  }
}

package struct OTLPResourceProfiles: ProtobufMessage {
  package var resource = OTLPResource()
  package var scopeProfiles: [OTLPScopeProfiles] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, resource)
    writer.add(2, each: scopeProfiles)
  }
}

package struct OTLPResource: ProtobufMessage {
  package var attributes: [OTLPKeyValue] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, each: attributes)
  }
}

package struct OTLPScopeProfiles: ProtobufMessage {
  package var scope = OTLPScope()
  package var profiles: [OTLPProfile] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, scope)
    writer.add(2, each: profiles)
  }
}

package struct OTLPScope: ProtobufMessage {
  package var name = ""
  package var version = ""

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessEmpty(1, name)
    writer.addUnlessEmpty(2, version)
  }
}

package struct OTLPProfile: ProtobufMessage {
  package var sampleType = OTLPValueType()
  package var samples: [OTLPSample] = []
  /// Nanoseconds since 1970.
  package var timeUnixNano: UInt64 = 0
  package var durationNano: UInt64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, sampleType)
    writer.add(2, each: samples)
    writer.addFixedUnlessZero(3, timeUnixNano)
    writer.addUnlessZero(4, durationNano)
  }
}

package struct OTLPValueType: ProtobufMessage {
  package var typeStrindex: Int32 = 0
  package var unitStrindex: Int32 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, typeStrindex)
    writer.addUnlessZero(2, unitStrindex)
  }
}

package struct OTLPSample: ProtobufMessage {
  package var stackIndex: Int32 = 0
  package var attributeIndices: [Int32] = []
  package var values: [Int64] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, stackIndex)
    writer.add(2, packed: attributeIndices)
    writer.add(4, packed: values)
  }
}

package struct OTLPStack: ProtobufMessage {
  /// The innermost function first.
  package var locationIndices: [Int32] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, packed: locationIndices)
  }
}

package struct OTLPLocation: ProtobufMessage {
  package var mappingIndex: Int32 = 0
  package var lines: [OTLPLine] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, mappingIndex)
    writer.add(3, each: lines)
  }
}

package struct OTLPLine: ProtobufMessage {
  package var functionIndex: Int32 = 0
  package var line: Int64 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, functionIndex)
    writer.addUnlessZero(2, line)
  }
}

package struct OTLPFunction: ProtobufMessage {
  package var nameStrindex: Int32 = 0
  package var systemNameStrindex: Int32 = 0
  package var filenameStrindex: Int32 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, nameStrindex)
    writer.addUnlessZero(2, systemNameStrindex)
    writer.addUnlessZero(3, filenameStrindex)
  }
}

package struct OTLPMapping: ProtobufMessage {
  package var filenameStrindex: Int32 = 0

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(4, filenameStrindex)
  }
}

package struct OTLPLink: ProtobufMessage {
  package var traceID: [UInt8] = []
  package var spanID: [UInt8] = []

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, traceID)
    writer.add(2, spanID)
  }
}

package struct OTLPKeyValueAndUnit: ProtobufMessage {
  package var keyStrindex: Int32 = 0
  package var value: OTLPAnyValue?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessZero(1, keyStrindex)
    writer.add(2, value)
  }
}

package struct OTLPKeyValue: ProtobufMessage {
  package var key = ""
  package var value: OTLPAnyValue?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.addUnlessEmpty(1, key)
    writer.add(2, value)
  }
}

package struct OTLPAnyValue: ProtobufMessage {
  package var stringValue: String?
  package var intValue: Int64?

  package init() {}

  package func write(to writer: inout ProtobufWriter) {
    writer.add(1, stringValue)
    writer.add(3, intValue)
  }
}
