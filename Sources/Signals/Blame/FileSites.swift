import Quantities
import TraceModel

/// Where a process wrote and read, of files of which no stack was taken.
///
/// Stacks are taken of a thread's writes and reads now and then. A file that had some lends them to all that the same
/// call did to it (`BlameSums.spread`); one that had none is taken to be where its thread was seen at the same call
/// nearest in time, or else at the same work, if that is not long before or after.
struct FileSites {
  /// Two of the pauses after which a busy thread has another stack taken.
  private static let farthest = 0.041

  private struct Work: Hashable {
    var tid: Int32
    var isRead: Bool
    var call: Int32?

    /// By whatever call.
    var ofAnyCall: Work { Work(tid: tid, isRead: isRead) }
  }

  private struct File: Hashable {
    var work: Work
    var path: String?
  }

  private var taken: [Work: [(time: Timestamp, stack: Int)]] = [:]
  private var files: Set<File> = []

  /// Operations in the order of time.
  init(_ operations: some Sequence<FileOperation>) {
    for operation in operations {
      guard let stack = operation.stack, let work = Self.work(of: operation) else { continue }
      taken[work, default: []].append((operation.time, stack))
      if work.call != nil { taken[work.ofAnyCall, default: []].append((operation.time, stack)) }
      files.insert(File(work: work.ofAnyCall, path: operation.path))
    }
  }

  private static func work(of operation: FileOperation) -> Work? {
    switch operation.kind {
    case .read: Work(tid: operation.tid, isRead: true, call: operation.call)
    case .write: Work(tid: operation.tid, isRead: false, call: operation.call)
    default: nil
    }
  }

  /// The stack to blame an operation on; nil where its file has some, or nothing tells.
  func stack(of operation: FileOperation) -> Int? {
    if let stack = operation.stack { return stack }
    guard let work = Self.work(of: operation),
      !files.contains(File(work: work.ofAnyCall, path: operation.path))
    else { return nil }
    return nearest(to: operation.time, of: work) ?? nearest(to: operation.time, of: work.ofAnyCall)
  }

  private func nearest(to time: Timestamp, of work: Work) -> Int? {
    guard let taken = taken[work] else { return nil }
    let next = taken.partitioningIndex { $0.time >= time }
    let nearest = [next - 1, next].filter(taken.indices.contains).map {
      (distance: abs((taken[$0].time - time).seconds), stack: taken[$0].stack)
    }.min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= Self.farthest else { return nil }
    return nearest.stack
  }
}
