import PerfData
import TraceModel

/// Measures what the subject wrote to regular files, by path.
enum DiskMeasure {
  /// Below this a write is small (RULES `write-frequency`).
  static let smallWrite: UInt64 = 4096
  /// Writes closer than this are one burst.
  static let burstGap = 1.0

  static func measure(_ subject: SubjectView) -> DiskSignal {
    var signal = DiskSignal()
    var files: [String: FileUse] = [:]
    var generations = RewriteTracker()
    var comparison = ContentComparison()
    var readings = subject.trace.contents.filter { $0.pid == subject.pid }[...]
    var joiners: [String: WriteJoiner] = [:]
    var joined: [String: Int] = [:]
    var ends: [String: UInt64] = [:]
    var lastWrite: Double?
    var smallWriteStacks: [Int: Int] = [:]
    var amounts: [(time: Double, amount: Double)] = []
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid) {
      let path = operation.path ?? "(unknown file)"
      while let reading = readings.first, reading.time < operation.time {
        let generation = generations.generation(of: reading.event.path)
        comparison.read(reading.event, generation: generation)
        readings.removeFirst()
      }
      switch operation.kind {
      case .write:
        let count = Int(clamping: operation.weight)
        let bytes = operation.bytes &* operation.weight
        let time = subject.time(operation.time)
        signal.writes += count
        signal.bytesWritten &+= bytes
        if operation.bytes < smallWrite {
          signal.smallWrites += count
          if let stack = operation.stack { smallWriteStacks[stack, default: 0] += 1 }
        }
        if lastWrite.map({ time - $0 >= burstGap }) ?? true { signal.writeBursts += 1 }
        lastWrite = time
        amounts.append((time - subject.time(subject.start), Double(bytes)))
        files[path, default: FileUse(path: path)].writes += count
        files[path, default: FileUse(path: path)].bytesWritten &+= bytes
        if operation.bytes < smallWrite { files[path]?.smallWrites += count }
        generations.wrote(bytes, to: path)
        comparison.wrote(to: path, generation: generations.generation(of: path))
        joiners[path, default: WriteJoiner()].write(bytes, at: time, offset: operation.offset)
        if let offset = operation.offset {
          if operation.bytes < smallWrite, let last = ends[path], offset != last {
            files[path]?.scatteredWrites += count
          }
          ends[path] = offset &+ operation.bytes
          let extent = max(files[path]?.extentBytes ?? 0, offset &+ operation.bytes)
          files[path]?.extentBytes = extent
        }
      case .read:
        files[path, default: FileUse(path: path)].reads += Int(clamping: operation.weight)
        files[path]?.bytesRead &+= operation.bytes &* operation.weight
      case .sync:
        joiners[path]?.flush()
        signal.syncs += Int(clamping: operation.weight)
        signal.syncSeconds += operation.duration.seconds * Double(operation.weight)
        files[path, default: FileUse(path: path)].syncs += Int(clamping: operation.weight)
      case .truncate, .open(truncates: true): generations.truncated(path)
      case .rename(let from):
        generations.renamed(from, to: path)
        if var joiner = joiners.removeValue(forKey: from) {
          joiner.flush()
          joined[path, default: 0] += joiner.writes
        }
        // What was written to the temporary file is the final one's.
        if let temporary = files.removeValue(forKey: from) {
          files[path, default: FileUse(path: path)].add(temporary)
        }
      case .open, .unlink: break
      }
    }
    for (path, var joiner) in joiners {
      joiner.flush()
      joined[path, default: 0] += joiner.writes
    }
    for (path, writes) in joined { files[path]?.joinedWrites = writes }
    for (path, rewrites) in generations.rewrites {
      files[path, default: FileUse(path: path)].rewrites = rewrites.count
      files[path]?.rewrittenBytes = rewrites.bytes
    }
    for reading in readings {
      comparison.read(
        reading.event, generation: generations.generation(of: reading.event.path))
    }
    for (path, outcome) in comparison.finish() {
      files[path, default: FileUse(path: path)].comparedRewrites = outcome.compared
      files[path]?.equalRewrites = outcome.equal
      files[path]?.changedBytes = outcome.changedBytes
      files[path]?.comparedBytes = outcome.comparedBytes
    }
    signal.rewrittenBytes = generations.rewrites.values.reduce(0) { $0 &+ $1.bytes }
    signal.files = files.values.filter { $0.writes + $0.syncs + $0.rewrites + $0.reads > 0 }.sorted
    {
      ($1.bytesWritten, $0.path) < ($0.bytesWritten, $1.path)
    }
    let smallest = smallWriteStacks.max { ($0.value, $1.key) < ($1.value, $0.key) }
    signal.smallWriteStack = subject.frames(smallest?.key)
    signal.readsMeasured = subject.trace.capture?.recordsLargeReads == true
    let minutes = subject.seconds / 60
    signal.writesPerMinute = minutes > 0 ? Double(signal.writes) / minutes : 0
    signal.steadyBytesPerSecond = SteadyRate.perSecond(amounts, durationSeconds: subject.seconds)
    let samples = subject.trace.footprints.filter { $0.pid == subject.pid }
    if let first = samples.first, let last = samples.last {
      // A wrapped program starts at zero; an attached one had written before.
      let before =
        subject.trace.startsLate ? first.sample.storageWriteBytes : 0
      signal.deviceBytesWritten = last.sample.storageWriteBytes &- before
    }
    return signal
  }
}

extension FileUse {
  fileprivate mutating func add(_ other: FileUse) {
    writes += other.writes
    bytesWritten &+= other.bytesWritten
    smallWrites += other.smallWrites
    syncs += other.syncs
  }
}

/// Tells a file's second and later contents from its first.
struct RewriteTracker {
  private struct Generation {
    /// Bytes written since the file was last emptied or replaced.
    var bytes: UInt64 = 0
    var number = 1
  }

  private var current: [String: Generation] = [:]
  private(set) var rewrites: [String: (count: Int, bytes: UInt64)] = [:]

  /// The number of a file's present content; nil where nothing was written to it yet.
  func generation(of path: String) -> Int? {
    current[path].flatMap { $0.bytes > 0 ? $0.number : nil }
  }

  mutating func wrote(_ bytes: UInt64, to path: String) {
    current[path, default: Generation()].bytes &+= bytes
    guard let generation = current[path], generation.number > 1 else { return }
    let old = rewrites[path] ?? (0, 0)
    let begins = generation.bytes == bytes
    rewrites[path] = (old.count + (begins ? 1 : 0), old.bytes &+ bytes)
  }

  /// Emptied: what is written next is written again, if anything was written before.
  mutating func truncated(_ path: String) {
    guard let generation = current[path], generation.bytes > 0 else { return }
    current[path] = Generation(number: generation.number + 1)
  }

  /// Replaced by a new file of another name.
  mutating func renamed(_ from: String, to path: String) {
    guard let temporary = current.removeValue(forKey: from), temporary.bytes > 0 else { return }
    rewrites[from] = nil
    guard let old = current[path], old.bytes > 0 else {
      current[path] = temporary
      return
    }
    current[path] = Generation(bytes: temporary.bytes, number: old.number + 1)
    let count = rewrites[path] ?? (0, 0)
    rewrites[path] = (count.count + 1, count.bytes &+ temporary.bytes)
  }
}
