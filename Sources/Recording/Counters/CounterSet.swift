import CPFM
import CPerfEvent
import Glibc
import PerfData

/// Counters of a process and its descendants, read at intervals.
///
/// What the machine cannot count is listed with the reason and never reads as zero.
package final class CounterSet: Sendable {
  /// The counters that are asked for when none is named.
  package static let defaultNames = ["instructions", "cycles", "energy-pkg"]

  private struct Counter: Sendable {
    var name: String
    var unit: String?
    var scale: Double
    var descriptors: [OwnedDescriptor]
  }

  /// What could not be counted, and why.
  package let unavailable: [(name: String, reason: String)]

  private let counters: [Counter]

  private init(counters: [Counter], unavailable: [(name: String, reason: String)]) {
    self.counters = counters
    self.unavailable = unavailable
  }

  /// The names of the counters that count.
  package var names: [String] { counters.map(\.name) }

  /// Opens counters on every thread of a process; threads and children begun later are counted.
  ///
  /// Energy is counted for whole processor packages, since the hardware knows no processes.
  /// - Parameters:
  ///   - names: libpfm4's names, or `pmu/event/` as the kernel describes it.
  ///   - pid: the process.
  ///   - enableOnExec: begins to count when the process starts its program.
  package static func open(
    names: [String]? = nil, pid: Int32, enableOnExec: Bool = false
  ) -> CounterSet {
    var counters: [Counter] = []
    var unavailable: [(name: String, reason: String)] = []
    for name in names ?? defaultNames {
      do throws(SystemPMU.Unavailable) {
        let counter = try open(
          name, pid: pid, enableOnExec: enableOnExec, isDefault: names == nil)
        counters.append(counter)
      } catch { unavailable.append((name, error.reason)) }
    }
    return CounterSet(counters: counters, unavailable: unavailable)
  }

  private static func open(
    _ name: String, pid: Int32, enableOnExec: Bool, isDefault: Bool
  ) throws(SystemPMU.Unavailable) -> Counter {
    var event = try encode(name)
    if isDefault, event.cpus == nil, let cost = switchCost(event), cost > dearestSwitch {
      throw SystemPMU.Unavailable(
        "it would cost \(cost / 1000) µs at each context switch on this machine, as on many"
          + " virtual ones: ask for it with --counters if you want it all the same")
    }
    var name = name
    if event.cpus == nil, event.code.exclude_kernel == 0, isUserOnly(event, pid: pid) {
      event.code.exclude_kernel = 1
      event.code.exclude_hypervisor = 1
      name += ":u"
    }
    var descriptors: [OwnedDescriptor] = []
    if let cpus = event.cpus {
      for cpu in cpus { descriptors.append(try open(event, pid: -1, cpu: cpu, how: 0)) }
    } else if enableOnExec {
      let how =
        LULL_EVENT_INHERIT | LULL_EVENT_DISABLED | LULL_EVENT_ENABLE_ON_EXEC
      descriptors.append(try open(event, pid: pid, cpu: -1, how: how))
    } else {
      descriptors = try openThreads(event, pid: pid)
    }
    return Counter(
      name: name, unit: event.unit, scale: event.scale, descriptors: descriptors)
  }

  /// Programming a counter takes about a microsecond where the hardware is at hand, and tens where a hypervisor
  /// has to be asked: a program that often waits would run at a fraction of its speed.
  static let dearestSwitch: UInt64 = 15_000

  /// Nanoseconds to switch a counter on and off again, as each context switch does; nil where it does not open.
  private static func switchCost(_ event: SystemPMU.Event) -> UInt64? {
    var code = event.code
    let descriptor = lull_counter_open(&code, 0, -1, UInt32(LULL_EVENT_DISABLED))
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var least = UInt64.max
    for _ in 0..<5 {
      let start = SystemInfo.monotonicNanoseconds()
      _ = lull_perf_enable(descriptor)
      _ = lull_perf_disable(descriptor)
      least = min(least, SystemInfo.monotonicNanoseconds() - start)
    }
    return least
  }

  /// Whether only what happens in the program itself may be counted (paranoid level 2).
  ///
  /// The counter's name then ends in `:u`, as perf has it.
  private static func isUserOnly(_ event: SystemPMU.Event, pid: Int32) -> Bool {
    var code = event.code
    let result = lull_counter_open(&code, pid, -1, UInt32(LULL_EVENT_DISABLED))
    if result >= 0 { close(result) }
    return result == -EACCES || result == -EPERM
  }

  /// Opens every thread that there is.
  ///
  /// A thread begun by a counted one is counted by inheritance, so that the list is not read
  /// again: what was new in it could have been counted twice.
  private static func openThreads(
    _ event: SystemPMU.Event, pid: Int32
  ) throws(SystemPMU.Unavailable) -> [OwnedDescriptor] {
    var descriptors: [OwnedDescriptor] = []
    var failure = SystemPMU.Unavailable("there is no process \(pid)")
    for tid in ProcessProbe.threadIDs(pid: pid) {
      do throws(SystemPMU.Unavailable) {
        descriptors.append(try open(event, pid: tid, cpu: -1, how: LULL_EVENT_INHERIT))
      } catch { failure = error }
    }
    if descriptors.isEmpty { throw failure }
    return descriptors
  }

  private static func open(
    _ event: SystemPMU.Event, pid: Int32, cpu: Int32, how: Int
  ) throws(SystemPMU.Unavailable) -> OwnedDescriptor {
    var code = event.code
    let result = lull_counter_open(&code, pid, cpu, UInt32(how))
    if result < 0 { throw SystemPMU.Unavailable(reason(-result, wholeCPU: event.cpus != nil)) }
    return OwnedDescriptor(result)
  }

  /// What would give the right to count in one's own program, which level 2 of kernel.perf_event_paranoid does.
  private static var permissionFix: String {
    if Privileges.current().isFiltered { return "a container's seccomp filter refuses it" }
    let level = KernelFile.integer("/proc/sys/kernel/perf_event_paranoid") ?? 2
    return "run as root or with CAP_PERFMON"
      + (level > 2 ? ", or set kernel.perf_event_paranoid to 2" : "")
  }

  /// What an error of perf_event_open means for a counter.
  static func reason(_ cause: Int32, wholeCPU: Bool) -> String {
    let text = KernelFile.errorText(cause)
    switch cause {
    case ENOENT, ENODEV, EOPNOTSUPP:
      return "this machine has no hardware counter for it, as is usual in virtual machines"
        + " (\(text))"
    case EACCES, EPERM:
      return wholeCPU
        ? "counting whole processors is not allowed (\(text)): run as root or with CAP_PERFMON"
        : "counting is not allowed (\(text)): \(permissionFix)"
    case ENOSYS: return "perf_event_open is missing or filtered away here (\(text))"
    case EMFILE: return "no more descriptors (\(text)): raise `ulimit -n`"
    case ESRCH: return "the process ended (\(text))"
    case EINVAL: return "the kernel does not accept its encoding (\(text))"
    case EBUSY: return "another user holds the counter for itself (\(text))"
    default: return text
    }
  }

  /// Encodes a name: `energy-pkg` and the like, `pmu/event/`, else libpfm4's.
  private static func encode(_ name: String) throws(SystemPMU.Unavailable) -> SystemPMU.Event {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 3, parts[2].isEmpty {
      return try SystemPMU.event(String(parts[0]), String(parts[1]))
    }
    if name.hasPrefix("energy-") { return try SystemPMU.event("power", name) }
    var code = lull_event_code()
    var text = [CChar](repeating: 0, count: 256)
    let result = lull_pfm_encode(name, &code, &text, text.count)
    guard result != LULL_PFM_MISSING else {
      throw SystemPMU.Unavailable(
        "libpfm4, which knows its encoding, is not installed: apt-get install libpfm4")
    }
    guard result == 0 else {
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw SystemPMU.Unavailable(
        "libpfm4 does not know it here (\(String(decoding: bytes, as: UTF8.self))): see"
          + " `perf list`, or set LIBPFM_FORCE_PMU if the processor is newer than libpfm4")
    }
    // Software clocks count nanoseconds (cpu-clock, task-clock).
    let isClock = code.type == 1 && code.config <= 1
    return SystemPMU.Event(code: code, scale: 1, unit: isClock ? "ns" : nil, cpus: nil)
  }

  /// Reads every counter, scaled up for the time that it had to share its hardware.
  ///
  /// One that never ran is left out: it has no value.
  /// - Parameters:
  ///   - final: whether these are the last values.
  package func readings(final: Bool = false) -> [CounterEvent] {
    counters.compactMap { counter in
      var sum = 0.0
      var isKnown = false
      for descriptor in counter.descriptors {
        guard let value = Self.scaledCount(descriptor) else { continue }
        sum += value
        isKnown = true
      }
      guard isKnown else { return nil }
      return CounterEvent(
        name: counter.name, value: sum * counter.scale, unit: counter.unit, final: final)
    }
  }

  private static func scaledCount(_ descriptor: OwnedDescriptor) -> Double? {
    var words: [UInt64] = [0, 0, 0]
    let size = words.count * MemoryLayout<UInt64>.size
    guard read(descriptor.number, &words, size) == size else { return nil }
    return scaled(count: words[0], enabled: words[1], running: words[2])
  }

  /// The estimate for the whole enabled time; nil when it was enabled and never ran.
  static func scaled(count: UInt64, enabled: UInt64, running: UInt64) -> Double? {
    if running == 0 { return enabled == 0 ? 0 : nil }
    if running >= enabled { return Double(count) }
    return Double(count) * (Double(enabled) / Double(running))
  }
}
