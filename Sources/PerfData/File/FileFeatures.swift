/// A feature section of the header, by its bit (HEADER_* in perf).
public enum FeatureID {
  static let tracingData = 1
  static let buildID = 2
  static let hostname = 3
  static let osRelease = 4
  static let version = 5
  static let architecture = 6
  static let cpuCount = 7
  static let cpuDescription = 8
  static let totalMemory = 10
  static let commandLine = 11
  static let eventDescription = 12
  static let auxtrace = 18
  static let stat = 19
  static let sampleTime = 21
  static let clockID = 23
  static let directoryFormat = 24
  static let compressed = 27
  static let clockData = 29
}

/// A module's build id as the BUILD_ID section gives it.
public struct BuildIDEntry: Sendable, Hashable {
  /// -1 for all processes.
  public var pid: Int32
  /// PERF_RECORD_MISC_* bits, which tell kernel and user modules apart.
  public var misc: UInt16
  /// The module's path or name.
  public var path: String
  /// The build id, up to 20 bytes.
  public var buildID: [UInt8]

  /// Makes an entry; `misc` 2 is a user module, 1 a kernel one.
  public init(pid: Int32 = -1, path: String, buildID: [UInt8], misc: UInt16 = 2) {
    self.pid = pid
    self.misc = misc
    self.path = path
    self.buildID = buildID
  }
}

/// Wall time and trace clock at the same instant.
public struct ClockData: Sendable, Hashable {
  /// Nanoseconds since 1970 (UTC).
  public var wallNanoseconds: UInt64
  /// Nanoseconds on the trace's clock.
  public var clockNanoseconds: UInt64

  /// Makes a pair.
  public init(wallNanoseconds: UInt64, clockNanoseconds: UInt64) {
    self.wallNanoseconds = wallNanoseconds
    self.clockNanoseconds = clockNanoseconds
  }
}

/// The times of the first and last samples.
public struct SampleTimeRange: Sendable, Hashable {
  /// Nanoseconds on the trace's clock.
  public var first: UInt64
  /// Nanoseconds on the trace's clock.
  public var last: UInt64

  /// Makes a range.
  public init(first: UInt64, last: UInt64) {
    self.first = first
    self.last = last
  }
}

/// Tracepoint formats and what goes with them (the TRACING_DATA section).
public struct TracingData: Sendable, Hashable {
  /// One tracepoint's format text with its system's name.
  public struct Format: Sendable, Hashable {
    /// Such as `sched`.
    public var system: String
    /// The text of tracefs `events/SYSTEM/NAME/format`.
    public var text: String

    /// Makes a format.
    public init(system: String, text: String) {
      self.system = system
      self.text = text
    }
  }

  /// Text of tracefs `events/header_page`.
  public var headerPage: String
  /// Text of tracefs `events/header_event`.
  public var headerEvent: String
  /// Formats of the `ftrace` system.
  public var ftraceFormats: [String] = []
  /// Formats of the trace's tracepoints.
  public var formats: [Format]
  /// Kernel symbols, usually none.
  public var kallsyms: [UInt8] = []
  /// Kernel format strings, usually none.
  public var printk: [UInt8] = []
  /// tracefs `saved_cmdlines`, usually none.
  public var savedCmdlines: [UInt8] = []
  /// Bytes of a `long` on the machine that recorded.
  public var longSize: UInt8 = 8
  /// Page size of the machine that recorded.
  public var pageSize: UInt32 = 4096

  /// Makes tracing data of formats.
  public init(headerPage: String = "", headerEvent: String = "", formats: [Format] = []) {
    self.headerPage = headerPage
    self.headerEvent = headerEvent
    self.formats = formats
  }

  /// Makes tracing data of pairs of system and format text.
  public init(headerPage: String, headerEvent: String, formats: [(String, String)]) {
    self.init(
      headerPage: headerPage, headerEvent: headerEvent,
      formats: formats.map { Format(system: $0.0, text: $0.1) })
  }
}

/// What the header of a trace says of the machine, the command and the events, as it is read and written.
///
/// Event names come from the attributes.
public struct FileFeatures: Sendable {
  /// Host name.
  public var hostname: String?
  /// Kernel release.
  public var osRelease: String?
  /// Version of the program that recorded.
  public var perfVersion: String?
  /// Machine, such as `x86_64`.
  public var architecture: String?
  /// CPUs online.
  public var cpusOnline: Int?
  /// CPUs configured.
  public var cpusAvailable: Int?
  /// The recorder's command line.
  public var commandLine: [String] = []
  /// The CPU's model name.
  public var cpuDescription: String?
  /// Memory of the machine.
  public var totalMemoryBytes: UInt64?
  /// Build ids of the modules seen.
  public var buildIDs: [BuildIDEntry] = []
  /// The clock of the samples where the trace says (1 is CLOCK_MONOTONIC).
  public var clockID: Int?
  /// Resolution of the clock in nanoseconds.
  public var clockResolutionNanoseconds: UInt64?
  /// Wall time paired with the trace's clock.
  public var clockData: ClockData?
  /// The formats of the tracepoints as recorded.
  public var tracingData: TracingData?
  /// Tracepoint layouts by event id (`EventAttribute.config`), as read: what is written is `tracingData`.
  public var tracepoints: [Int: TracepointFormat] = [:]
  /// Times of the first and last samples.
  public var sampleTime: SampleTimeRange?
  /// Sections that are kept and copied but not decoded, by feature bit.
  public var otherSections: [Int: [UInt8]] = [:]

  /// No features.
  public init() {}
}
