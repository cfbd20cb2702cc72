import CPFM
import Glibc

/// Tries to open what a recording opens, on our own thread and on one CPU.
struct CapabilityProbe {
  private typealias Entry = CapabilityReport.Entry

  let tracefs: Result<TraceFS, TraceFS.Absence>
  let explanation: Explanation
  /// Whether there is what reads symbols from files.
  let readsSymbols: Bool
  private var entries: [CapabilityReport.Entry] = []

  // PERF_SAMPLE_ bits.
  static let base: UInt64 = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16
  static let raw: UInt64 = 1 << 10
  static let callchain: UInt64 = 1 << 5
  static let userRegisters: UInt64 = 1 << 12
  static let userStack: UInt64 = 1 << 13

  init(readsSymbols: Bool) {
    self.readsSymbols = readsSymbols
    tracefs = TraceFS.search()
    let executable = KernelFile.link("/proc/self/exe") ?? ""
    // Counting one's own context switches in the program is allowed unless all is forbidden.
    var code = lull_event_code()
    code.type = EventSpec.Kind.software.type
    code.config = 3
    code.exclude_kernel = 1
    let harmless = lull_counter_open(&code, 0, -1, 0)
    if harmless >= 0 { close(harmless) }
    explanation = Explanation(
      privileges: .current(),
      paranoidLevel: KernelFile.integer("/proc/sys/kernel/perf_event_paranoid"),
      kernel: .current,
      program: executable.hasSuffix("/lull") ? executable : "lull",
      refusesEverything: harmless < 0)
  }

  /// To load programs into the kernel takes longer than all else: that is left out where nobody asks.
  mutating func run(loadsPrograms: Bool) -> CapabilityReport {
    add(.mainThread)
    stacks()
    add(.wakeups)
    add(.network)
    add(.disk)
    fileNames()
    memory()
    counters()
    energyMeters()
    cpuSamples()
    swiftNames()
    kernelNames()
    otherProcesses()
    ringBuffers()
    if loadsPrograms { kernelPrograms() }
    let features = SystemInfo.features()
    let place: String? =
      switch tracefs {
      case .success(let found):
        switch found.origin {
        case .mounted(let path): path
        case .detached: "mounted privately"
        }
      // Why is said where it matters.
      case .failure(let absence): absence.isRefused ? "may not be read" : nil
      }
    return CapabilityReport(
      system: "Linux \(features.osRelease ?? "?") \(features.architecture ?? "")",
      privilege: explanation.privileges.text, paranoidLevel: explanation.paranoidLevel,
      tracefs: place, entries: entries)
  }

  mutating func add(
    _ signal: String, _ status: CapabilityReport.Status, _ detail: String,
    _ refusal: Refusal? = nil
  ) {
    entries.append(
      Entry(
        signal: signal, status: status, detail: detail, cause: refusal?.cause,
        error: refusal?.error, fix: refusal?.fix))
  }
}
