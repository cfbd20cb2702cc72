import CPerfEvent
import Glibc

/// How events are asked for of this kernel: with all that Lull wants of them, less what it turned out to refuse.
struct EventRequest {
  /// PERF_FORMAT_LOST (Linux 6.0).
  static let formatLost: UInt64 = 1 << 4

  /// A full ring must not be the first the drain hears of a rate.
  private static let mostWatermark = 256 << 10

  private let watermark: UInt32
  private var excludesKernel = false
  private var lacksLostCount = false

  init(ringBytes: Int) { watermark = UInt32(min(Self.mostWatermark, ringBytes / 4)) }

  /// Opens an event; returns with what it had to be asked for in the end. A negative result is an error.
  mutating func open(
    _ spec: EventSpec, pid: Int32, cpu: Int32, group: Int32
  ) -> (result: Int32, event: lull_event) {
    var event = lull_event()
    if spec.isKernels, excludesKernel { return (-EACCES, event) }
    event.type = spec.kind.type
    event.config = spec.config
    event.sample_period = spec.period
    event.sample_type = spec.fields.rawValue
    event.sample_regs_user = spec.registers
    event.sample_stack_user = spec.stackBytes
    event.clockid = CLOCK_MONOTONIC
    event.wakeup = spec.wakesAtOnce ? 1 : watermark
    // What is told of build ids in the trace is read from the files: see MappedBuildIDs.
    let flags =
      spec.flags & ~EventSpec.Flag.buildID | EventSpec.Flag.base
      | (spec.visibility == .target ? EventSpec.Flag.inherit : 0)
      | (spec.startsDisabled ? EventSpec.Flag.disabled : 0)
    var result: Int32
    repeat {
      event.read_format = lacksLostCount ? 0 : Self.formatLost
      event.flags = flags
      if excludesKernel {
        event.flags |= EventSpec.Flag.excludeKernel | EventSpec.Flag.excludeKernelCallchain
      }
      result = lull_perf_event_open(&event, pid, cpu, group)
    } while result < 0 && concede(error: -result, spec)
    return (result, event)
  }

  /// Gives up one wish that this kernel may not fulfil; false when there is none left.
  private mutating func concede(error: Int32, _ spec: EventSpec) -> Bool {
    switch error {
    case EINVAL where !lacksLostCount:
      lacksLostCount = true
    case EACCES where !excludesKernel && spec.kind == .software && !spec.isKernels,
      EPERM where !excludesKernel && spec.kind == .software && !spec.isKernels:
      // perf_event_paranoid 2 lets a user see user space alone.
      excludesKernel = true
    default:
      return false
    }
    return true
  }

  /// An event of a task (0 for the calling thread) that is never on, for which the kernel keeps a probe.
  static func anchor(of spec: EventSpec, in pid: Int32) -> Int32? {
    var event = lull_event()
    event.type = spec.kind.type
    event.config = spec.config
    event.flags = EventSpec.Flag.disabled
    let descriptor = lull_perf_event_open(&event, pid, -1, -1)
    return descriptor >= 0 ? descriptor : nil
  }

  /// What an error of perf_event_open means here.
  static func explain(_ error: Int32) -> String {
    let text = String(cString: strerror(error))
    switch error {
    case EACCES, EPERM:
      return "\(text): run as root, give CAP_PERFMON, or see `lull doctor`"
    case ENOSYS: return "\(text): the kernel or a container's seccomp has no perf events"
    default: return text
    }
  }
}
