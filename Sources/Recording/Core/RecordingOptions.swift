import PerfData
import Quantities

/// What to record, for how long and where to.
package struct RecordingOptions: Sendable {
  /// What is recorded.
  package enum Target: Sendable, Equatable {
    /// A command that the recorder starts: the program and its arguments.
    case command([String])
    /// A running process with all its threads.
    case pid(Int32)
  }

  /// Which events may be asked of the kernel.
  package enum Scope: String, Sendable {
    /// Scheduler and socket events of every CPU, of which only the target's are kept.
    case system
    /// Events of the target's own threads alone; who woke them is then unknown.
    case process
  }

  /// What is recorded.
  package var target: Target
  /// The longest time to record; nil until the target ends.
  package var duration: TimeSpan?
  /// Where the trace is written; the file must not exist.
  package var outputPath: String
  /// Whether a file at that path is removed first.
  package var overwrites = false
  /// The time between two readings of /proc, reached from 1 ms by doubling.
  package var footprintInterval = TimeSpan(nanoseconds: 100_000_000)
  /// Counters by libpfm4 names; nil for the default ones, empty for none.
  package var counters: [String]?
  /// Which events may be asked of the kernel.
  package var scope = Scope.system
  /// By what means it is recorded.
  package var recorder = RecorderKind.auto
  /// Samples of the CPU clock per second of each running thread; 0 for none.
  ///
  /// 97 is a prime near 100, so that it does not beat with timers of round periods.
  package var sampleFrequency: UInt64 = 97
  /// Bytes of user stack in a sample.
  ///
  /// Without frame pointers a program is found below Foundation only with as much: reading a file into `Data` takes
  /// 2.6 to 3 KB of stack (Swift 6.3, x86-64), all else that was tried less.
  package var stackBytes: UInt32 = 3072
  /// CPU time between two samples, in nanoseconds; 0 where none are taken.
  package var sampleInterval: UInt64 {
    sampleFrequency > 0 ? 1_000_000_000 / sampleFrequency : 0
  }
  /// Of a process that is attached to: whether the children that it has already are recorded too. Those that it starts
  /// later always are.
  package var takesChildren = true
  /// Which process the report is to be about: a name or a pid.
  package var processHint: String?
  /// Version that the trace names as its recorder.
  package var version = "1"
  /// Ends the recording when the process that asked for it ends, however that comes.
  package var endsWithParent = false
  /// Recorder's own command line, for the trace's header.
  package var ownCommandLine: [String] = []
  /// How it is kept in parts; nil for one file. What `outputPath` names is a folder then.
  package var parts: RecordingParts?
  /// Called with the root process once everything is armed, before the command runs.
  package var onReady: (@Sendable (Int32) -> Void)?
  /// Called twice a second while it is recorded.
  package var onProgress: (@Sendable (RecordingProgress) -> Void)?

  /// Options with the defaults that suit most programs.
  package init(target: Target, outputPath: String) {
    self.target = target
    self.outputPath = outputPath
  }
}

/// How far a recording has come.
package struct RecordingProgress: Sendable {
  package var seconds: Double
  /// Records of perf events.
  package var records: Int
  /// Of the trace, so far.
  package var bytes: UInt64
}

/// What came of a recording.
package struct RecordingResult: Sendable {
  /// The trace that was written.
  package var tracePath: String
  /// The status to exit with: the command's, 128 + n after signal n, 126 or 127 as a shell.
  package var exitStatus: Int32
  /// The signal that ended the command.
  package var childSignal: Int32?
  /// Records that did not fit the ring buffers.
  package var lostRecords: UInt64
  /// CPU time of the recorder itself.
  package var overheadCPUSeconds: Double
  /// The process that was started or attached to.
  package var rootPid: Int32
  /// From the release of the command, or the end of attaching, to the end.
  package var durationSeconds: Double
  /// What went wrong without ending the recording, one line each.
  package var problems: [String]
  /// Why the trace could not be written to its end; what was written before is readable.
  package var truncation: String?
  /// Programs and libraries that are not at their paths, or not on this side of a mount namespace.
  package var heldFiles: HeldFiles
}
