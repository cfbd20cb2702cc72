import Quantities
import TraceModel

/// Keeps account of the subject's operations on regular files, one after another.
struct DiskLedger {
  /// Below this a write is small (RULES `write-frequency`).
  static let smallWrite: UInt64 = 4096
  /// Writes closer than this are one burst.
  static let burstGap = 1.0

  private let subject: SubjectView
  private var signal = DiskSignal()
  private var files: [String: FileUse] = [:]
  /// In which order files were first used: where they are alike in bytes, names tell nothing that redacting keeps.
  private var order: [String: Int] = [:]
  private var generations = RewriteTracker()
  private var comparison = ContentComparison()
  /// Contents read while recording that are still to be compared.
  private var readings: ArraySlice<ContentReading>
  private var joiners: [String: WriteJoiner] = [:]
  /// Writes left of files whose joiner ended with a rename.
  private var joined: [String: Int] = [:]
  /// Where the last write to a file ended.
  private var ends: [String: UInt64] = [:]
  private var meter = DiskWorkMeter()
  /// When the program began to quit.
  private let quitting: Timestamp?
  private var smallWriteStacks: [Int: Int] = [:]
  private var amounts: [(time: Double, amount: Double)] = []

  init(_ subject: SubjectView) {
    self.subject = subject
    readings = subject.trace.contents.filter { $0.pid == subject.pid }[...]
    quitting = LifecycleMeasure.quitting(in: subject)
  }

  /// Enters the next operation.
  mutating func add(_ operation: FileOperation) {
    compareContents { $0.time < operation.time }
    let path = operation.path ?? "(unknown file)"
    if order[path] == nil { order[path] = order.count }
    let work = meter.work(of: operation)
    if work != DiskWork() {
      signal.work += work
      change(path) { $0.work += work }
    }
    switch operation.kind {
    case .write: write(operation, to: path)
    case .read: read(operation, from: path)
    case .sync: sync(operation, of: path)
    case .truncate, .open(truncates: true): generations.truncated(path)
    case .rename(let from): rename(from, to: path)
    case .open, .unlink: break
    }
  }

  private mutating func write(_ operation: FileOperation, to path: String) {
    let count = Int(clamping: operation.weight)
    let bytes = operation.bytes &* operation.weight
    let isSmall = operation.bytes < Self.smallWrite
    let time = subject.time(operation.time)
    signal.writes += count
    signal.bytesWritten &+= bytes
    if operation.weight > 1 {
      var sampled = signal.sampledBytes ?? SampledBytes()
      sampled.add(Double(bytes))
      signal.sampledBytes = sampled
    }
    if isSmall {
      signal.smallWrites += count
      signal.smallWritesRecorded = (signal.smallWritesRecorded ?? 0) + 1
      if let stack = operation.stack { smallWriteStacks[stack, default: 0] += 1 }
    }
    amounts.append((time - subject.time(subject.start), Double(bytes)))
    generations.wrote(bytes, to: path)
    comparison.wrote(to: path, generation: generations.generation(of: path))
    joiners[path, default: WriteJoiner()].write(bytes, at: time, offset: operation.offset)
    let isQuitting = quitting.map { operation.time >= $0 } ?? false
    change(path) { file in
      file.writes += count
      file.bytesWritten &+= bytes
      if isSmall { file.smallWrites += count }
      if isQuitting { file.quittingBytes &+= bytes }
    }
    guard let offset = operation.offset else { return }
    let end = offset &+ operation.bytes
    let isScattered = isSmall && ends[path].map { $0 != offset } == true
    ends[path] = end
    change(path) { file in
      if isScattered { file.scatteredWrites += count }
      file.extentBytes = max(file.extentBytes, end)
    }
  }

  private mutating func read(_ operation: FileOperation, from path: String) {
    change(path) { file in
      file.reads += Int(clamping: operation.weight)
      file.bytesRead &+= operation.bytes &* operation.weight
    }
  }

  /// Enters reads that are known in sum, by path.
  mutating func add(_ reads: [String: (reads: Int, bytes: UInt64)]) {
    for (path, sum) in reads {
      change(path) { file in
        file.reads += sum.reads
        file.bytesRead &+= sum.bytes
      }
    }
  }

  private mutating func sync(_ operation: FileOperation, of path: String) {
    let count = Int(clamping: operation.weight)
    joiners[path]?.flush()
    signal.syncs += count
    signal.syncsRecorded = (signal.syncsRecorded ?? 0) + 1
    if let duration = operation.duration {
      signal.syncSeconds += duration.seconds * Double(operation.weight)
    } else {
      signal.syncsUntimed += count
    }
    change(path) { $0.syncs += count }
  }

  private mutating func rename(_ from: String, to path: String) {
    generations.renamed(from, to: path)
    if let joiner = joiners.removeValue(forKey: from) { join(joiner, of: path) }
    // What was written to the temporary file, and read of it, is the final one's.
    ends[path] = ends.removeValue(forKey: from)
    guard let temporary = files.removeValue(forKey: from) else { return }
    change(path) { file in
      file.writes += temporary.writes
      file.bytesWritten &+= temporary.bytesWritten
      file.smallWrites += temporary.smallWrites
      file.syncs += temporary.syncs
      file.work += temporary.work
      file.quittingBytes &+= temporary.quittingBytes
      file.reads += temporary.reads
      file.bytesRead &+= temporary.bytesRead
      file.scatteredWrites += temporary.scatteredWrites
      file.extentBytes = max(file.extentBytes, temporary.extentBytes)
    }
  }

  private mutating func join(_ joiner: WriteJoiner, of path: String) {
    var joiner = joiner
    joiner.flush()
    joined[path, default: 0] += joiner.writes
  }

  private mutating func change(_ path: String, _ change: (inout FileUse) -> Void) {
    change(&files[path, default: FileUse(path: path)])
  }

  private mutating func compareContents(while isDue: (ContentReading) -> Bool) {
    while let reading = readings.first, isDue(reading) {
      comparison.read(
        reading.event, generation: generations.generation(of: reading.event.path))
      readings.removeFirst()
    }
  }

  /// The sums of all that was entered.
  mutating func finish() -> DiskSignal {
    for (path, joiner) in joiners { join(joiner, of: path) }
    for (path, writes) in joined { files[path]?.joinedWrites = writes }
    for (path, rewrites) in generations.rewrites {
      change(path) { file in
        file.rewrites = rewrites.count
        file.rewrittenBytes = rewrites.bytes
      }
      signal.rewrittenBytes &+= rewrites.bytes
    }
    signal.writeBursts = signal.work.operations - signal.syncs
    compareContents { _ in true }
    for (path, outcome) in comparison.finish() {
      change(path) { file in
        file.comparedRewrites = outcome.compared
        file.equalRewrites = outcome.equal
        file.changedBytes = outcome.changedBytes
        file.comparedBytes = outcome.comparedBytes
      }
    }
    signal.files = files.values.filter { $0.writes + $0.syncs + $0.rewrites + $0.reads > 0 }
      .sorted {
        ($1.bytesWritten, order[$0.path] ?? 0) < ($0.bytesWritten, order[$1.path] ?? 0)
      }
    let smallest = smallWriteStacks.max { ($0.value, $1.key) < ($1.value, $0.key) }
    signal.smallWriteStack = subject.frames(smallest?.key)
    signal.steadyBytesPerSecond = SteadyRate.perSecond(amounts, durationSeconds: subject.seconds)
    return signal
  }
}
