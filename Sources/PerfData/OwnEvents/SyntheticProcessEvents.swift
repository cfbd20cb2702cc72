/// A process began, was found, changed its program or ended.
public struct ProcessEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.process

  /// What happened to the process.
  public enum Kind: String, Codable, Sendable {
    /// The recorder started it.
    case start
    /// It runs another program now.
    case exec
    /// The recorder found it running.
    case attach
    /// It ended.
    case exit
    /// Nothing but where it works is told.
    case moved
  }

  /// A thread with its name.
  public struct Thread: Codable, Sendable, Hashable {
    /// Thread id.
    public var tid: Int
    /// The kernel's name for the thread, at most 15 bytes.
    public var name: String

    /// Makes a thread.
    public init(tid: Int, name: String) {
      self.tid = tid
      self.name = name
    }
  }

  /// The process.
  public var pid: Int
  /// Its parent.
  public var parentPid: Int
  /// What happened.
  public var kind: Kind
  /// Path of the executable.
  public var executable: String
  /// Arguments, the program's name first.
  public var commandLine: [String]
  /// Whether the program is Swift, where it was looked at.
  public var isSwift: Bool?
  /// How much of the executable is code, in bytes: its segments that may be executed.
  public var codeBytes: UInt64?
  /// Version of the Swift compiler or runtime, where it is known.
  public var swiftVersion: String?
  /// Exit status, for an end that is not by a signal.
  public var exitStatus: Int?
  /// The signal that ended the process.
  public var signal: Int?
  /// The most resident bytes, as the kernel gave them at the end.
  public var peakResidentBytes: UInt64?
  /// Threads that were there when the process was found.
  public var threads: [Thread]?
  /// The kernel has ended the events of the process: its program has other rights than who started it (set-user-ID,
  /// set-group-ID or file capabilities). Left out where it has not.
  public var endedEvents: Bool?
  /// The folder in which it works, as the recorder looked.
  public var workingFolder: String?

  /// Makes an event.
  public init(
    pid: Int, parentPid: Int = 0, kind: Kind, executable: String = "",
    commandLine: [String] = [], isSwift: Bool? = nil, swiftVersion: String? = nil,
    exitStatus: Int? = nil, signal: Int? = nil, peakResidentBytes: UInt64? = nil,
    threads: [Thread]? = nil, endedEvents: Bool? = nil, workingFolder: String? = nil
  ) {
    self.endedEvents = endedEvents
    self.workingFolder = workingFolder
    self.pid = pid
    self.parentPid = parentPid
    self.kind = kind
    self.executable = executable
    self.commandLine = commandLine
    self.isSwift = isSwift
    self.swiftVersion = swiftVersion
    self.exitStatus = exitStatus
    self.signal = signal
    self.peakResidentBytes = peakResidentBytes
    self.threads = threads
  }
}

/// What a file descriptor stands for, from the sample's time on.
public struct DescriptorEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.descriptor

  /// What a descriptor stands for.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A file on a disk.
    case regular
    /// A pipe or FIFO.
    case pipe
    /// A socket.
    case socket
    /// A terminal.
    case terminal
    /// A file in memory.
    case tmpfs
    /// A file of /proc or /sys.
    case proc
    /// Another device.
    case device
    /// Anything else.
    case other
  }

  /// The process.
  public var pid: Int
  /// The descriptor.
  public var fd: Int
  /// Path of the file, or the kernel's name of the object.
  public var path: String
  /// What the descriptor stands for.
  public var kind: Kind
  /// open's flags, where known.
  public var flags: Int?
  /// When open returned, in nanoseconds on the trace's clock.
  public var returnedAt: UInt64?
  /// How large a regular file was, in bytes, as the recorder looked at it.
  public var size: UInt64?
  /// How a property list is written, by its first bytes: `binary` or `text`; nil of other files.
  public var format: String?

  /// Of a property list in binary form.
  public static let binaryFormat = "binary"
  /// Of one in XML or the old text form.
  public static let textFormat = "text"

  /// Makes an event.
  public init(
    pid: Int, fd: Int, path: String, kind: Kind, flags: Int? = nil, returnedAt: UInt64? = nil,
    size: UInt64? = nil, format: String? = nil
  ) {
    self.pid = pid
    self.fd = fd
    self.path = path
    self.kind = kind
    self.flags = flags
    self.returnedAt = returnedAt
    self.size = size
    self.format = format
  }
}
