import Quantities
import TraceModel

/// What a process had written besides the writes that were seen: through mappings of files, or asynchronously.
///
/// The kernel counts the pages that a process makes dirty, and what it has written past the page cache, to whatever end
/// (task_io_account_write): where that is clearly more than writes and what they do to folders can come to, the rest
/// went another way.
struct UnseenDeviceWrites {
  /// How much more it was, in bytes; nil where it is no more, or not known.
  let bytes: UInt64?
  /// Why what was seen is a part only; nil where it may be all.
  let text: String?

  /// A write makes two pages dirty besides whole ones.
  private static let ofWrite: UInt64 = 8 << 10
  /// What is opened, made, removed or synced writes to folders, tables and journals, a choice.
  private static let ofOther: UInt64 = 16 << 10
  /// Any program does a little, a choice.
  private static let least: UInt64 = 64 << 10

  init(_ subject: SubjectView, of writes: DeviceWrites, beside signal: DiskSignal) {
    let ways = subject.trace.metadata.unseenWays
    // Beside writes of which some are untold the rest is nothing.
    let device = subject.trace.metadata.untoldWrites.isEmpty ? writes.certainBytes : nil
    bytes = device.flatMap { device in
      let explained = Self.explained(subject, signal)
      return device > explained ? device - min(device, signal.bytesWritten) : nil
    }
    let isMappedUnknown = !ways.mapped.isEmpty && (bytes != nil || device == nil)
    guard bytes != nil || ways.hasRequests || isMappedUnknown else {
      text = nil
      return
    }
    var list: [String] = []
    if let first = ways.mapped.first, isMappedUnknown {
      let more = ways.mapped.count - 1
      list.append(
        "mappings of \(first)" + (more > 0 ? " and \(Figures.count(more, "file")) more" : ""))
    }
    if ways.submitted > 0 {
      list.append("\(Figures.count(Int(clamping: ways.submitted), "asynchronous request"))")
    }
    if ways.registered > 0 || ways.rings > 0 { list.append("io_uring") }
    let how = list.isEmpty ? "ways that are not seen" : list.joined(separator: ", ")
    text =
      bytes.map {
        "\(Figures.bytes($0)) more reached the device than the writes that were seen: by \(how)"
      } ?? "what is written and synced by \(how) is not seen"
  }

  /// The most that what was seen can have come to.
  private static func explained(_ subject: SubjectView, _ signal: DiskSignal) -> UInt64 {
    var others: UInt64 = 0
    for operation in subject.trace.fileOperations.matching({ $0.pid == subject.pid }) {
      switch operation.kind {
      case .write, .read: break
      default: others &+= operation.weight
      }
    }
    let written = signal.sampledBytes == nil ? signal.bytesWritten : 2 &* signal.bytesWritten
    return written &+ UInt64(signal.writes) &* ofWrite &+ others &* ofOther &+ least
  }
}
