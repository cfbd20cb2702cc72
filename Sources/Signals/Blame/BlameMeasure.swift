import Quantities
import TraceModel

/// Makes the blame tables of a subject.
struct BlameMeasure {
  /// Rows of one table at most, the costliest.
  static let rowLimit = 200

  private let subject: SubjectView
  private let samples: BlameSamples

  init(_ subject: SubjectView, priors: EnergyPriors) {
    self.subject = subject
    samples = BlameSamples(subject: subject, priors: priors)
  }

  func tables(network: NetworkSignal?) -> BlameTables {
    var tables = BlameTables()
    tables.cpuEvent = subject.trace.sharesEvent?.name
    for signal in BlameSignal.allCases {
      let all = samples.samples(of: signal, network: network)
      add(all, of: signal, to: &tables.energy)
      let rows = rows(of: all, countsSamples: signal == .cpu)
      switch signal {
      case .cpu: tables.cpu = rows
      case .blocked: tables.blocked = rows
      case .wakeups: tables.wakeups = rows
      case .disk: tables.disk = rows
      case .network: tables.network = rows
      }
      tables.gapShare[signal.rawValue] = gapShare(of: all)
    }
    tables.reads = rows(of: samples.reads(), countsSamples: false)
    tables.cpuOfChildren = rows(of: samples.ofChildren(), countsSamples: true)
    tables.calls = FunctionCallMeasure.measure(subject, samples)
    return tables
  }

  /// Adds what samples cost to the functions that are to blame for them.
  private func add(
    _ samples: [BlameSample], of signal: BlameSignal, to energy: inout [String: EnergyParts]
  ) {
    var names: [Int: String?] = [:]
    func name(_ stack: Int) -> String? {
      if let known = names[stack] { return known }
      let name = subject.trace.stacks.frames(of: stack).blamed?.displayName
      names[stack] = .some(name)
      return name
    }
    // CPU time is spread evenly over the samples: these are counted, so that no order of adding up shows.
    var counts: [String: Int] = [:]
    for sample in samples {
      guard let stack = sample.stack, let name = name(stack) else { continue }
      switch signal {
      case .cpu: counts[name, default: 0] += sample.events
      case .wakeups: energy[name, default: EnergyParts()].wakeups += sample.joules
      case .disk: energy[name, default: EnergyParts()].disk += sample.joules
      case .network: energy[name, default: EnergyParts()].radio += sample.joules
      case .blocked: break
      }
    }
    let all = samples.reduce(0) { $0 + $1.events + $1.untaken }
    let joules =
      subject.threads.reduce(TimeSpan.zero) { $0 + $1.runningTime }.seconds
      * self.samples.priors.wattsPerBusyCore
    for (name, count) in counts {
      energy[name, default: EnergyParts()].cpu = joules * (Double(count) / Double(max(all, 1)))
    }
  }

  /// Of the samples that have a stack.
  private func gapShare(of samples: [BlameSample]) -> Double? {
    var cut: [Int: Bool] = [:]
    var all = 0
    var gaps = 0
    for sample in samples {
      guard let stack = sample.stack else { continue }
      all += sample.events
      let isCut =
        cut[stack] ?? subject.trace.stacks.frames(of: stack).contains(where: \.isGap)
      cut[stack] = isCut
      if isCut { gaps += sample.events }
    }
    return all > 0 ? Double(gaps) / Double(all) : nil
  }

  private struct Key: Hashable {
    var function: String
    var module: String
    var cause: WaitCause?
  }

  private struct Place: Hashable {
    var file: String
    var line: Int?
  }

  private struct Row {
    var row: BlameRow
    var places: [Place: Double] = [:]
  }

  /// What one stack blames: the function that is charged, and all that are on it.
  private struct Blamed {
    var charged: Frame?
    var included: [Frame]
  }

  private func rows(of samples: [BlameSample], countsSamples: Bool) -> [BlameRow] {
    var rows: [Key: Row] = [:]
    var blamed: [Int: Blamed] = [:]
    for sample in samples {
      var found = Blamed(charged: nil, included: [])
      if let stack = sample.stack {
        found = blamed[stack] ?? Self.blamed(subject.trace.stacks.frames(of: stack))
        blamed[stack] = found
      }
      for frame in found.included {
        update(&rows, frame, sample) {
          $0.inclusiveSeconds += sample.seconds
          $0.inclusiveCount += sample.count
          $0.inclusiveBytes += sample.bytes
        }
      }
      update(&rows, found.charged ?? .noStack, sample) {
        $0.selfSeconds += sample.seconds
        $0.count += sample.count
        $0.untimed += sample.untimed
        $0.syncs += sample.syncs
        if countsSamples { $0.samples += sample.events }
        $0.untakenSamples += sample.untaken
        $0.bytes += sample.bytes
        $0.joules += sample.joules
        if found.charged == nil {
          $0.inclusiveSeconds += sample.seconds
          $0.inclusiveCount += sample.count
          $0.inclusiveBytes += sample.bytes
        }
      }
    }
    return rows.values.map { entry in
      var row = entry.row
      let place = entry.places.max {
        ($0.value, $1.key.line ?? 0, $1.key.file) < ($1.value, $0.key.line ?? 0, $0.key.file)
      }
      row.file = place?.key.file
      row.line = place?.key.line
      return row
    }.sorted(by: Self.isCostlier).prefix(Self.rowLimit).map { $0 }
  }

  private func update(
    _ rows: inout [Key: Row], _ frame: Frame, _ sample: BlameSample,
    _ change: (inout BlameRow) -> Void
  ) {
    let name = frame.displayName
    let key = Key(function: name, module: frame.module, cause: sample.cause)
    var entry =
      rows.removeValue(forKey: key)
      ?? Row(
        row: BlameRow(function: name, module: frame.module, cause: sample.cause))
    change(&entry.row)
    if let file = frame.file {
      let weight = sample.seconds + (sample.count + sample.syncs) * 1e-9 + sample.bytes * 1e-12
      entry.places[Place(file: file, line: frame.line), default: 0] += weight
    }
    rows[key] = entry
  }

  private static func isCostlier(_ first: BlameRow, _ second: BlameRow) -> Bool {
    if first.selfSeconds != second.selfSeconds { return first.selfSeconds > second.selfSeconds }
    if first.bytes != second.bytes { return first.bytes > second.bytes }
    if first.count != second.count { return first.count > second.count }
    if first.syncs != second.syncs { return first.syncs > second.syncs }
    if first.inclusiveSeconds != second.inclusiveSeconds {
      return first.inclusiveSeconds > second.inclusiveSeconds
    }
    if first.inclusiveBytes != second.inclusiveBytes {
      return first.inclusiveBytes > second.inclusiveBytes
    }
    return (first.inclusiveCount, second.function, second.cause?.rawValue ?? "")
      > (second.inclusiveCount, first.function, first.cause?.rawValue ?? "")
  }

  /// The function to blame, and the program's own that led to it.
  private static func blamed(_ frames: [Frame]) -> Blamed {
    let charged = frames.blamed
    var seen: Set<String> = []
    var included = frames.filter {
      $0.isProgram && !$0.isKernel && seen.insert($0.module + "\0" + $0.displayName).inserted
    }
    if let charged, included.isEmpty { included.append(charged) }
    return Blamed(charged: charged, included: included)
  }
}
