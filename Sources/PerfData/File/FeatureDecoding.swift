/// Decodes the header's feature sections one by one.
struct FeatureDecoder {
  let bytes: ByteView
  var features = FileFeatures()
  /// Names by event id, and in the order of the attributes, from EVENT_DESC.
  private(set) var namesByID: [UInt64: String] = [:]
  private(set) var names: [String] = []
  /// Sections that could not be read, in words.
  private(set) var problems: [String] = []

  private let isBigEndian: Bool

  init(_ bytes: ByteView, isBigEndian: Bool = false) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  /// Takes a name that a record of pipe mode gives (EVENT_UPDATE).
  mutating func name(_ id: UInt64, _ name: String) { namesByID[id] = name }

  /// Takes over what another decoder read.
  mutating func adopt(_ other: FeatureDecoder) {
    features = other.features
    namesByID.merge(other.namesByID) { $1 }
    names = other.names
    problems += other.problems
  }

  /// Decodes a section; one that is malformed is noted and left out.
  mutating func decode(_ feature: Int, range: Range<Int>) {
    do throws(PerfDataError) {
      try decodeThrowing(feature, range)
    } catch {
      problems.append("header feature \(feature) is not readable: \(error)")
    }
  }

  private mutating func decodeThrowing(
    _ feature: Int, _ range: Range<Int>
  ) throws(PerfDataError) {
    var cursor = ByteCursor(
      bytes, from: range.lowerBound, to: range.upperBound, isBigEndian: isBigEndian)
    switch feature {
    case FeatureID.tracingData:
      let data = try TracingData(&cursor)
      features.tracingData = data
      features.tracepoints = data.tracepoints()
    case FeatureID.buildID: features.buildIDs = try buildIDs(&cursor)
    case FeatureID.hostname: features.hostname = try cursor.headerString("host name")
    case FeatureID.osRelease: features.osRelease = try cursor.headerString("kernel release")
    case FeatureID.version: features.perfVersion = try cursor.headerString("version")
    case FeatureID.architecture: features.architecture = try cursor.headerString("architecture")
    case FeatureID.cpuCount:
      features.cpusAvailable = Int(try cursor.u32("CPUs available"))
      features.cpusOnline = Int(try cursor.u32("CPUs online"))
    case FeatureID.cpuDescription:
      features.cpuDescription = try cursor.headerString("CPU description")
    case FeatureID.totalMemory:
      let (value, overflow) = try cursor.u64("memory").multipliedReportingOverflow(by: 1024)
      features.totalMemoryBytes = overflow ? .max : value
    case FeatureID.commandLine: features.commandLine = try commandLine(&cursor)
    case FeatureID.eventDescription: try eventDescription(&cursor)
    case FeatureID.sampleTime:
      features.sampleTime = SampleTimeRange(
        first: try cursor.u64("first sample time"), last: try cursor.u64("last sample time"))
    case FeatureID.clockID:
      features.clockResolutionNanoseconds = try cursor.u64("clock resolution")
    case FeatureID.clockData:
      _ = try cursor.u32("clock data version")
      features.clockID = Int(try cursor.read(Int32.self, "clock"))
      let wall = try cursor.u64("wall time")
      features.clockData = ClockData(
        wallNanoseconds: wall, clockNanoseconds: try cursor.u64("clock time"))
    default: features.otherSections[feature] = [UInt8](bytes[range])
    }
  }

  private func commandLine(_ cursor: inout ByteCursor) throws(PerfDataError) -> [String] {
    let count = try cursor.u32("number of arguments")
    var arguments: [String] = []
    for _ in 0..<count { arguments.append(try cursor.headerString("argument")) }
    return arguments
  }

  private mutating func eventDescription(_ cursor: inout ByteCursor) throws(PerfDataError) {
    let count = try cursor.u32("number of events")
    let size = try cursor.u32("attribute size")
    for _ in 0..<count {
      _ = try cursor.range(UInt64(size), "event's attribute")
      let idCount = try cursor.u32("number of ids")
      let name = try cursor.headerString("event name")
      names.append(name)
      for id in try cursor.words(UInt64(idCount), "event ids") { namesByID[id] = name }
    }
  }

  private func buildIDs(_ cursor: inout ByteCursor) throws(PerfDataError) -> [BuildIDEntry] {
    var entries: [BuildIDEntry] = []
    while cursor.remaining >= 36 {
      _ = try cursor.u32("build id type")
      let misc = try cursor.read(UInt16.self, "build id misc")
      let size = try cursor.read(UInt16.self, "build id size")
      let pid = try cursor.read(Int32.self, "build id pid")
      let id = try cursor.array(24, "build id")
      guard size >= 36 else {
        throw PerfDataError(
          .malformed("a build id entry of \(size) bytes is too short"), offset: cursor.offset)
      }
      let path = try cursor.text(UInt64(size) - 36, "build id path")
      // Bit 15 says that byte 20 holds the length; before that it was always 20.
      let length = misc & 0x8000 != 0 ? min(Int(id[20]), 20) : 20
      entries.append(
        BuildIDEntry(
          pid: pid, path: path, buildID: [UInt8](id.prefix(length)), misc: misc & 0x7fff))
    }
    return entries
  }
}
