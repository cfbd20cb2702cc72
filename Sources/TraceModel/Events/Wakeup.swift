import PerfData
import Quantities

/// A sleeping thread made runnable (sched:sched_waking).
public struct Wakeup: Sendable {
  /// The context in which the wake was made.
  public enum Context: Sendable {
    case task, softInterrupt, hardInterrupt
    /// The kernel did not tell of the wake, but the thread ran on.
    case unknown
  }

  /// What stands for the thread, and its process, where a recording within the process knows of a wake, or of what is
  /// as good as one, by its maker alone.
  public static let nobodyKnown: Int32 = -1

  public var time: Timestamp
  public var tid: Int32
  public var pid: Int32
  /// The thread on the CPU at that moment; it made the wake only in task context.
  public var waker: Int32
  public var wakerPid: Int32
  public var context: Context
  /// What the thread had been waiting for.
  public var waited: WaitCause?
  /// An interrupt made it while the CPU was idle.
  public var cpuWasIdle: Bool

  /// Made in interrupt context: what macOS and iOS count and limit.
  ///
  /// Of a wake that the kernel did not tell, what the thread waited for decides: threads wake each other from locks,
  /// pipes and their children's ends, interrupts do from the rest.
  public var isIdleWakeup: Bool {
    switch context {
    case .task: false
    case .softInterrupt, .hardInterrupt: true
    case .unknown:
      switch waited {
      case .eventWait?, .file?, .sync?, .network?, .sleep?, .pageFault?: true
      case .lock?, .child?, .ipc?, .other?, .unknown?, .stopped?, nil: false
      }
    }
  }

  /// An idle wakeup that made its CPU leave idle.
  ///
  /// One that the kernel did not tell counts: it is in the idle task that the kernel loses tracepoints.
  public var foundCPUIdle: Bool { cpuWasIdle || (context == .unknown && isIdleWakeup) }
}
