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

  private struct Source {
    var kind: MarkEvent.Kind
    var format: TracepointFormat
  }

  private let tracefs: TraceFS
  private let cpus: [Int32]
  private let group = "lull_\(getpid())"
  private var seen: Set<String> = []
  private var names: [String] = []
  private var sources: [UInt64: Source] = [:]
  private var descriptors: [Int32] = []
  private var rings: [PerfRing] = []
  /// Why programs with marks could not be probed.
  private(set) var problems: [String] = []

  init(tracefs: TraceFS, cpus: [Int32]) {
    self.tracefs = tracefs
    self.cpus = cpus
  }

  /// What to poll.
  var ringDescriptors: [Int32] { rings.map(\.descriptor) }

  /// Puts probes into a program or library that has the functions.
  func consider(_ path: String) {
    guard seen.insert(path).inserted, !path.hasPrefix("/usr/lib"), !path.hasPrefix("/lib"),
      let file = ElfFile(path: path)
    else { return }
    let found = file.functions(named: Set(Self.functions.map(\.name)))
    guard !found.isEmpty else { return }
    let opened = OwnedDescriptor(opening: path)
    let target =
      path.contains(where: \.isWhitespace) ? "/proc/self/fd/\(opened?.number ?? -1)" : path
    for (name, kind, arguments) in Self.functions {
      guard let function = found[name] else { continue }
      let site = ProbeSite(function)
      let event = "\(name)_\(seen.count)"
      do throws(RecordingError) {
        let fetched = ProbeTemplate(
          function: name, entry: arguments, result: nil, onlyIfCheap: false
        ).entryArguments
        try tracefs.append(
          "p:\(group)/\(event) \(target):0x\(String(site.fileOffset, radix: 16)) \(fetched)\n",
          to: "uprobe_events")
        names.append(event)
        guard let id = tracefs.eventID(group, event), let text = tracefs.format(group, event),
          let format = TracepointFormat(parsing: text)
        else { continue }
        open(id: id, Source(kind: kind, format: format))
      } catch {
        problems.append("marks of \(path) are not recorded: \(error.message)")
        return
      }
    }
  }

  private func open(id: UInt64, _ source: Source) {
    var event = lull_event()
    event.type = EventSpec.tracepoint
    event.config = id
    event.sample_period = 1
    event.sample_type = SampleFields([.identifier, .tid, .time, .raw]).rawValue
    event.flags = EventAttribute.useClockIDFlag
    event.clockid = Int32(CLOCK_MONOTONIC)
    event.wakeup = 1
    for (index, cpu) in cpus.enumerated() {
      let fd = lull_perf_event_open(&event, -1, cpu, -1)
      guard fd >= 0 else {
        problems.append("marks are not recorded: \(KernelFile.errorText(-fd))")
        continue
      }
      descriptors.append(fd)
      if index < rings.count {
        _ = lull_perf_set_output(fd, rings[index].descriptor)
      } else {
        var error: Int32 = 0
        guard
          let ring = PerfRing(
            descriptor: fd, cpu: cpu, bytes: Self.ringBytes, wakesAtOnce: true, error: &error)
        else { continue }
        rings.append(ring)
      }
      var eventID: UInt64 = 0
      if lull_perf_id(fd, &eventID) == 0 { sources[eventID] = source }
    }
  }

  /// The marks that came since the last look, of every process that has the functions.
  func receive() -> [(event: MarkEvent, pid: Int32, time: UInt64)] {
    var marks: [(event: MarkEvent, pid: Int32, time: UInt64)] = []
    for ring in rings {
      var at = ring.position
      let end = ring.head()
      while at < end {
        let header = ring.word(at)
        let size = header >> 48
        if size < 8 { break }
        if UInt32(truncatingIfNeeded: header) == RecordType.sample, size >= 40,
          let mark = mark(ring, at, size)
        {
          marks.append(mark)
        }
        at += size
      }
      ring.position = end
      ring.release()
    }
    return marks.sorted { $0.time < $1.time }
  }

  /// A sample is: header, identifier, pid and tid, time, size of the raw bytes, the raw bytes.
  private func mark(_ ring: PerfRing, _ at: UInt64, _ size: UInt64) -> (
    event: MarkEvent, pid: Int32, time: UInt64
  )? {
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

  /// Closes the events and removes the definitions.
  func remove() {
    rings.removeAll()
    for fd in descriptors { close(fd) }
    descriptors.removeAll()
    for name in names { try? tracefs.append("-:\(group)/\(name)\n", to: "uprobe_events") }
    names.removeAll()
  }
}
