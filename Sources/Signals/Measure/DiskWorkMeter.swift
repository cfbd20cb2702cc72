import Quantities
import TraceModel

/// Tells what each operation asks of the disk, one after another in the order of the trace.
///
/// The first of a group of writes less than a second apart wakes the disk, a sync does so by itself; bytes are what
/// they are; a write elsewhere than behind the last one to its file makes the disk go there.
struct DiskWorkMeter {
  private var lastWrite: Timestamp?
  /// Where the last write to a file ended.
  private var ends: [String: UInt64] = [:]

  mutating func work(of operation: FileOperation) -> DiskWork {
    let path = operation.path ?? ""
    switch operation.kind {
    case .write:
      var work = DiskWork(bytes: operation.bytes &* operation.weight)
      if lastWrite.map({ (operation.time - $0).seconds >= DiskLedger.burstGap }) ?? true {
        work.operations = 1
      }
      lastWrite = operation.time
      if let offset = operation.offset {
        if let end = ends[path], end != offset {
          work.randomBlocks = Int(clamping: operation.weight)
        }
        ends[path] = offset &+ operation.bytes
      }
      return work
    case .sync: return DiskWork(operations: Int(clamping: operation.weight))
    case .rename(let from):
      ends[path] = ends.removeValue(forKey: from)
      return DiskWork()
    case .truncate, .open(truncates: true):
      ends[path] = nil
      return DiskWork()
    case .open, .read, .unlink: return DiskWork()
    }
  }
}

extension DiskWork {
  static func += (sum: inout DiskWork, more: DiskWork) {
    sum.operations += more.operations
    sum.bytes &+= more.bytes
    sum.randomBlocks += more.randomBlocks
  }
}
