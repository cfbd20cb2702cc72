import PerfData
import Quantities

/// One process of the recording and its totals.
public struct ProcessModel: Sendable {
  /// What a process did before it ran its last program.
  public struct Earlier: Sendable, Hashable {
    public var cpuSeconds: Double
    public var bytesWritten: UInt64
  }

  public var pid: Int32
  public var parentPid: Int32
  public var name: String
  public var executable: String?
  public var commandLine: [String]
  public var isSwift: Bool
  public var swiftVersion: String?
  /// How much of the executable is code, in bytes; nil where it was not looked at.
  public var codeBytes: UInt64?
  public var exitStatus: Int?
  /// The signal that ended the process.
  public var signal: Int?
  public var start: Timestamp
  /// When it became the program that it ended as, by its last exec; nil where it ran no other.
  public var programStart: Timestamp?
  public var end: Timestamp?
  /// From when on its events were not recorded: the kernel ended them, as a program began that has other rights than
  /// who started it.
  public var unrecordedFrom: Timestamp?
  public var threadCount: Int
  public var children: [Int32]
  /// The kernel's own figure at the exit, exact where a parent could ask for it.
  public var peakResidentBytes: UInt64?

  /// What it did as other programs, before it became the one that it ended as; nil where that is nothing, and of all
  /// but the trace's subject.
  public var earlier: Earlier?

  // Totals.
  public var cpuSeconds: Double = 0
  /// What its samples of the CPUs stand for, in the event's unit.
  var sampledPeriods: UInt64 = 0
  public var wakeups: Int = 0
  public var bytesWritten: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var bytesReceived: UInt64 = 0
  public var peakFootprintBytes: UInt64 = 0
  /// When its memory was last read.
  public var lastReading: Timestamp?

  /// Whether what its memory came to is not known: it ended within the distance of two readings, later after the last
  /// one than it had lived by then, and its resident peak, which bounds it, was not told either.
  public func outlivedReadings(every interval: UInt64) -> Bool {
    guard let end, let lastReading, peakResidentBytes == nil else { return false }
    let begin = programStart ?? start
    return end - start < TimeSpan(nanoseconds: Int64(clamping: 2 * interval))
      && end - lastReading > lastReading - begin
  }
}

extension ProcessModel: WholeRow {
  func kept(in window: TraceWindow.Bounds) -> ProcessModel? {
    window.meets(start, end) ? limited(to: window) : nil
  }

  /// As if it had lived in the window alone, with nothing added up yet.
  func limited(to window: TraceWindow.Bounds) -> ProcessModel {
    var part = self
    part.start = max(start, window.from)
    if let end, end > window.to { part.end = nil }
    part.cpuSeconds = 0
    part.sampledPeriods = 0
    part.wakeups = 0
    part.bytesWritten = 0
    part.bytesSent = 0
    part.bytesReceived = 0
    part.peakFootprintBytes = 0
    part.lastReading = nil
    part.earlier = nil
    return part
  }
}
