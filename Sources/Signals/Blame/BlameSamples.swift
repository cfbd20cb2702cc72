import PerfData
import TraceModel

/// The signals that have blame tables and flame graphs.
public enum BlameSignal: String, Sendable, Hashable, CaseIterable {
  case cpu, blocked, wakeups, disk, network
}

/// One stack and what it stands for.
struct BlameSample {
  /// Index into `Trace.stacks`; nil where no stack was taken.
  var stack: Int?
  var tid: Int32
  var cause: WaitCause?
  var seconds = 0.0
  var count = 1.0
  var bytes = 0.0
  var joules = 0.0
}

/// Turns a subject's events into stacks with weights, the same for tables and flame graphs.
struct BlameSamples {
  let subject: SubjectView
  let priors: EnergyPriors

  func samples(of signal: BlameSignal, network: NetworkSignal? = nil) -> [BlameSample] {
    switch signal {
    case .cpu: processor()
    case .blocked: blocked()
    case .wakeups: wakeups()
    case .disk: disk()
    case .network: sends(network)
    }
  }

  /// Each sample stands for an equal part of the CPU time that the scheduler's events tell exactly.
  private func processor() -> [BlameSample] {
    let own = subject.trace.processorSamples.filter { $0.pid == subject.pid && $0.stack != nil }
    let total = subject.threads.reduce(0) { $0 + $1.runningTime.seconds }
    guard !own.isEmpty else { return [] }
    let each = total / Double(own.count)
    return own.map {
      BlameSample(
        stack: $0.stack, tid: $0.tid, seconds: each, joules: each * priors.wattsPerBusyCore)
    }
  }

  private func blocked() -> [BlameSample] {
    subject.threads.flatMap { thread in
      WaitInference.infer(thread.intervals).compactMap { interval in
        guard case .blocked(let cause) = interval.state, cause != .eventWait else { return nil }
        return BlameSample(
          stack: interval.stack, tid: thread.tid, cause: cause, seconds: interval.length.seconds)
      }
    }
  }

  /// A wakeup is charged to the place where the thread had waited; under load the stacks of some waits only are taken.
  private func wakeups() -> [BlameSample] {
    var waits: [Int32: [UInt64: Int]] = [:]
    for thread in subject.threads {
      for interval in thread.intervals {
        if case .blocked = interval.state, let stack = interval.stack {
          waits[thread.tid, default: [:]][interval.end.nanoseconds] = stack
        }
      }
    }
    return Self.spread(
      subject.trace.wakeups.filter { $0.pid == subject.pid }.map {
        let stack = waits[$0.tid]?[$0.time.nanoseconds]
        return (
          sample: BlameSample(stack: stack, tid: $0.tid, joules: priors.joulesPerWakeup), path: ""
        )
      })
  }

  private func disk() -> [BlameSample] {
    var lastWrite: Double?
    var samples: [(sample: BlameSample, path: String)] = []
    for operation in subject.trace.fileOperations
    where operation.pid == subject.pid && operation.isDisk {
      var sample = BlameSample(
        stack: operation.stack, tid: operation.tid, count: Double(operation.weight))
      switch operation.kind {
      case .write:
        sample.bytes = Double(operation.bytes) * Double(operation.weight)
        let time = subject.time(operation.time)
        if lastWrite.map({ time - $0 >= DiskMeasure.burstGap }) ?? true {
          sample.joules = priors.joulesPerDiskOperation
        }
        lastWrite = time
      case .sync:
        sample.seconds = operation.duration.seconds * Double(operation.weight)
        sample.joules = priors.joulesPerDiskOperation * Double(operation.weight)
      default: continue
      }
      samples.append((sample, operation.path ?? ""))
    }
    return Self.spread(samples)
  }

  private func sends(_ network: NetworkSignal?) -> [BlameSample] {
    let sends = subject.trace.transfers.filter {
      $0.pid == subject.pid && $0.isInternet && $0.direction == .send
    }
    var samples = sends.map { send in
      (
        sample: BlameSample(
          stack: send.stack, tid: send.tid, count: Double(send.weight),
          bytes: Double(send.bytes) * Double(send.weight)),
        path: "\(send.socket)"
      )
    }
    // A burst owns the radio until the next one; its first send began it.
    let times = sends.map { subject.time($0.time) }
    for burst in network?.bursts ?? [] {
      if let first = times.firstIndex(where: {
        $0 >= burst.start && $0 <= burst.start + burst.durationSeconds
      }) {
        samples[first].sample.joules += burst.energyJoules
      }
    }
    return Self.spread(samples)
  }

  /// Gives events without a stack of their own those of the same thread and file, in their proportion.
  ///
  /// Stacks are taken now and then; where a thread did the same thing to the same file at several places, each gets its
  /// share of what was not sampled. An event whose thread and file have no stack at all keeps none.
  private static func spread(_ events: [(sample: BlameSample, path: String)]) -> [BlameSample] {
    struct Key: Hashable {
      var tid: Int32
      var path: String
    }
    var known: [Key: [Int: Double]] = [:]
    for event in events {
      if let stack = event.sample.stack {
        known[Key(tid: event.sample.tid, path: event.path), default: [:]][stack, default: 0] += 1
      }
    }
    return events.flatMap { event -> [BlameSample] in
      guard event.sample.stack == nil,
        let stacks = known[Key(tid: event.sample.tid, path: event.path)]
      else { return [event.sample] }
      let total = stacks.values.reduce(0, +)
      return stacks.sorted { $0.key < $1.key }.map { stack, weight in
        var part = event.sample
        part.stack = stack
        part.count *= weight / total
        part.seconds *= weight / total
        part.bytes *= weight / total
        part.joules *= weight / total
        return part
      }
    }
  }
}
