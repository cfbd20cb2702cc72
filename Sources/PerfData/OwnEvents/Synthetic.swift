/// The events that no kernel event gives, written as samples of named BPF-output attributes.
public enum SyntheticEvent: String, CaseIterable, Sendable {
  /// Memory, faults, times and I/O of a process, from /proc: `FootprintSample`.
  case footprint = "lull:footprint"
  /// A process began, was found or ended: `ProcessEvent`.
  case process = "lull:process"
  /// What a file descriptor stands for: `DescriptorEvent`.
  case descriptor = "lull:fd"
  /// The name of a kernel function seen in a callchain: `KernelSymbolEvent`.
  case kernelSymbol = "lull:ksym"
  /// How the trace was taken: `CaptureEvent`.
  case capture = "lull:capture"
  /// A counter's value: `CounterEvent`.
  case counter = "lull:counter"
  /// What a source of events could or could not do: JSON of the recorder's choice.
  case source = "lull:source"
  /// A function's name, embedded so that the trace needs no binaries: `SymbolEvent`.
  case symbol = "lull:symbol"
  /// A resolved stack, embedded: `StackEvent`.
  case stack = "lull:stack"
  /// A named moment or an end of a named interval: `MarkEvent`.
  case mark = "lull:mark"
  /// What a file holds after it was written: `ContentEvent`.
  case content = "lull:content"
  /// Under which ids tracepoints' fields name threads, in a PID namespace: `ThreadIDsEvent`.
  case threadIDs = "lull:tids"
  /// A lock or an inhibitor that a process holds, or no longer holds: `HeldEvent`.
  case held = "lull:held"
  /// A part of a recording that is kept in several begins: `PartEvent`.
  case part = "lull:part"
  /// Why the last seconds of a recording that goes on were written: `TriggerEvent`.
  case trigger = "lull:trigger"
  /// A dispatch queue that was found in the memory of a process: `QueueEvent`.
  case queue = "lull:queue"
  /// A thread waits as at an earlier time from here on: `EarlierStackEvent`.
  case wait = "lull:wait"
  /// A thread sends, reads or writes from where it did at an earlier time: `EarlierStackEvent`.
  case site = "lull:site"

  /// PERF_TYPE_SOFTWARE.
  public static let attributeType: UInt32 = 1
  /// PERF_COUNT_SW_BPF_OUTPUT: perf shows such samples' bytes and goes on.
  public static let attributeConfig: UInt64 = 10

  /// The attribute under which this event's samples are written.
  public func attribute(ids: [UInt64]) -> EventAttribute {
    EventAttribute(
      type: Self.attributeType, config: Self.attributeConfig, sampleType: [.base, .raw],
      ids: ids, name: rawValue)
  }

  /// The synthetic event of an attribute, told by its name.
  public init?(attribute: EventAttribute) {
    guard attribute.type == Self.attributeType, attribute.config == Self.attributeConfig else {
      return nil
    }
    self.init(rawValue: attribute.name)
  }
}

/// One reading of a process's memory, faults, times and I/O from /proc.
///
/// On disk: little-endian 64-bit words in the order of the properties; traces of before end after fewer.
public struct FootprintSample: Sendable, Hashable {
  /// Anonymous resident bytes.
  public var anonymous: UInt64 = 0
  /// File-backed resident bytes.
  public var file: UInt64 = 0
  /// Shared-memory resident bytes.
  public var sharedMemory: UInt64 = 0
  /// Swapped-out bytes.
  public var swapped: UInt64 = 0
  /// Resident bytes.
  public var resident: UInt64 = 0
  /// The most resident bytes so far.
  public var peakResident: UInt64 = 0
  /// Proportional set size in bytes; 0 where it was not read.
  public var proportional: UInt64 = 0
  /// Minor faults so far.
  public var minorFaults: UInt64 = 0
  /// Major faults so far.
  public var majorFaults: UInt64 = 0
  /// User CPU time so far, in nanoseconds.
  public var userTimeNs: UInt64 = 0
  /// System CPU time so far, in nanoseconds.
  public var systemTimeNs: UInt64 = 0
  /// Bytes read by system calls so far.
  public var readChars: UInt64 = 0
  /// Bytes written by system calls so far.
  public var writtenChars: UInt64 = 0
  /// Reading system calls so far.
  public var readCalls: UInt64 = 0
  /// Writing system calls so far.
  public var writeCalls: UInt64 = 0
  /// Bytes fetched from storage so far.
  public var storageReadBytes: UInt64 = 0
  /// Bytes sent to storage so far.
  public var storageWriteBytes: UInt64 = 0
  /// Bytes whose writing was made needless by truncation so far.
  public var cancelledWriteBytes: UInt64 = 0
  /// Threads now.
  public var threadCount: UInt64 = 0
  /// The signals that have a handler, from signal 1 in the lowest bit on (SigCgt of /proc/PID/status). The bit of
  /// SIGKILL, which can have none, says that they are known.
  public var caughtSignals: UInt64 = 0
  /// Bytes in pages of hugetlbfs, private and shared, which the kernel counts in no resident size.
  public var huge: UInt64 = 0

  /// SIGKILL's bit.
  public static let signalsKnown: UInt64 = 1 << 8

  /// Whether a signal has a handler; nil where that was not read.
  public func catches(_ signal: Int) -> Bool? {
    guard caughtSignals & Self.signalsKnown != 0, (1...64).contains(signal) else { return nil }
    return caughtSignals & 1 << UInt64(signal - 1) != 0
  }

  /// All zero.
  public init() {}

  /// Anonymous, swapped and shared-memory bytes, in huge pages too: what is nearest to Apple's
  /// phys_footprint.
  public var footprint: UInt64 { anonymous &+ swapped &+ sharedMemory &+ huge }

  private static var words: [WritableKeyPath<FootprintSample, UInt64>] {
    [
      \.anonymous, \.file, \.sharedMemory, \.swapped, \.resident, \.peakResident, \.proportional,
      \.minorFaults, \.majorFaults, \.userTimeNs, \.systemTimeNs, \.readChars, \.writtenChars,
      \.readCalls, \.writeCalls, \.storageReadBytes, \.storageWriteBytes, \.cancelledWriteBytes,
      \.threadCount, \.caughtSignals, \.huge,
    ]
  }

  /// As many words as every trace has.
  private static let fewestWords = 20

  /// What the kernel goes on counting when a process runs another program.
  private static var counts: [WritableKeyPath<FootprintSample, UInt64>] {
    [
      \.minorFaults, \.majorFaults, \.userTimeNs, \.systemTimeNs, \.readChars, \.writtenChars,
      \.readCalls, \.writeCalls, \.storageReadBytes, \.storageWriteBytes, \.cancelledWriteBytes,
    ]
  }

  /// The same reading with what was counted since an earlier one.
  public func counted(since earlier: FootprintSample) -> FootprintSample {
    var own = self
    for count in Self.counts {
      own[keyPath: count] -= min(own[keyPath: count], earlier[keyPath: count])
    }
    return own
  }

  /// The raw payload.
  public func encoded() -> [UInt8] {
    var output = ByteBuilder()
    for word in Self.words { output.append(self[keyPath: word]) }
    return output.bytes
  }

  /// Reads a raw payload; nil when it is shorter than its words.
  public init?(decoding raw: RawPayload) {
    self.init()
    for (index, word) in Self.words.enumerated() {
      guard let value = raw.unsignedInteger(at: index * 8, size: 8) else {
        if index < Self.fewestWords { return nil }
        break
      }
      self[keyPath: word] = value
    }
  }
}
