import Packets
import PerfData
import Quantities
import Symbols

/// A recording, decoded: entities with their histories, in time order.
@dynamicMemberLookup
public struct Trace: Sendable {
  public internal(set) var metadata: TraceMetadata
  public internal(set) var capture: CaptureEvent?
  /// Why it was written while its recording went on.
  public internal(set) var trigger: TriggerEvent?
  public internal(set) var start: Timestamp
  public internal(set) var end: Timestamp
  /// What happened; each of them may be asked of the trace itself.
  public internal(set) var tables = Tables()
  public internal(set) var stacks = StackTable()
  /// System calls by thread, where all were recorded.
  public internal(set) var calls: [SystemCall.Key: SystemCall.Totals] = [:]
  /// Names of the events that were recorded.
  public internal(set) var eventNames: Set<String> = []

  /// The event whose samples show where threads ran; nil where there is none.
  public internal(set) var processorEvent: ProcessorEvent?
  /// The trace tells when threads got a CPU and left it.
  public internal(set) var tellsRuns = false

  /// The subject was running before what is looked at: an attached process, or a window of a recording.
  public internal(set) var startsLate = false
  /// For how long the subject had been running as what is looked at begins; nil where nothing tells.
  public internal(set) var ageAtStart: TimeSpan?

  /// The capture that `packets` are from.
  public internal(set) var packetSource: PacketSource?

  /// The machine's kind, such as `x86_64`.
  public internal(set) var architecture: String?

  /// The process that is scored, as `SubjectChoice` found it.
  public internal(set) var subject: ProcessModel

  /// Opens and decodes a trace.
  ///
  /// - Throws: `TraceError` with the reason, when the file is no trace, holds no process, or nothing of that in the
  ///   window that is asked for.
  ///
  /// - Parameter modules: files that were read for the names of another trace.
  public static func load(
    path: String, options: TraceOptions = .init(), modules: ModuleCache = ModuleCache()
  ) throws(TraceError) -> Trace {
    try load(series: [path], options: options, modules: modules)
  }

  /// Opens and decodes the files of one recording.
  ///
  /// - Throws: as `load(path:)`.
  public static func load(
    series paths: [String], options: TraceOptions = .init(), modules: ModuleCache = ModuleCache()
  ) throws(TraceError) -> Trace {
    let path = paths.first ?? ""
    if paths.count == 1, PacketCapture.isCapture(path: path) {
      let capture: PacketCapture
      do { capture = try PacketCapture.read(path: path) } catch { throw TraceError("\(error)") }
      let trace = Trace(capture: capture)
      return try trace.part(options.window)
    }
    let file: PerfDataFile
    do { file = try PerfDataFile(series: paths) } catch { throw TraceError(error, path: path) }
    return try load(file, named: path, options: options, modules: modules)
  }

  /// Decodes an open trace.
  ///
  /// - Throws: as `load(path:)`.
  public static func load(
    _ file: PerfDataFile, named path: String, options: TraceOptions = .init(),
    modules: ModuleCache = ModuleCache()
  ) throws(TraceError) -> Trace {
    var loader = TraceLoader(file: file, path: path, options: options, modules: modules)
    let trace = try loader.load()
    if options.window == nil, let window = trace.trigger?.window(from: trace.start) {
      return trace.limited(to: window)
    }
    return try trace.part(options.window)
  }

  /// The last so many seconds of it.
  public func last(_ seconds: Double) -> Trace {
    limited(to: TraceWindow(from: self.seconds(end) - seconds))
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

  /// One of the tables.
  @inlinable
  public subscript<Table>(dynamicMember table: KeyPath<Tables, Table>) -> Table {
    tables[keyPath: table]
  }

  /// All threads; told here because of the method of the same name.
  public var threads: [ThreadModel] { tables.threads }

  /// The threads of a process.
  public func threads(of pid: Int32) -> [ThreadModel] { threads.filter { $0.pid == pid } }

  /// The processes that a process started, and those that these did.
  public func descendants(of pid: Int32) -> Set<Int32> {
    let children = Dictionary(grouping: tables.processes.filter { $0.pid != $0.parentPid }) {
      $0.parentPid
    }
    var found: Set<Int32> = []
    var waiting = [pid]
    while let next = waiting.popLast() {
      for child in children[next] ?? [] where child.pid != pid {
        if found.insert(child.pid).inserted { waiting.append(child.pid) }
      }
    }
    return found
  }

  /// The event whose samples tell shares of the CPU time, where nothing tells how much that was.
  public var sharesEvent: ProcessorEvent? {
    tellsRuns || !tables.footprints.isEmpty || processorEvent?.isClock != false
      ? nil : processorEvent
  }

  /// Seconds from the start of the recording.
  public func seconds(_ time: Timestamp) -> Double { (time - start).seconds }
}
