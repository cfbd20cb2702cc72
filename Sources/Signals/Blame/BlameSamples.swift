import Quantities
import TraceModel

/// The signals that have blame tables and flame graphs.
package enum BlameSignal: String, Sendable, CaseIterable {
  case cpu, blocked, wakeups, disk, network
}

/// One stack and what it stands for: an event, or the sum of many.
struct BlameSample {
  /// Index into `Trace.stacks`; nil where no stack was taken.
  var stack: Int?
  var tid: Int32
  var cause: WaitCause?
  /// How many events were added up.
  var events = 1
  /// How many samples of a clock were not taken of it.
  var untaken = 0
  var seconds = 0.0
  var count = 1.0
  /// How many of these took it is not known how long, and are not among the seconds.
  var untimed = 0.0
  /// Syncs among the writes, which `count` leaves out.
  var syncs = 0.0
  var bytes = 0.0
  var joules = 0.0
}

/// Turns a subject's events into stacks with weights, the same for tables and flame graphs.
struct BlameSamples {
  let subject: SubjectView
  let priors: EnergyPriors
  private let sites: FileSites

  init(subject: SubjectView, priors: EnergyPriors) {
    (self.subject, self.priors) = (subject, priors)
    sites = FileSites(subject.trace.fileOperations.onDisk(by: subject.pid))
  }

  func samples(of signal: BlameSignal, network: NetworkSignal? = nil) -> [BlameSample] {
    switch signal {
    case .cpu: processor(subject.threads) { $0 == subject.pid }
    case .blocked: blocked()
    case .wakeups: wakeups()
    case .disk: disk()
    case .network: sends(network)
    }
  }

  /// CPU samples of the processes that the subject started.
  func ofChildren() -> [BlameSample] {
    let children = subject.trace.descendants(of: subject.pid)
    guard !children.isEmpty else { return [] }
    return processor(subject.trace.threads.filter { children.contains($0.pid) }) {
      children.contains($0)
    }
  }

  /// Each sample stands for an equal part of the CPU time that the scheduler's events tell exactly. Without these that
  /// of a clock stands for its period, and that of another event for a share: its periods are counted. Where the clock
  /// gives none in the kernel, what its samples do not stand for has no stack.
  private func processor(
    _ threads: [ThreadModel], of isTheirs: (Int32) -> Bool
  ) -> [BlameSample] {
    let own = subject.trace.processorSamples.filter { isTheirs($0.pid) && $0.stack != nil }
    let total = threads.reduce(0) { $0 + $1.runningTime.seconds }
    guard !own.isEmpty else { return [] }
    let isSampled = threads.contains { $0.sampledTime != nil }
    let isShare = subject.trace.sharesEvent != nil
    var counts: [Int32: Int] = [:]
    for sample in own { counts[sample.tid, default: 0] += 1 }
    // Threads of which the kernel's part of the time has no samples: how long each ran, and from one to the next.
    var halves: [Int32: (running: Double, period: Double)] = [:]
    for thread in threads where !isSampled {
      guard let period = subject.trace.periodInProgram(of: thread.pid)?.seconds else { continue }
      halves[thread.tid, default: (0, period)].running += thread.runningTime.seconds
    }
    let others = counts.reduce(0) { $0 + (halves[$1.key] == nil ? $1.value : 0) }
    let each =
      (total - halves.values.reduce(0) { $0 + $1.running }) / Double(max(1, others))
    func seconds(_ tid: Int32) -> Double {
      guard let half = halves[tid] else { return each }
      return min(half.period, half.running / Double(max(1, counts[tid, default: 0])))
    }
    var sums = BlameSums()
    for sample in own {
      let seconds = isSampled ? sample.clockTime.seconds : seconds(sample.tid)
      sums.add(
        BlameSample(
          stack: sample.stack, tid: sample.tid, seconds: seconds,
          count: isShare ? Double(sample.period) : 1,
          joules: seconds * priors.wattsPerBusyCore))
    }
    // A thread's few milliseconds are no sample, those of many are.
    var (periods, told) = (0.0, 0)
    for (tid, half) in halves.sorted(by: { $0.key < $1.key }) {
      let rest = half.running - seconds(tid) * Double(counts[tid, default: 0])
      periods += rest / half.period
      let untaken = Int(saturating: periods.rounded()) - told
      told += untaken
      sums.add(
        BlameSample(
          stack: nil, tid: tid, events: 0, untaken: untaken, seconds: rest, count: Double(untaken),
          joules: rest * priors.wattsPerBusyCore))
    }
    return sums.samples
  }

