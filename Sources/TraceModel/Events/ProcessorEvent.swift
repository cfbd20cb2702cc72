import PerfData
import Quantities

/// The event whose samples show where threads ran.
public struct ProcessorEvent: Sendable, Hashable {
  public var name: String
  /// Its periods are CPU time. Those of any other event tell shares of it only: how often one comes changes with the
  /// frequency of the CPU, and with what runs.
  public var isClock: Bool
  /// Of a clock that gives no sample while the kernel works for the program, the CPU time from one to the next; nil of
  /// others.
  public var periodInProgram: TimeSpan?

  init(_ attribute: EventAttribute) {
    name = attribute.name
    isClock = attribute.samplingRank.map { $0 <= Self.taskClock } ?? false
    if isClock, attribute.excludesKernel, !attribute.usesFrequency {
      periodInProgram = TimeSpan(nanoseconds: Int64(clamping: attribute.samplePeriod))
    }
  }

  fileprivate static let cpuClock = 0
  fileprivate static let taskClock = 1
  private static let cycles = 2

  /// The event to take of a trace's, and which attributes are of it; of perf's own traces one, or each moment would
  /// count twice.
  static func choose(
    among attributes: [EventAttribute], isOwn: Bool
  ) -> (event: ProcessorEvent?, isTaken: (EventAttribute) -> Bool) {
    let ranks = attributes.compactMap { attribute in attribute.samplingRank.map { ($0, attribute) }
    }
    guard let best = ranks.min(by: { $0.0 < $1.0 }) else { return (nil, { _ in false }) }
    if isOwn { return (ProcessorEvent(best.1), { $0.samplingRank.map { $0 <= cycles } ?? false }) }
    let counted = best.1.counted
    return (ProcessorEvent(best.1), { $0.samplingRank == best.0 && $0.counted == counted })
  }
}

extension EventAttribute {
  /// What it counts, which is the same for the units of two kinds of cores.
  fileprivate var counted: String {
    if name.hasPrefix("cpu_"), let slash = name.firstIndex(of: "/") {
      return String(name[name.index(after: slash)...].prefix { $0 != "/" })
    }
    return "\(type):\(config & 0xffff_ffff)"
  }

  /// Which of several events to take for samples of the CPUs, the lowest first; nil for one that does not go on as long
  /// as a CPU works.
  var samplingRank: Int? {
    // Of two kinds of cores each has events of its own, whose kind stands in the upper half.
    let config = config & 0xffff_ffff
    switch type {
    // PERF_TYPE_SOFTWARE: PERF_COUNT_SW_CPU_CLOCK and _TASK_CLOCK; others are faults, switches and wishes.
    case 1 where config == 0: return ProcessorEvent.cpuClock
    case 1 where config == 1: return ProcessorEvent.taskClock
    // PERF_TYPE_HARDWARE: cycles, instructions, and what is less even.
    case 0: return config == 0 ? 2 : config == 1 ? 3 : 4
    // PERF_TYPE_HW_CACHE and PERF_TYPE_RAW.
    case 3, 4: return 5
    default:
      // Units of the processor have numbers that differ from machine to machine.
      let isProcessors = ["cpu/", "cpu_", "ibs_", "armv8", "arm_spe"].contains(
        where: name.hasPrefix)
      return type > 5 && isProcessors ? 5 : nil
    }
  }
}

extension Trace {
  /// The CPU time between two samples of a process of which the kernel's part has none; nil where all of it has.
  public func periodInProgram(of pid: Int32) -> TimeSpan? {
    // What tells of itself has a clock of its own.
    let isWithin = capture?.recorder == CaptureEvent.processRecorder
    return isWithin && capture?.looksBesideAt(pid) != true ? nil : processorEvent?.periodInProgram
  }

  /// How many seconds of a CPU each of so many samples of a process stands for, of all that the threads ran: an equal
  /// part, but no more than its period where the kernel's part of the time has no samples.
  public func seconds(ofEach count: Int, in total: TimeSpan, of pid: Int32) -> Double {
    let even = count > 0 ? total.seconds / Double(count) : 0
    return periodInProgram(of: pid).map { min($0.seconds, even) } ?? even
  }
}
