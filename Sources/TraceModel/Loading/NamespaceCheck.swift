import PerfData
import Quantities

/// Finds out whether a trace was recorded in a PID namespace, and the ids in it.
struct NamespaceCheck {
  let file: PerfDataFile
  /// By attribute: where its tracepoint's field is that names the thread in which a sample is taken. The text of
  /// `perf script` holds no `common_pid`, but who switches is the thread itself.
  private let makers: [IntegerField?]
  private let ownEvent: Int?

  /// A sample tells at once, unless it is of the idle task, of a thread that is ending or of one outside.
  private static let enough = 64
  /// Not to read a large file for it that holds next to no tracepoints.
  private static let farthest = 16 << 20

  private struct Found: Error {}

  init(_ file: PerfDataFile) {
    self.file = file
    makers = file.attributes.map { attribute in
      // PERF_TYPE_TRACEPOINT.
      guard attribute.type == 2, attribute.sampleType.contains(.raw),
        attribute.sampleType.contains(.tid), let id = Int(exactly: attribute.config)
      else { return nil }
      let format = file.features.tracepoints[id]
      let field =
        format?.field("common_pid")
        ?? (format?.name == "sched_switch" ? format?.field("prev_pid") : nil)
      return field.flatMap { IntegerField($0) }
    }
    ownEvent = file.attributes.firstIndex { $0.name == SyntheticEvent.threadIDs.rawValue }
  }

  /// Whether tracepoints' fields name threads by other ids than samples do.
  func isNamespaced() -> Bool {
    var isWanted = makers.map { $0 != nil }
    guard isWanted.contains(true) else { return false }
    if let ownEvent { isWanted[ownEvent] = true }
    var (equal, different) = (0, 0)
    do throws(Found) {
      try file.forEachSample(ofAttributes: isWanted) { record throws(Found) in
        if Int(record.attribute) == ownEvent {
          different = Self.enough
        } else if let maker = maker(of: record), maker > 0, record.tid > 0 {
          if maker == record.tid { equal += 1 } else { different += 1 }
        }
        guard equal + different < Self.enough, record.offset < Self.farthest else { throw Found() }
      }
    } catch {}
    return different > equal
  }

  /// The ids of all threads of the namespace that made an event.
  func threadIDs() -> KernelThreadIDs {
    var ids = KernelThreadIDs()
    file.forEachSample(ofAttributes: makers.map { $0 != nil }) { record in
      guard let maker = maker(of: record), maker > 0, record.tid > 0 else { return }
      ids.learn(record.tid, is: maker, at: record.timestamp)
    }
    return ids
  }

  private func maker(of record: RecordEntry) -> Int32? {
    guard let field = makers[Int(record.attribute)], let payload = file.payload(of: record) else {
      return nil
    }
    return field.value(in: payload).map { Int32(truncatingIfNeeded: $0) }
  }
}
