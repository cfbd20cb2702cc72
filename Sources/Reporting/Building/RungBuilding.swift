import PerfData
import Signals

/// By what means each signal of a recording was measured.
enum RungBuilding {
  /// What the recorder said of its limits, by the signals that they are of.
  private static let limits: [(kind: SignalKind, names: Set<String>)] = [
    (.mainThread, ["mainThread", "waits outside of calls", "call sites"]),
    (.wakeups, ["wakeups"]),
    (.network, ["network", "connections"]),
    (.disk, ["disk", "io_uring", "Linux AIO", "shared mappings", "file names"]),
    (.cpu, ["cpu samples"]),
    (.memory, ["memory"]),
  ]

  /// Nil where it was not Lull that recorded.
  static func rungs(
    of capture: CaptureEvent?, of subject: Int32, _ signals: SignalSet
  ) -> [SignalRung]? {
    guard let capture else { return nil }
    return limits.map { kind, names in
      SignalRung(
        signal: kind.rawValue,
        rung: isMeasured(kind, signals) ? rung(of: kind, capture, of: subject) : nil,
        limits: capture.unavailable.filter { names.contains($0.signal) }.map(\.reason))
    }
  }

  private static func isMeasured(_ kind: SignalKind, _ signals: SignalSet) -> Bool {
    switch kind {
    case .mainThread: signals.mainThread != nil
    case .wakeups: signals.wakeups != nil
    case .network: signals.network != nil
    case .disk: signals.disk != nil
    case .memory: signals.memory != nil
    case .cpu: signals.cpu != nil
    case .lifecycle, .counters: false
    }
  }

  private static func rung(
    of kind: SignalKind, _ capture: CaptureEvent, of subject: Int32
  ) -> SignalRung.Rung {
    guard kind != .memory else { return .proc }
    let looks: SignalRung.Rung = capture.recordsSwitches == true ? .switches : .outside
    if capture.looksBesideAt(subject) { return looks }
    switch capture.recorder {
    case CaptureEvent.kernelRecorder: return .kernel
    case CaptureEvent.processRecorder: return capture.mode == .attach ? .agent : .process
    case CaptureEvent.outsideRecorder: return kind == .network ? .sockets : looks
    default: return .perf
    }
  }
}
