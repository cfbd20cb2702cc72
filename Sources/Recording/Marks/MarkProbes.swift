import CPerfEvent
import Glibc
import PerfData

/// Probes on the empty functions of the LullMarks library, in whatever program has them.
///
/// They are defined when a program with those functions is mapped, so they have rings of their own, and what
/// they give is written as `lull:mark` events.
final class MarkProbes {
  private static let functions: [(name: String, kind: MarkEvent.Kind, arguments: String)] = [
    ("lull_mark", .mark, "name=+0($1):ustring"),
    ("lull_interval_begin", .begin, "name=+0($1):ustring id=$2:u64"),
    ("lull_interval_end", .end, "name=+0($1):ustring id=$2:u64"),
  ]
  private static let ringBytes = 64 << 10
  /// Each takes three descriptors of each CPU.
  private static let mostFiles = 64

  /// A mark, who made it, and when, in nanoseconds of the monotonic clock.
  typealias Mark = (event: MarkEvent, pid: Int32, time: UInt64)

  private struct Source {
    var kind: MarkEvent.Kind
    var format: TracepointFormat
  }

  private let tracefs: TraceFS
  private let cpus: [Int32]
  private let group = UprobeSet.newGroup(of: getpid())
  /// Files that were looked at, and those of them that have the functions.
  private var seen = RecentTable<String, Void>(most: 4096)
  private var probed: Set<String> = []
  private var names: [String] = []
  private var sources: [UInt64: Source] = [:]
  private var descriptors: [Int32] = []
  private var rings: [Int32: PerfRing] = [:]
  /// Why some marks are not recorded: the first reason.
  private var problem: String?
  /// Marks of threads of which the other rings may tell first.
  private var received: [Mark] = []
  private let isRecorded: (_ tid: Int32) -> Bool

  /// Probes what is mapped before recording begins; others are found as they are mapped.
  init(
    tracefs: TraceFS, cpus: [Int32], files: Set<String>,
    isRecorded: @escaping (_ tid: Int32) -> Bool
  ) {
    self.tracefs = tracefs
    self.cpus = cpus
    self.isRecorded = isRecorded
    for file in files { consider(file) }
  }

  deinit {
    rings.removeAll()
    for fd in descriptors { close(fd) }
    for name in names { try? tracefs.append("-:\(group)/\(name)\n", to: UprobeSet.definitions) }
  }

  /// Puts probes into a program or library that has the functions.
  private func consider(_ path: String) {
    guard seen[path] == nil, !probed.contains(path) else { return }
    seen[path] = ()
    guard !path.hasPrefix("/usr/lib"), !path.hasPrefix("/lib"), let file = ElfFile(path: path)
    else { return }
    let found = file.functions(named: Set(Self.functions.map(\.name)))
    guard !found.isEmpty else { return }
    guard probed.count < Self.mostFiles else {
      problem = problem ?? "those of more than \(Self.mostFiles) programs are not recorded"
      return
    }
    probed.insert(path)
    let opened = OwnedDescriptor(opening: path)
    let target =
      path.contains(where: \.isWhitespace) ? "/proc/self/fd/\(opened?.number ?? -1)" : path
    for (name, kind, arguments) in Self.functions {
      guard let function = found[name] else { continue }
      let site = ProbeSite(function)
      let event = "\(name)_\(probed.count)"
      do throws(RecordingError) {
        let fetched = ProbeTemplate(
          function: name, entry: arguments, result: nil, onlyIfCheap: false
        ).entryArguments
        try tracefs.append(
          "p:\(group)/\(event) \(target):0x\(String(site.fileOffset, radix: 16)) \(fetched)\n",
          to: UprobeSet.definitions)
        names.append(event)
        guard let id = tracefs.eventID(group, event), let text = tracefs.format(group, event),
          let format = TracepointFormat(parsing: text)
        else { continue }
        open(id: id, Source(kind: kind, format: format))
      } catch {
        problem = problem ?? "those of \(path) are not recorded: \(error.message)"
        return
      }
    }
  }

  private func open(id: UInt64, _ source: Source) {
    var event = lull_event()
    event.type = EventSpec.Kind.tracepoint.type
    event.config = id
    event.sample_period = 1
    event.sample_type = SampleFields([.identifier, .tid, .time, .raw]).rawValue
    event.flags = EventAttribute.useClockIDFlag
    event.clockid = Int32(CLOCK_MONOTONIC)
    event.wakeup = 1
    for cpu in cpus {
      let fd = lull_perf_event_open(&event, -1, cpu, -1)
      guard fd >= 0 else {
        note(-fd, cpu)
        continue
      }
      descriptors.append(fd)
      var error: Int32 = 0
      if let ring = rings[cpu] {
        error = -lull_perf_set_output(fd, ring.descriptor)
      } else {
        rings[cpu] = PerfRing(
          descriptor: fd, cpu: cpu, bytes: Self.ringBytes, wakesAtOnce: true, error: &error)
      }
      if error != 0 { note(error, cpu) }
      var eventID: UInt64 = 0
      if lull_perf_id(fd, &eventID) == 0 { sources[eventID] = source }
    }
  }

  private func note(_ error: Int32, _ cpu: Int32) {
    problem = problem ?? "those on CPU \(cpu) are not recorded: \(KernelFile.errorText(error))"
  }

  /// The marks that came since the last look, of every process that has the functions.
  private func receive() -> [Mark] {
    var marks: [Mark] = []
    for ring in rings.values {
      let end = ring.head()
      ring.walk(from: ring.position, to: end) { at, type, size in
        if type == RecordType.sample, size >= 40, let mark = mark(ring, at, size) {
          marks.append(mark)
        }
      }
      ring.position = end
      ring.release()
    }
    return marks.sorted { $0.time < $1.time }
  }

  /// A sample is: header, identifier, pid and tid, time, size of the raw bytes, the raw bytes.
  private func mark(_ ring: PerfRing, _ at: UInt64, _ size: UInt64) -> Mark? {
    guard let source = sources[ring.word(at + 8)] else { return nil }
    let raw = ring.bytes(from: at + 36, to: min(at + 36 + UInt64(ring.half(at + 32)), at + size))
    return raw.withUnsafeBytes { bytes in
      guard let name = source.format.field("name")?.string(in: bytes) else { return nil }
      let identifier = source.format.field("id")?.integer(in: bytes)
      let event = MarkEvent(
        name: name, kind: source.kind, how: "library",
        identifier: identifier.map { UInt64(bitPattern: $0) }, tid: Int(ring.signed(at + 20)))
      return (event, ring.signed(at + 16), ring.word(at + 24))
    }
  }
}

extension MarkProbes: RecordingSource {
  var unavailable: [CaptureEvent.Unavailable] {
    problem.map { [CaptureEvent.Unavailable(.marks, $0)] } ?? []
  }

  func descriptors(now: UInt64) -> [Int32] { rings.values.map(\.descriptor) }

  /// Before the rings of the target: what they hold then tells of every thread that made one of these.
  func prepare() { received = receive() }

  /// Marks of the library count for recorded processes only; the functions may be in many programs.
  func collect(_ round: Round) throws(PerfDataError) {
    for mark in received where isRecorded(Int32(clamping: mark.event.tid ?? 0)) {
      try round.sink.append(mark.event, pid: mark.pid, time: mark.time)
    }
  }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    if case .fileMapped(_, let path, _, _) = observation { consider(path) }
  }

  func remove(_ leftovers: Leftovers) {
    rings.removeAll()
    leftovers.add(descriptors)
    descriptors.removeAll()
    for name in names { leftovers.add(definition: "\(group)/\(name)") }
    names.removeAll()
  }
}
