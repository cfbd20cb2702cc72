import Quantities
import TraceModel

/// Counts blocks that writes touched against those that what they changed would fill.
///
/// A spell is what is written to one file between two syncs, or with pauses of less than a second. Where writes say
/// where they go (pwrite and the like), the blocks are known; where a file was written anew and its contents were
/// compared, so is what changed. A save that changed nothing is no matter of where things stand in a file.
enum WriteLocalityMeasure {
  private static let blockBytes: UInt64 = 4096
  private static let mostFiles = 5

  private struct Spell {
    var blocks: Set<UInt64> = []
    var bytes: UInt64 = 0
    var last = Timestamp(nanoseconds: 0)
  }

  static func measure(_ subject: SubjectView, _ disk: DiskSignal) -> WriteLocality? {
    var open: [String: Spell] = [:]
    var files: [String: WriteLocality.File] = [:]
    var spells = 0
    func add(_ path: String, touched: Int, needed: Int) {
      guard touched > 0 else { return }
      spells += 1
      files[path, default: .init(path: path, touchedBlocks: 0, neededBlocks: 0)].touchedBlocks +=
        touched
      files[path, default: .init(path: path, touchedBlocks: 0, neededBlocks: 0)].neededBlocks +=
        min(max(needed, 1), touched)
    }
    func end(_ path: String) {
      guard let spell = open.removeValue(forKey: path) else { return }
      add(
        path, touched: spell.blocks.count,
        needed: Int((spell.bytes + blockBytes - 1) / blockBytes))
    }
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid) {
      guard let path = operation.path else { continue }
      switch operation.kind {
      case .write:
        // One of many stands for others, of which nobody knows where they went.
        guard let offset = operation.offset, operation.weight == 1, operation.bytes > 0,
          operation.bytes < 1 << 30
        else { continue }
        if let spell = open[path], (operation.time - spell.last).seconds >= DiskLedger.burstGap {
          end(path)
        }
        let last = (offset &+ operation.bytes - 1) / blockBytes
        guard last >= offset / blockBytes else { continue }
        open[path, default: Spell()].blocks.formUnion(offset / blockBytes...last)
        open[path, default: Spell()].bytes &+= operation.bytes
        open[path, default: Spell()].last = operation.time
      case .sync: end(path)
      default: break
      }
    }
    for path in open.keys.sorted() { end(path) }
    for file in disk.files {
      let changes = file.comparedRewrites - file.equalRewrites
      guard changes > 0 else { continue }
      let each = Double(file.comparedBytes) / Double(file.comparedRewrites)
      let touched = Int(each * Double(changes)) / Int(blockBytes)
      guard touched > changes else { continue }
      add(
        file.path, touched: touched,
        needed: max(Int((file.changedBytes ?? 0) / blockBytes), changes))
      spells += changes - 1
    }
    guard spells > 0 else { return nil }
    return WriteLocality(
      spells: spells, touchedBlocks: files.values.reduce(0) { $0 + $1.touchedBlocks },
      neededBlocks: files.values.reduce(0) { $0 + $1.neededBlocks },
      files: Array(
        files.values.sorted {
          ($1.touchedBlocks - $1.neededBlocks, $0.path)
            < ($0.touchedBlocks - $0.neededBlocks, $1.path)
        }.prefix(mostFiles)))
  }
}
