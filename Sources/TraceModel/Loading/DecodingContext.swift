import PerfData
import Quantities

/// An attribute with its tracepoint's fields, each looked up once.
final class DecodedEvent {
  let attribute: EventAttribute
  let format: TracepointFormat?
  /// Samples that could not be decoded, by reason.
  var undecodable: [String: Int] = [:]
  private var integers: [(name: UnsafePointer<UInt8>, field: IntegerField?)] = []

  init(attribute: EventAttribute, format: TracepointFormat?) {
    self.attribute = attribute
    self.format = format
  }

  /// An integer field; equal literals of different places in the code may be kept twice.
  @inline(__always)
  func integer(_ name: StaticString) -> IntegerField? {
    let key = name.utf8Start
    for entry in integers where entry.name == key { return entry.field }
    return remember(name)
  }

  @inline(never)
  private func remember(_ name: StaticString) -> IntegerField? {
    let field = format?.field(name.description).flatMap { IntegerField($0) }
    integers.append((name.utf8Start, field))
    return field
  }
}

/// A sample with the format of its tracepoint; what a decoder does not ask for is not decoded.
///
/// One is made for each record: it does not own what its maker, the loader, has while it lives.
struct DecodingContext {
  unowned(unsafe) let file: PerfDataFile
  unowned(unsafe) let event: DecodedEvent
  let record: RecordEntry
  /// The raw payload; empty where the sample has none.
  let payload: UnsafeRawBufferPointer

  var time: Timestamp { record.timestamp }
  var pid: Int32 { record.pid }
  var tid: Int32 { record.tid }
  var attribute: EventAttribute { event.attribute }
  var format: TracepointFormat? { event.format }

  /// Everything that the sample holds; take it once, it is decoded anew each time.
  var sample: Sample {
    do { return try file.sample(record) } catch {
      event.undecodable["\(error)", default: 0] += 1
      var sample = Sample()
      sample.time = record.time
      sample.pid = record.pid
      sample.tid = record.tid
      sample.cpu = record.cpu
      return sample
    }
  }

  /// How many events this one stands for: above 1 where the recorder sampled.
  var weight: UInt64 { max(file.period(of: record) ?? event.attribute.samplePeriod, 1) }

  /// An integer field of the payload; nil when this kernel's format lacks it.
  @inline(__always)
  func integer(_ field: StaticString) -> Int64? { event.integer(field)?.value(in: payload) }

  /// The thread that a field names, as `LoaderState.thread`.
  @inline(__always)
  func thread(_ field: StaticString, _ state: borrowing LoaderState) -> Int32? {
    integer(field).map { state.thread(Int32(truncatingIfNeeded: $0), at: time) }
  }

  /// The thread that made a tracepoint's event; 0 for the idle task, -1 for one that the trace does not know.
  func maker(_ state: borrowing LoaderState) -> Int32 {
    guard state.kernelThreadIDs != nil, let common = integer("common_pid") else { return tid }
    return KernelThreadIDs.maker(tid, Int32(truncatingIfNeeded: common))
  }

  func string(_ field: String) -> String? { event.format?.field(field)?.string(in: payload) }

  /// The bytes of an array field.
  func bytes(_ field: String) -> [UInt8]? { event.format?.field(field)?.bytes(in: payload) }

  /// A user register at the sample, by perf's number.
  func userRegister(_ number: Int) -> UInt64? { file.userRegister(number, of: record) }
}

typealias SampleDecoder = @Sendable (DecodingContext, inout LoaderState) -> Void