  private func blocked() -> [BlameSample] {
    var sums = BlameSums()
    // A trace that has them has no switches, by which the same time would be told again.
    if !subject.trace.tellsRuns {
      for sample in subject.trace.blockedSamples
      where sample.pid == subject.pid && !sample.cause.isIdle {
        sums.add(
          BlameSample(
            stack: sample.stack, tid: sample.tid, cause: sample.cause,
            seconds: sample.length.seconds))
      }
    }
    for thread in subject.threads {
      let history = subject.history(of: thread)
      guard !history.totals.stacks.isEmpty else {
        for cause in WaitCause.allCases where !cause.isIdle {
          let count = history.totals.waits(by: cause)
          guard count > 0 else { continue }
          sums.add(
            BlameSample(
              stack: nil, tid: thread.tid, cause: cause, events: count,
              seconds: history.totals.blocked(by: cause).seconds, count: Double(count)))
        }
        continue
      }
      for interval in history {
        guard case .blocked(let cause) = interval.state, !cause.isIdle else { continue }
        sums.add(
          BlameSample(
            stack: interval.stack, tid: thread.tid, cause: cause, seconds: interval.length.seconds))
      }
    }
    return sums.samples
  }

  /// A wakeup is charged to the place where the thread had waited; under load the stacks of some waits only are taken.
  private func wakeups() -> [BlameSample] {
    var waits: [Int32: [UInt64: Int]] = [:]
    for thread in subject.threads where !thread.intervals.totals.stacks.isEmpty {
      for interval in thread.intervals {
        if case .blocked = interval.state, let stack = interval.stack {
          waits[thread.tid, default: [:]][interval.end.nanoseconds] = stack
        }
      }
    }
    var sums = BlameSums()
    guard !waits.isEmpty else {
      // No thread has a stack, so that only their numbers count.
      for (tid, count) in ThreadMeasure.wakeups(subject).sorted {
        sums.add(
          BlameSample(
            stack: nil, tid: tid, events: count.all, count: Double(count.all),
            joules: Double(count.foundCPUIdle) * priors.joulesPerWakeup))
      }
      return sums.samples
    }
    for wakeup in subject.trace.wakeups where wakeup.pid == subject.pid {
      let stack = waits[wakeup.tid]?[wakeup.time.nanoseconds]
      sums.add(
        BlameSample(
          stack: stack, tid: wakeup.tid,
          joules: wakeup.foundCPUIdle ? priors.joulesPerWakeup : 0))
    }
    return sums.spread()
  }

  private func disk() -> [BlameSample] {
    var meter = DiskWorkMeter()
    var sums = BlameSums()
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid) {
      let work = meter.work(of: operation)
      var sample = BlameSample(
        stack: sites.stack(of: operation), tid: operation.tid, count: Double(operation.weight))
      switch operation.kind {
      case .write:
        sample.bytes = Double(operation.bytes) * Double(operation.weight)
      case .sync:
        (sample.count, sample.syncs) = (0, sample.count)
        if let duration = operation.duration {
          sample.seconds = duration.seconds * Double(operation.weight)
        } else {
          sample.untimed = sample.syncs
        }
      default: continue
      }
      sample.joules = priors.energy(of: work).value
      sums.add(sample, of: .init(operation))
    }
    return sums.spread()
  }

  /// Writes to files, or syncs of them, with how many calls they were.
  func operations(of kind: FileOperation.Kind) -> [BlameSample] {
    var sums = BlameSums()
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid)
    where operation.kind == kind {
      sums.add(
        BlameSample(
          stack: sites.stack(of: operation), tid: operation.tid, count: Double(operation.weight)),
        of: .init(operation))
    }
    return sums.spread()
  }

  /// Reads of files, where the stacks of some were taken; traces of older versions have none.
  func reads() -> [BlameSample] {
    var sums = BlameSums()
    var hasStack = false
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid)
    where operation.kind == .read {
      hasStack = hasStack || operation.stack != nil
      sums.add(
        BlameSample(
          stack: sites.stack(of: operation), tid: operation.tid, count: Double(operation.weight),
          bytes: Double(operation.bytes) * Double(operation.weight)),
        of: .init(operation))
    }
    return hasStack ? sums.spread() : []
  }

  private func sends(_ network: NetworkSignal?) -> [BlameSample] {
    let sends = subject.trace.transfers.internet(of: subject.pid).lazy.filter {
      $0.direction == .send
    }
    // A burst owns the radio until the next one; its first send began it.
    let times = Array(sends.map { subject.time($0.time) })
    var energies: [Int: Double] = [:]
    for burst in network?.bursts ?? [] {
      if let first = times.firstIndex(where: {
        $0 >= burst.start && $0 <= burst.start + burst.durationSeconds
      }) {
        energies[first, default: 0] += burst.energyJoules
      }
    }
    // Of what the kernel counts by socket it is not known in how many calls it went.
    let countsCalls = subject.trace.capture?.countsSockets != true
    var sums = BlameSums()
    for (index, send) in sends.enumerated() {
      sums.add(
        BlameSample(
          stack: send.stack, tid: send.tid, count: countsCalls ? Double(send.weight) : 0,
          bytes: Double(send.bytes) * Double(send.weight), joules: energies[index] ?? 0),
        of: .init(path: "\(send.socket)"))
    }
    return sums.spread()
  }
}
