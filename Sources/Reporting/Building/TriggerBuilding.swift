import PerfData
import Quantities
import Signals
import TraceModel

/// What the trace and its hangs say of the trigger.
enum TriggerBuilding {
  static func section(of trace: Trace, _ signals: SignalSet) -> TriggerSection? {
    guard let trigger = trace.trigger else { return nil }
    let from = Timestamp(nanoseconds: trigger.fromNs)
    let to = Timestamp(nanoseconds: trigger.toNs)
    let (start, end) = (trace.seconds(from), trace.seconds(to))
    let hang =
      trigger.kind == .hang
      ? signals.mainThread?.hangs.filter { $0.start < end && $0.start + $0.durationSeconds > start }
        .max { $0.durationSeconds < $1.durationSeconds } : nil
    return TriggerSection(
      kind: trigger.kind.rawValue, condition: trigger.condition, time: max(0, start.finite),
      durationSeconds: max(0, (end - start).finite), isGoingOn: trigger.isGoingOn,
      pid: trigger.pid, footprintBytes: trigger.footprintBytes, function: hang?.blamedFunction,
      stack: hang?.stack.map(SignalBuilding.frame) ?? [], keptSeconds: trigger.keptSeconds.finite)
  }
}
