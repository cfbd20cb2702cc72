extension FileFeatures {
  /// The sections to write, by ascending feature bit.
  func sections(attributes: [EventAttribute]) -> [(feature: Int, bytes: [UInt8])] {
    var sections: [Int: [UInt8]] = otherSections
    // These describe how the data were stored, which the writer does in its own way.
    for feature in [FeatureID.auxtrace, FeatureID.directoryFormat, FeatureID.compressed] {
      sections[feature] = nil
    }
    let texts = [
      (FeatureID.hostname, hostname), (FeatureID.osRelease, osRelease),
      (FeatureID.version, perfVersion), (FeatureID.architecture, architecture),
      (FeatureID.cpuDescription, cpuDescription),
    ]
    for (feature, text) in texts {
      guard let text else { continue }
      sections[feature] = Self.section { $0.appendHeaderString(text) }
    }
    if let tracingData { sections[FeatureID.tracingData] = tracingData.encoded }
    if !buildIDs.isEmpty {
      sections[FeatureID.buildID] = Self.section { output in
        for entry in buildIDs { Self.append(entry, to: &output) }
      }
    }
    if cpusOnline != nil || cpusAvailable != nil {
      let available = cpusAvailable ?? cpusOnline ?? 0
      sections[FeatureID.cpuCount] = Self.section { output in
        output.append(UInt32(clamping: available))
        output.append(UInt32(clamping: cpusOnline ?? available))
      }
    }
    if let totalMemoryBytes {
      sections[FeatureID.totalMemory] = Self.section { $0.append(totalMemoryBytes / 1024) }
    }
    if !commandLine.isEmpty {
      sections[FeatureID.commandLine] = Self.section { output in
        output.append(UInt32(commandLine.count))
        for argument in commandLine { output.appendHeaderString(argument) }
      }
    }
    if !attributes.isEmpty {
      sections[FeatureID.eventDescription] = Self.eventDescription(attributes)
    }
    if let sampleTime {
      sections[FeatureID.sampleTime] = Self.section { output in
        output.append(sampleTime.first)
        output.append(sampleTime.last)
      }
    }
    if let clockResolutionNanoseconds {
      sections[FeatureID.clockID] = Self.section { $0.append(clockResolutionNanoseconds) }
    } else if clockID != nil {
      sections[FeatureID.clockID] = Self.section { $0.append(UInt64(1)) }
    }
    if let clockData {
      sections[FeatureID.clockData] = Self.section { output in
        output.append(UInt32(1))
        output.append(Int32(clamping: clockID ?? 1))
        output.append(clockData.wallNanoseconds)
        output.append(clockData.clockNanoseconds)
      }
    }
    return sections.filter { $0.key >= 0 && $0.key < 256 }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func section(_ body: (inout ByteBuilder) -> Void) -> [UInt8] {
    var output = ByteBuilder()
    body(&output)
    return output.bytes
  }

  private static func eventDescription(_ attributes: [EventAttribute]) -> [UInt8] {
    let size = EventAttribute.encodedSize(of: attributes)
    return section { output in
      output.append(UInt32(attributes.count))
      output.append(UInt32(size))
      for attribute in attributes {
        output.append(contentsOf: attribute.encoded(size: size))
        output.append(UInt32(attribute.ids.count))
        output.appendHeaderString(attribute.name)
        for id in attribute.ids { output.append(id) }
      }
    }
  }

  private static func append(_ entry: BuildIDEntry, to output: inout ByteBuilder) {
    let path = Array(entry.path.utf8.prefix(4095))
    let pathSize = (path.count + 1 + 63) / 64 * 64
    let id = entry.buildID.prefix(20)
    output.append(RecordType.buildID)
    output.append((entry.misc & 0x7fff) | 0x8000)
    output.append(UInt16(36 + pathSize))
    output.append(entry.pid)
    output.append(contentsOf: [UInt8](id) + [UInt8](repeating: 0, count: 20 - id.count))
    output.append(contentsOf: [UInt8(id.count), 0, 0, 0])
    output.append(contentsOf: path + [UInt8](repeating: 0, count: pathSize - path.count))
  }
}
