import Quantities
import Rules

/// Keeps a page small however long the recording: of long lists it holds what costs most, and says so.
struct PageBounds {
  /// The report with its lists bounded.
  private(set) var report: Report
  /// What the page holds less than the report of, in words.
  private(set) var omissions: [String] = []

  init(_ report: Report) {
    self.report = report
    boundMainThread()
    boundTransfers()
    self.report.processes = kept(self.report.processes, 300, "processes") { $0.cpuSeconds ?? 0 }
    self.report.signals.threads = kept(self.report.signals.threads, 500, "threads") {
      $0.cpuSeconds + $0.blockedSeconds
    }
    self.report.signals.criticalThreads = kept(
      self.report.signals.criticalThreads, 100, "critical threads"
    ) { $0.blockedSeconds }
    self.report.marks = kept(self.report.marks, 500, "marks") { _ in 0 }
    self.report.intervals = kept(self.report.intervals, 500, "intervals") { $0.durationSeconds }
    self.report.trace.symbolProblems = kept(
      self.report.trace.symbolProblems, 100, "files without names"
    ) { _ in 0 }
    if let doubts = self.report.trace.nameDoubts {
      self.report.trace.nameDoubts = kept(doubts, 100, "files in doubt") { _ in 0 }
    }
    if let problems = self.report.trace.lineProblems {
      self.report.trace.lineProblems = kept(problems, 100, "files without lines") { _ in 0 }
    }
    if let calls = self.report.signals.systemCalls {
      self.report.signals.systemCalls = kept(calls, 500, "system calls") { $0.seconds ?? 0 }
    }
    if var wakeups = self.report.signals.wakeups {
      wakeups.timers = kept(wakeups.timers, 200, "timers") { Double($0.count) }
      self.report.signals.wakeups = wakeups
    }
    if var memory = self.report.signals.memory {
      memory.samples = thinned(memory.samples)
      self.report.signals.memory = memory
    }
  }

  private mutating func boundMainThread() {
    guard var thread = report.signals.mainThread else { return }
    thread.hangs = kept(thread.hangs, 1_000, "hangs") { $0.durationSeconds }
    let longest = thread.hangs.map(\.durationSeconds).sorted(by: >)
    let least = longest.count > 50 ? longest[49] : 0
    for index in thread.hangs.indices where thread.hangs[index].durationSeconds < least {
      thread.hangs[index].stack = []
    }
    thread.blockings = kept(thread.blockings, 300, "places where the main thread blocked") {
      $0.seconds
    }
    report.signals.mainThread = thread
  }

  private mutating func boundTransfers() {
    if var network = report.signals.network {
      network.connections = kept(network.connections, 500, "connections") {
        Double($0.bytesSent) + Double($0.bytesReceived)
      }
      network.bursts = kept(network.bursts, 500, "bursts") { $0.energyJoules }
      network.listeners = kept(network.listeners, 200, "listening sockets") { _ in 0 }
      network.failures = kept(network.failures, 200, "failed connections") { _ in 0 }
      report.signals.network = network
    }
    if var disk = report.signals.disk {
      disk.files = kept(disk.files, 500, "files") { Double($0.bytesWritten) }
      report.signals.disk = disk
    }
  }

  /// Keeps the costliest elements, in the order they had.
  private mutating func kept<Element>(
    _ list: [Element], _ most: Int, _ what: String, by cost: (Element) -> Double
  ) -> [Element] {
    guard list.count > most else { return list }
    omissions.append("\(Figures.grouped(most)) of \(Figures.grouped(list.count)) \(what)")
    let costs = list.map(cost)
    return list.indices.sorted { (costs[$1], $0) < (costs[$0], $1) }.prefix(most).sorted().map {
      list[$0]
    }
  }

  /// Of each stretch of samples the highest.
  private mutating func thinned(_ samples: [MemorySampleSection]) -> [MemorySampleSection] {
    let most = 1_000
    guard samples.count > most else { return samples }
    omissions.append(
      "\(Figures.grouped(most)) of \(Figures.grouped(samples.count)) samples of memory")
    return (0..<most).compactMap { part in
      samples[(part * samples.count / most)..<((part + 1) * samples.count / most)]
        .max { $0.footprintBytes < $1.footprintBytes }
    }
  }
}
