import Quantities

/// One row of `lull top`: a figure of the five signals, of any part of a recording.
package enum LiveFigure: String, CaseIterable, Sendable {
  case cpu, mainBusy, mainBlocked, wakeups, idleWakeups, sent, received, written, syncs, footprint

  package var title: String {
    switch self {
    case .cpu: "CPU, of a core"
    case .mainBusy: "main thread busy"
    case .mainBlocked: "main blocked"
    case .wakeups: "wakeups"
    case .idleWakeups: "idle wakeups"
    case .sent: "sent"
    case .received: "received"
    case .written: "written"
    case .syncs: "syncs"
    case .footprint: "footprint"
    }
  }

  /// The figure of a report with its unit; nil where it was not measured.
  package func value(_ report: Report) -> String? {
    let signals = report.signals
    let seconds = max(report.livedSeconds, 1e-3)
    func rate(_ bytes: UInt64?) -> String? {
      bytes.map { Figures.bytes(Double($0) / seconds) + "/s" }
    }
    func share(_ part: (MainThreadSection) -> Double) -> String? {
      signals.mainThread.map { Figures.percent(min(part($0) / seconds, 1)) }
    }
    switch self {
    case .cpu: return signals.cpu.map { Figures.percent($0.totalSeconds / seconds) }
    case .mainBusy: return share { $0.runningSeconds + $0.runnableSeconds }
    case .mainBlocked:
      return signals.mainThread.map {
        BlockedShare(seconds: $0.blockedSeconds, byCause: $0.blockedByCause, of: seconds).text
      }
    case .wakeups: return signals.wakeups.map { Figures.brief($0.perSecond) + "/s" }
    case .idleWakeups: return signals.wakeups.map { Figures.brief($0.idlePerSecond) + "/s" }
    case .sent: return rate(signals.network?.bytesSent)
    case .received: return rate(signals.network?.bytesReceived)
    case .written: return rate(signals.disk?.bytesWritten)
    case .syncs: return signals.disk.map { Figures.brief(Double($0.syncs) * 60 / seconds) + "/min" }
    case .footprint: return signals.memory.map { Figures.bytes($0.endFootprintBytes) }
    }
  }

  /// What stands beside it: causes and places.
  package func remark(_ report: Report) -> String? {
    let signals = report.signals
    switch self {
    case .cpu: return report.blame.cpu.first.map { "most in \(Escaped.text($0.function))" }
    case .mainBusy:
      return (signals.mainThread?.hangs ?? []).max { $0.durationSeconds < $1.durationSeconds }.map {
        "longest hang \(Figures.seconds($0.durationSeconds))"
          + ($0.blamedFunction.map { " in \(Escaped.text($0))" } ?? "")
      }
    case .mainBlocked:
      let causes = TextReport.causes(
        signals.mainThread?.blockedByCause ?? [:], Figures.seconds)
      return causes.isEmpty ? nil : causes
    case .wakeups:
      return signals.wakeups.map {
        TextReport.causes($0.byCause.mapValues(Double.init)) { Figures.grouped(Int($0)) }
      }
    case .idleWakeups:
      return (signals.wakeups?.timers ?? []).max { $0.count < $1.count }.map { timer in
        "timer every \(Figures.seconds(timer.periodSeconds))"
          + (timer.stack.blamed.map { " in \(TextReport.place($0))" } ?? "")
      }
    case .sent:
      return signals.network.map {
        Figures.count($0.bursts.count, "burst")
          + ", radio on \(Figures.percent($0.radio.dutyCycle)) (\($0.radio.profile))"
      }
    case .received: return nil
    case .written:
      let files = (signals.disk?.files ?? []).max { $0.bytesWritten < $1.bytesWritten }
      return files.flatMap {
        $0.bytesWritten > 0 ? "most to \(Columns.clip(Escaped.text($0.path), to: 40))" : nil
      }
    case .syncs:
      let files = (signals.disk?.files ?? []).max { $0.syncs < $1.syncs }
      return files.flatMap {
        $0.syncs > 0 ? "most of \(Columns.clip(Escaped.text($0.path), to: 40))" : nil
      }
    case .footprint:
      return signals.memory?.growthBytesPerMinute.map { "\(Figures.bytes($0)) a minute" }
    }
  }
}
