import Quantities
import TraceModel

/// Stacks as flame graph tools read them: `thread;outermost;…;innermost value`.
package enum FoldedStacks {
  /// What the value counts.
  package enum Kind: String, Sendable, CaseIterable {
    /// Microseconds of CPU time; of samples that tell shares alone, the events that they stand for.
    case cpu
    /// Microseconds blocked, under the cause.
    case offcpu
    /// Times made runnable.
    case wakeups
    /// Bytes written to files.
    case writes
    /// Bytes sent on internet sockets.
    case sends

    var signal: BlameSignal {
      switch self {
      case .cpu: .cpu
      case .offcpu: .blocked
      case .wakeups: .wakeups
      case .writes: .disk
      case .sends: .network
      }
    }
  }

  /// One line for each different stack of the subject, sorted.
  package static func lines(_ trace: Trace, _ kind: Kind) -> [String] {
    let subject = SubjectView(trace)
    let isShare = trace.sharesEvent != nil
    let samples = BlameSamples(subject: subject, priors: EnergyPriors())
    let names = Dictionary(
      subject.threads.map { ($0.tid, $0.name) }, uniquingKeysWith: { $1 })
    var totals: [String: Double] = [:]
    var texts: [Int: String] = [:]
    for sample in samples.samples(of: kind.signal) {
      var frames = "[no stack]"
      if let stack = sample.stack {
        frames = texts[stack] ?? text(of: trace.stacks.frames(of: stack))
        texts[stack] = frames
      }
      let thread = clean(names[sample.tid] ?? "\(sample.tid)")
      let cause = sample.cause.map { ";[\($0.rawValue)]" } ?? ""
      let value =
        switch kind {
        case .cpu where isShare: sample.count
        case .cpu, .offcpu: sample.seconds * 1e6
        case .wakeups: sample.count
        case .writes, .sends: sample.bytes
        }
      totals["\(thread)\(cause);\(frames)", default: 0] += value
    }
    return totals.sorted { $0.key < $1.key }.compactMap { stack, value in
      let whole = Int(saturating: value.rounded())
      return whole > 0 ? "\(stack) \(whole)" : nil
    }
  }

  /// Outermost first; the kernel's functions end in `_[k]`, as flame graph tools colour them.
  private static func text(of frames: [Frame]) -> String {
    frames.reversed().map { frame in
      var name = frame.displayName
      if frame.function == nil, !frame.isGap {
        let module = frame.module.split(separator: "/").last.map(String.init) ?? frame.module
        name = "\(module)+0x\(String(frame.moduleOffset, radix: 16))"
      }
      return clean(name) + (frame.isKernel ? "_[k]" : "")
    }.joined(separator: ";")
  }

  /// A name without what separates frames and lines.
  private static func clean(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { scalar in
          if scalar == ";" { return ":" }
          return scalar.properties.generalCategory == .control ? " " : scalar
        }))
  }
}
