import Packets
import PerfData
import Quantities

/// A recording, decoded: entities with their histories, in time order.
public struct Trace: Sendable {
  public internal(set) var metadata: TraceMetadata
  public internal(set) var capture: CaptureEvent?
  public internal(set) var start: Timestamp
  public internal(set) var end: Timestamp
  public internal(set) var processes: [ProcessModel] = []
  public internal(set) var threads: [ThreadModel] = []
  public internal(set) var stacks = StackTable()
  public internal(set) var wakeups = WakeupLog()
  public internal(set) var transfers = TransferLog()
  /// When they were sampled, with what they came to.
  var countedSpans: [CountedSpan] = []
  public internal(set) var connections: [Connection] = []
  public internal(set) var listeners: [Listener] = []
  public internal(set) var transferFailures: [TransferFailure] = []
  public internal(set) var spinCalls: [SpinCall] = []
  public internal(set) var marks: [MarkRecord] = []
  /// What files held after they were written.
  public internal(set) var contents: [ContentReading] = []
  /// Tests that runners told of, in the order of their beginnings.
  public internal(set) var tests: [TestRun] = []
  public internal(set) var fileOperations = FileOperations()
  /// System calls by thread, where all were recorded.
  public internal(set) var calls: [SystemCall.Key: SystemCall.Totals] = [:]
  public internal(set) var footprints: [Footprint] = []
  /// In the order of their first readings.
  public internal(set) var counters: [CounterSeries] = []
  public internal(set) var signals: [SignalDelivery] = []
  public internal(set) var processorSamples: [ProcessorSample] = []
  /// Runs of jobs of Swift concurrency, in the order of their ends.
  public internal(set) var jobs = JobLog()
  public internal(set) var createdTasks = TaskLog()
  /// Names of the events that were recorded.
  public internal(set) var eventNames: Set<String> = []

  /// The subject was running before what is looked at: an attached process, or a window of a recording.
  public internal(set) var startsLate = false

  /// The subject's packets in order of time, where a capture was read.
  public internal(set) var packets: [CapturedPacket] = []
  /// The capture that they are from.
  public internal(set) var packetSource: PacketSource?

  /// The machine's kind, such as `x86_64`.
  public internal(set) var architecture: String?

  /// The process that is scored, as `SubjectChoice` found it.
  public internal(set) var subject: ProcessModel

  /// Opens and decodes a trace.
  ///
  /// - Throws: `TraceError` with the reason, when the file is no trace or holds no process.
  public static func load(path: String, options: TraceOptions = .init()) throws(TraceError)
    -> Trace
  {
    try load(series: [path], options: options)
  }

  /// Opens and decodes the files of one recording.
  ///
  /// - Throws: as `load(path:)`.
  public static func load(series paths: [String], options: TraceOptions = .init())
    throws(TraceError) -> Trace
  {
    let path = paths.first ?? ""
    if paths.count == 1, PacketCapture.isCapture(path: path) {
      let capture: PacketCapture
      do { capture = try PacketCapture.read(path: path) } catch { throw TraceError("\(error)") }
      let trace = Trace(capture: capture)
      return options.window.map { trace.limited(to: $0) } ?? trace
    }
    let file: PerfDataFile
    do { file = try PerfDataFile(series: paths) } catch { throw TraceError(error, path: path) }
    var loader = TraceLoader(file: file, path: path, options: options)
    var trace = try loader.load()
    trace.startsLate = trace.capture?.mode == .attach
    return options.window.map { trace.limited(to: $0) } ?? trace
  }

  /// Reads a capture of the same run and puts its packets in the place of what is modelled.
  ///
  /// - Throws: `TraceError` when it is no capture, or not one of this run.
  public mutating func merge(capturePath: String) throws(TraceError) {
    let capture: PacketCapture
    do { capture = try PacketCapture.read(path: capturePath) } catch {
      throw TraceError("\(error)")
    }
    guard packetSource == nil else {
      throw TraceError("\(metadata.path): is a capture itself; give a trace beside a capture")
    }
    try merge(capture)
  }

  /// The threads of a process.
  public func threads(of pid: Int32) -> [ThreadModel] { threads.filter { $0.pid == pid } }

  /// Seconds from the start of the recording.
  public func seconds(_ time: Timestamp) -> Double { (time - start).seconds }
}
