import PerfData
import Quantities

/// What to record, for how long and where to.
public struct RecordingOptions: Sendable {
  /// What is recorded.
  public enum Target: Sendable, Equatable {
    /// A command that the recorder starts: the program and its arguments.
    case command([String])
    /// A running process with all its threads.
    case pid(Int32)
  }

  /// Which events may be asked of the kernel.
  public enum Scope: String, Sendable {
    /// Scheduler and socket events of every CPU, of which only the target's are kept.
    case system
    /// Events of the target's own threads alone; who woke them is then unknown.
    case process
  }

  /// What is recorded.
  public var target: Target
  /// The longest time to record; nil until the target ends.
  public var duration: TimeSpan?
  /// Where the trace is written; the file must not exist.
  public var outputPath: String
  /// The time between two readings of /proc, reached from 1 ms by doubling.
  public var footprintInterval = TimeSpan(nanoseconds: 100_000_000)
  /// Counters by libpfm4 names; nil for the default ones, empty for none.
  public var counters: [String]?
  /// Which events may be asked of the kernel.
  public var scope = Scope.system
  /// Samples of the CPU clock per second of each running thread; 0 for none.
  ///
  /// 97 is a prime near 100, so that it does not beat with timers of round periods.
  public var sampleFrequency: UInt64 = 97
  /// Bytes of user stack in a sample.
  ///
  /// Without frame pointers a program is found below Foundation only with as much: reading a file into `Data` takes
  /// 2.6 to 3 KB of stack (Swift 6.3, x86-64), all else that was tried less.
  public var stackBytes: UInt32 = 3072
  /// Which process the report is to be about: a name or a pid.
  public var processHint: String?
  /// Version that the trace names as its recorder.
  public var version = "1"
  /// Recorder's own command line, for the trace's header.
  public var ownCommandLine: [String] = []
  /// Called with the root process once everything is armed, before the command runs.
  public var onReady: (@Sendable (Int32) -> Void)?

  /// Options with the defaults that suit most programs.
  public init(target: Target, outputPath: String) {
    self.target = target
    self.outputPath = outputPath
  }
}

/// What came of a recording.
public struct RecordingResult: Sendable {
  /// The trace that was written.
  public var tracePath: String
  /// The status to exit with: the command's, 128 + n after signal n, 126 or 127 as a shell.
  public var exitStatus: Int32
  /// The signal that ended the command.
  public var childSignal: Int32?
  /// Records that did not fit the ring buffers.
  public var lostRecords: UInt64
  /// CPU time of the recorder itself.
  public var overheadCPUSeconds: Double
  /// The process that was started or attached to.
  public var rootPid: Int32
  /// From the release of the command, or the end of attaching, to the end.
  public var durationSeconds: Double
  /// What went wrong without ending the recording, one line each.
  public var problems: [String]
  /// Why the trace could not be written to its end; what was written before is readable.
  public var truncation: String?
}
