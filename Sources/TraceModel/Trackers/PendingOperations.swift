import PerfData
import Quantities

/// What file operations were, before their descriptors are known to be files.
struct PendingOperations {
  private struct Kind: Hashable, Sendable {
    var shape: FileOperation.Shape
    var descriptor: Int?
  }

  private var log = OperationLog<Kind>()

  mutating func append(_ operation: FileOperation, descriptor: Int? = nil) {
    let number = log.number(
      of: Kind(shape: operation.shape, descriptor: descriptor),
      hint: Int(operation.tid) &+ 61 &* (descriptor ?? 0) &+ 311 &* operation.kind.hint)
    log.append(
      .init(
        kind: number, time: operation.time.nanoseconds, bytes: operation.bytes,
        duration: operation.duration, offset: operation.offset))
  }

  /// The operations with the files that their descriptors meant, and the stacks that were taken of some; of a sync in
  /// which its thread waited, that of the wait.
  func resolved(
    by descriptors: DescriptorTracker, _ weights: SampleWeights, sites: [CallSiteSample],
    waitsOf threads: [ThreadModel]
  ) -> FileOperations {
    let kinds = log.kinds
    let waits = WaitStacks(
      of: threads, Set(kinds.lazy.filter { $0.shape.kind == .sync }.map(\.shape.tid)))
    let stacks = CallSiteDecoder.nearest(
      sites,
      log.entries.lazy.map {
        (tid: kinds[$0.kind].shape.tid, time: Timestamp(nanoseconds: $0.time))
      })
    var known = kinds.map { _ in Resolved() }
    var result = FileOperations()
    for (index, entry) in log.entries.enumerated() {
      let time = Timestamp(nanoseconds: entry.time)
      if !known[entry.kind].holds(at: time) {
        var shape = kinds[entry.kind].shape
        var until = Timestamp(nanoseconds: .max)
        if let descriptor = kinds[entry.kind].descriptor {
          let (target, end) = descriptors.target(pid: shape.pid, fd: descriptor, from: time)
          shape.path = target.path
          shape.target = target.kind
          until = end
          if shape.weight > 1 {
            until = time
            if Self.isUncertain(shape, descriptor, at: time, descriptors, weights) {
              shape.path = nil
              shape.target = nil
            }
          }
        }
        known[entry.kind] = Resolved(
          number: result.number(of: shape, hint: Int(shape.tid)), from: time, until: until,
          isSynchronous: shape.kind == .write
            && kinds[entry.kind].descriptor.map {
              descriptors.isSynchronous(pid: shape.pid, fd: $0, at: time)
            } == true)
      }
      var resolved = entry
      resolved.kind = known[entry.kind].number
      if let stack = stacks[index] ?? Self.stack(ofWaitIn: entry, kinds[entry.kind].shape, waits) {
        var shape = result.kinds[resolved.kind]
        shape.stack = stack
        resolved.kind = result.number(of: shape, hint: Int(shape.tid))
      }
      result.append(resolved)
      if known[entry.kind].isSynchronous {
        var shape = result.kinds[resolved.kind]
        shape.kind = .sync
        result.append(
          .init(
            kind: result.number(of: shape, hint: Int(shape.tid)), time: entry.time, bytes: 0,
            duration: nil, offset: nil))
      }
    }
    return result
  }

  /// Whether an operation stands for many, of which it does not tell the files.
  private static func isUncertain(
    _ shape: FileOperation.Shape, _ descriptor: Int, at time: Timestamp,
    _ descriptors: DescriptorTracker, _ weights: SampleWeights
  ) -> Bool {
    guard shape.weight > 1, let stretch = weights.stretch(ofCallAt: time) else { return false }
    return !descriptors.isSteady(pid: shape.pid, fd: descriptor, at: time, in: stretch)
  }

  private static func stack(
    ofWaitIn entry: OperationEntry, _ shape: FileOperation.Shape, _ waits: WaitStacks
  ) -> Int? {
    guard shape.kind == .sync, let duration = entry.duration else { return nil }
    return waits.stack(
      of: shape.tid,
      from: Timestamp(
        nanoseconds: entry.time - min(UInt64(duration.nanoseconds.magnitude), entry.time)),
      to: Timestamp(nanoseconds: entry.time))
  }

  /// What a process wrote to files that were closed before they could be looked at, and to many of which one stands
  /// for all, from a moment on.
  func untold(
    of pid: Int32, from start: Timestamp, by descriptors: DescriptorTracker,
    _ weights: SampleWeights
  ) -> UntoldWrites {
    let kinds = log.kinds
    var untold = UntoldWrites()
    for entry in log.entries {
      let shape = kinds[entry.kind].shape
      let time = Timestamp(nanoseconds: entry.time)
      guard shape.pid == pid, shape.kind == .write || shape.kind == .sync,
        let descriptor = kinds[entry.kind].descriptor, time >= start
      else { continue }
      let isOfMany =
        Self.isUncertain(shape, descriptor, at: time, descriptors, weights)
        && descriptors.isOfFiles(pid: pid, fd: descriptor, around: time)
      guard isOfMany || descriptors.isUntold(pid: pid, fd: descriptor, at: time) else { continue }
      if isOfMany { untold.areOfMany = true }
      if shape.weight > 1 { untold.areSampled = true }
      if shape.kind == .sync {
        untold.syncs += Int(clamping: shape.weight)
      } else {
        untold.writes += Int(clamping: shape.weight)
        untold.bytes &+= entry.bytes &* shape.weight
      }
    }
    return untold
  }

  /// The number of what a kind of operation was found to be, and from when to before when.
  private struct Resolved {
    var number = 0
    var from = Timestamp(nanoseconds: .max)
    var until = Timestamp(nanoseconds: 0)
    /// Each of these writes is a sync as well.
    var isSynchronous = false

    func holds(at time: Timestamp) -> Bool { time >= from && time < until }
  }
}
