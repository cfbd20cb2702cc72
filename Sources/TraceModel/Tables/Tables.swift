import PerfData
import Quantities

/// What happened, one table for each kind of it: decoders and trackers fill them in, and a trace holds them.
///
/// A new table is a line here and one in `visit`, without which a test fails.
public struct Tables: Sendable {
  public internal(set) var processes: [ProcessModel] = []
  public internal(set) var threads: [ThreadModel] = []
  public internal(set) var wakeups = WakeupLog()
  public internal(set) var transfers = TransferLog()
  /// When transfers were sampled, with what they came to.
  var countedSpans: [CountedSpan] = []
  public internal(set) var connections: [Connection] = []
  public internal(set) var listeners: [Listener] = []
  public internal(set) var transferFailures: [TransferFailure] = []
  /// The subject's packets in order of time, where a capture was read.
  public internal(set) var packets: [CapturedPacket] = []
  public internal(set) var spinCalls: [SpinCall] = []
  public internal(set) var marks: [MarkRecord] = []
  /// What files held after they were written.
  public internal(set) var contents: [ContentReading] = []
  /// Tests that runners told of, in the order of their beginnings.
  public internal(set) var tests: [TestRun] = []
  public internal(set) var fileOperations = FileOperations()
  /// In the order of their openings.
  public internal(set) var openFiles: [OpenFile] = []
  /// Locks and inhibitors, in the order in which they were seen.
  public internal(set) var held: [HeldResource] = []
  public internal(set) var footprints: [Footprint] = []
  /// In the order of their first readings.
  public internal(set) var counters: [CounterSeries] = []
  public internal(set) var signals: [SignalDelivery] = []
  public internal(set) var processorSamples: [ProcessorSample] = []
  /// Blocked time of a trace without switches.
  public internal(set) var blockedSamples: [BlockedSample] = []
  /// Runs of jobs of Swift concurrency, in the order of their ends.
  public internal(set) var jobs = JobLog()
  public internal(set) var createdTasks = TaskLog()

  /// Does something to each table.
  mutating func visit(_ visitor: some TableVisitor) {
    visitor.visit(&processes)
    visitor.visit(&threads)
    visitor.visit(&wakeups)
    visitor.visit(&transfers)
    visitor.visit(&countedSpans)
    visitor.visit(&connections)
    visitor.visit(&listeners)
    visitor.visit(&transferFailures)
    visitor.visit(&packets)
    visitor.visit(&spinCalls)
    visitor.visit(&marks)
    visitor.visit(&contents)
    visitor.visit(&tests)
    visitor.visit(&fileOperations)
    visitor.visit(&openFiles)
    visitor.visit(&held)
    visitor.visit(&footprints)
    visitor.visit(&counters)
    visitor.visit(&signals)
    visitor.visit(&processorSamples)
    visitor.visit(&blockedSamples)
    visitor.visit(&jobs)
    visitor.visit(&createdTasks)
  }

  /// Leaves out what a process did before a moment, as another program.
  mutating func leaveOut(_ pid: Int32, before time: Timestamp) {
    struct Visitor: TableVisitor {
      let pid: Int32
      let time: Timestamp

      func visit(_ table: inout some TraceTable) { table.leaveOut(pid, before: time) }
    }
    visit(Visitor(pid: pid, time: time))
  }

  /// Keeps what was in a window.
  mutating func keep(_ window: TraceWindow.Bounds) {
    struct Visitor: TableVisitor {
      let window: TraceWindow.Bounds

      func visit(_ table: inout some TraceTable) { table.keep(window) }
    }
    visit(Visitor(window: window))
    fillProcessTotals()
  }
}
