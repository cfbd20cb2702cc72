/// How the trace was taken, and what could not be.
public struct CaptureEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.capture

  /// Whether the program was started by the recorder or found running.
  public enum Mode: String, Codable, Sendable {
    /// Started by the recorder.
    case wrap
    /// Found running.
    case attach
  }

  /// Which events were asked for.
  public enum Scope: String, Codable, Sendable {
    /// Scheduler events of every CPU, filtered.
    case system
    /// Events of the process alone.
    case process
  }

  /// A signal that was not recorded.
  public struct Unavailable: Codable, Sendable, Hashable {
    /// The signal's name.
    public var signal: String
    /// Why, and what would help.
    public var reason: String

    /// Makes an entry.
    public init(signal: String, reason: String) {
      self.signal = signal
      self.reason = reason
    }
  }

  /// A span in which one event of many was recorded.
  public struct SampledSpan: Codable, Sendable, Hashable {
    /// The event's name.
    public var source: String
    /// First time, in nanoseconds on the trace's clock.
    public var fromNs: UInt64
    /// Last time, in nanoseconds on the trace's clock.
    public var toNs: UInt64
    /// One sample stands for this many events.
    public var period: UInt64
    /// How many events were counted in it; nil where none were.
    public var count: UInt64?
    /// How many samples were recorded of them. Each thread counts to the period by itself on each CPU: what is left
    /// over when it ends is in no sample.
    public var samples: UInt64?
    /// What each process sent, or received, in it: exactly. Nil where that was not counted.
    public var transfers: [ProcessTransfers]?

    /// Makes a span.
    public init(
      source: String, fromNs: UInt64, toNs: UInt64, period: UInt64, count: UInt64? = nil,
      samples: UInt64? = nil, transfers: [ProcessTransfers]? = nil
    ) {
      self.source = source
      self.fromNs = fromNs
      self.toNs = toNs
      self.period = period
      self.count = count
      self.samples = samples
      self.transfers = transfers
    }

    /// How many events a sample stands for.
    public var weight: Double {
      guard let count, let samples, samples > 0, count >= samples else { return Double(period) }
      return Double(count) / Double(samples)
    }
  }

  /// What a process sent, or received, over internet sockets.
  public struct ProcessTransfers: Codable, Sendable, Hashable {
    /// The process.
    public var pid: Int
    /// How many calls moved something.
    public var count: UInt64
    /// How many bytes they moved.
    public var bytes: UInt64

    /// Makes an entry.
    public init(pid: Int, count: UInt64, bytes: UInt64) {
      self.pid = pid
      self.count = count
      self.bytes = bytes
    }
  }

  /// How often an event really happened.
  public struct ExactCount: Codable, Sendable, Hashable {
    /// The event's name.
    public var source: String
    /// Its exact count.
    public var count: UInt64

    /// The source of calls that write, by /proc/PID/io.
    public static let writeCalls = "/proc/PID/io"

    /// Makes a count.
    public init(source: String, count: UInt64) {
      self.source = source
      self.count = count
    }
  }

  /// A span of which short slices were recorded.
  public struct Slices: Codable, Sendable, Hashable {
    /// First time, in nanoseconds on the trace's clock.
    public var fromNs: UInt64
    /// Last time, in nanoseconds on the trace's clock.
    public var toNs: UInt64
    /// How much of it was recorded, in nanoseconds.
    public var recordedNs: UInt64
    /// How many system calls that write there were in it, recorded or not, by /proc/PID/io; nil where that is not
    /// known.
    public var writeCalls: UInt64?
    /// How many of them the records stand for.
    public var recordedWriteCalls: UInt64?

    /// Makes a span.
    public init(
      fromNs: UInt64, toNs: UInt64, recordedNs: UInt64, writeCalls: UInt64? = nil,
      recordedWriteCalls: UInt64? = nil
    ) {
      self.fromNs = fromNs
      self.toNs = toNs
      self.recordedNs = recordedNs
      self.writeCalls = writeCalls
      self.recordedWriteCalls = recordedWriteCalls
    }

    /// How many events each recorded one stands for.
    public var weight: Double { Double(toNs &- fromNs) / Double(max(recordedNs, 1)) }

    /// How many system calls that write each recorded one stands for; a few tell less than time does.
    public var writeWeight: Double {
      guard let writeCalls, let recordedWriteCalls, recordedWriteCalls >= 100,
        writeCalls >= recordedWriteCalls
      else { return weight }
      return Double(writeCalls) / Double(recordedWriteCalls)
    }
  }

  /// A span in which records were lost: of what was done in it some is not told.
  public struct LostSpan: Codable, Sendable, Hashable {
    /// First time, in nanoseconds on the trace's clock.
    public var fromNs: UInt64
    /// Last time, in nanoseconds on the trace's clock.
    public var toNs: UInt64
    /// How many records were lost.
    public var records: UInt64
    /// How much of it they would have told of, in nanoseconds, as far as all records of it tell of as much.
    public var untoldNs: UInt64

    /// Makes a span.
    public init(fromNs: UInt64, toNs: UInt64, records: UInt64, untoldNs: UInt64) {
      self.fromNs = fromNs
      self.toNs = toNs
      self.records = records
      self.untoldNs = untoldNs
    }
  }

  /// Whether the program was started or found.
  public var mode: Mode
  /// Which events were asked for.
  public var scope: Scope
  /// With what right the recorder ran, in words.
  public var privilege: String
  /// The wrapped command.
  public var commandLine: [String]
  /// The process that was started or attached to.
  public var rootPid: Int
  /// What the trace is about, where the user said.
  public var subjectHint: String?
  /// Interval of the /proc readings in nanoseconds.
  public var intervalNs: UInt64
  /// Signals that were not recorded.
  public var unavailable: [Unavailable]
  /// CPU time that the recorder itself used.
  public var overheadCPUSeconds: Double
  /// False at the start; true in the one written at the end.
  public var complete: Bool
  /// Spans in which a source was sampled instead of recorded whole.
  public var sampled: [SampledSpan]
  /// Exact totals of sources that were sampled.
  public var exactCounts: [ExactCount]
  /// Spans in which all but the switches of threads was recorded in slices.
  public var slices: [Slices]?
  /// Spans in which records were lost, in order; nil where none were, or the recorder did not live to tell.
  public var lost: [LostSpan]?
  /// Version of the recorder.
  public var lullVersion: String
  /// Whether reads of 64 KiB and more are among the system calls.
  public var recordsLargeReads: Bool?
  /// Whether smaller reads of files are too.
  public var recordsSmallReads: Bool?
  /// By what means it was recorded, where not by perf events alone: `processRecorder`, `outsideRecorder` or
  /// `kernelRecorder`.
  public var recorder: String?
  /// The processes that were recorded from within, or looked at from outside, where that is how it was recorded: of
  /// others only /proc tells.
  public var processesRecorded: [Int]?
  /// The processes that were looked at from outside beside others that were recorded from within.
  public var processesLookedAt: [Int]?
  /// Whether the kernel told when threads that were looked at from outside left their CPUs and got one again.
  public var recordsSwitches: Bool?

  /// Which part of a recording that is kept in several it is about, counted from 1.
  public var part: Int?
  /// Whether transfers are what sockets counted between two looks, so that nothing tells how many calls they were.
  public var countsSockets: Bool?
  /// Whether the processes have UDP sockets as well, of which nothing is counted.
  public var missesDatagrams: Bool?
  /// How many connections there were that lived too short to tell whose they were; nil where these are few beside the
  /// others.
  public var connectionsOfUnknown: Int?
  /// What these carried in all.
  public var bytesOfUnknown: UInt64?

  /// In how many calls a process asked others for names (getaddrinfo), where what these sent and received is not seen.
  public var namesAsked: [NamesAsked]?

  /// The processes whose threads waited more often than is told, or may have, where their wakeups are told by that.
  public var missesWaits: [Int]?

  /// When the process that was started or attached to had begun, in nanoseconds on the trace's clock, as exactly as
  /// /proc tells (10 ms); nil where it does not.
  public var processStartNs: UInt64?

  /// What tells the sort of machine it was; recordings of before lack it.
  public var machine: MachineFacts?

  /// A process's calls for names.
  public struct NamesAsked: Codable, Sendable, Hashable {
    /// Its id.
    public var pid: Int
    /// How many there were.
    public var calls: Int

    /// Makes the value from its parts.
    public init(pid: Int, calls: Int) {
      (self.pid, self.calls) = (pid, calls)
    }
  }

  /// A library in the recorded programs.
  public static let processRecorder = "process"
  /// Looks at the recorded processes from outside.
  public static let outsideRecorder = "outside"
  /// Whether a process was looked at from outside beside others that were recorded from within.
  public func looksBesideAt(_ pid: Int32) -> Bool {
    processesLookedAt?.contains(Int(pid)) == true
  }

  /// Whether what is known of a process was seen from outside.
  public func looksAt(_ pid: Int32) -> Bool {
    recorder == Self.outsideRecorder || looksBesideAt(pid)
  }

  /// Programs in the kernel, beside perf events.
  public static let kernelRecorder = "kernel"

  /// Makes an event.
  public init(
    mode: Mode, scope: Scope, privilege: String = "", commandLine: [String] = [], rootPid: Int,
    subjectHint: String? = nil, intervalNs: UInt64 = 0, unavailable: [Unavailable] = [],
    overheadCPUSeconds: Double = 0, complete: Bool = false, sampled: [SampledSpan] = [],
    exactCounts: [ExactCount] = [], slices: [Slices]? = nil, lullVersion: String = "",
    recordsLargeReads: Bool? = nil
  ) {
    self.mode = mode
    self.scope = scope
    self.privilege = privilege
    self.commandLine = commandLine
    self.rootPid = rootPid
    self.subjectHint = subjectHint
    self.intervalNs = intervalNs
    self.unavailable = unavailable
    self.overheadCPUSeconds = overheadCPUSeconds
    self.complete = complete
    self.sampled = sampled
    self.exactCounts = exactCounts
    self.slices = slices
    self.lullVersion = lullVersion
    self.recordsLargeReads = recordsLargeReads
  }
}
