import Foundation
import Testing

/// A program whose cost is known by construction, of which each recorder is to tell the same.
enum LadderWorkload: String, CaseIterable, CustomTestStringConvertible {
  case sleep, lock, network, file, semaphore, child, compute
  case poller, appender, rewriter
  case atomicSaver = "atomic-saver"
  case chatty, bursty, steady

  var testDescription: String { rawValue }

  /// The words that run it; it writes to the path.
  func words(path: String) -> [String] {
    let text =
      switch self {
      case .sleep, .lock, .network, .file, .semaphore, .child, .compute:
        "blocker cause=\(rawValue) count=3 ms=300 gap=200"
      case .poller: "poller hz=50 seconds=2"
      case .appender: "appender writes=40 bytes=33 gap=1 path=\(path)"
      case .rewriter: "rewriter times=5 bytes=20000 gap=1 path=\(path)"
      case .atomicSaver: "atomic-saver times=5 bytes=10000 gap=1 path=\(path)"
      case .chatty: "chatty messages=40 bytes=123 reply=456 gap=5"
      case .bursty: "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=1700"
      case .steady: "steady mb=32 seconds=1"
      }
    return text.split(separator: " ").map(String.init)
  }

  /// Of `record` and of `report`.
  var options: [String] { self == .chatty || self == .bursty ? ["--radio-loopback"] : [] }

  /// What it waits for, as a report names that, and the function that waits, or computes.
  var blame: (cause: String, function: String)? {
    switch self {
    case .sleep: ("sleep", "in makeBlock(")
    case .lock: ("lock", "makeLockBlock")
    case .network: ("network", "makeReceiveBlock")
    case .file: ("file", "makeReadBlock")
    case .semaphore: ("lock", "makeSemaphoreBlock")
    case .child: ("child", "waitForSleepingChild")
    case .compute: ("", "computeOnThisThread")
    default: nil
    }
  }

  /// Holds a recording against what the program did; times may be wrong by so much, and so much of what blocked must
  /// have its cause. One that is not whole lacks what came before it, and holds what the program prints, into a file.
  func expect(
    _ run: Recorded, _ place: String, within slack: Double = 0.005, told share: Double = 0.9,
    isWhole: Bool = true
  ) throws {
    let signals = run.signals
    switch self {
    case .sleep, .lock, .network, .file, .semaphore, .child, .compute:
      try expectHangs(run, place, within: slack, told: share)
    case .poller:
      let wakeups = signals["wakeups"]
      let timer = wakeups["timers"].items.max { ($0["count"].int ?? 0) < ($1["count"].int ?? 0) }
      #expect(isNear(timer?["periodSeconds"].double, 0.02, slack: 0.0005), "\(place): \(wakeups)")
      #expect((timer?["count"].int ?? 0) >= 90, "\(place): \(wakeups)")
      let names = (timer?["stack"].items ?? []).compactMap { $0["function"].string }
      #expect(names.contains { $0.contains("Lifecycle.poller") }, "\(place): \(wakeups)")
      // The kernel's own count; what is before a library is loaded and after it is left is not seen by that.
      let slept = run.truth["usage"]["voluntarySwitches"].int ?? 0
      #expect(
        !isWhole || abs((wakeups["total"].int ?? 0) - slept) <= 6,
        "\(place): \(wakeups) of \(slept)")
    case .appender, .rewriter, .atomicSaver:
      let path = run.truth["path"].string ?? ""
      let file = run.file(path)
      for (key, own) in [("writes", "writes"), ("bytesWritten", "bytes"), ("syncs", "syncs")] {
        #expect(file[key].int == run.truth[own].int, "\(place): \(path) in \(signals["disk"])")
        // Nothing else was written, but for what it prints.
        guard isWhole else { continue }
        #expect(signals["disk"][key].int == run.truth[own].int, "\(place): \(signals["disk"])")
      }
    case .chatty, .bursty:
      let network = signals["network"]
      for key in ["bytesSent", "bytesReceived", "sends", "receives"] {
        #expect(network[key].int == run.truth[key].int, "\(place): \(key) in \(network)")
      }
      #expect(!network["connections"].items.isEmpty, "\(place): \(network)")
      // To send takes a CPU for longer than some wait, and is no wait.
      let (woken, slept) = (
        signals["wakeups"]["total"].int ?? 0, run.truth["usage"]["voluntarySwitches"].int ?? 0
      )
      #expect(!isWhole || woken <= slept + 6, "\(place): \(signals["wakeups"]) of \(slept)")
      let bursts = network["bursts"].items
      #expect(bursts.count == (self == .bursty ? 3 : 1), "\(place): \(network)")
      for burst in bursts {
        for key in ["bytesSent", "bytesReceived"] {
          #expect(
            burst[key].int == (run.truth[key].int ?? 0) / bursts.count, "\(place): \(burst)")
        }
      }
    case .steady:
      let peak = signals["memory"]["peakFootprintBytes"].int ?? 0
      let truth = run.truth["peakBytes"].int ?? .max
      // The program itself takes some megabytes.
      #expect((0...(8 << 20)).contains(peak - truth), "\(place): \(signals["memory"])")
    }
  }

  private func expectHangs(
    _ run: Recorded, _ place: String, within slack: Double, told share: Double
  ) throws {
    let hangs = run.hangs
    try #require(hangs.count == 3, "\(place): \(run.mainThread)")
    for (hang, (length, cpu)) in zip(hangs, zip(run.trueSpans, run.trueCPU)) {
      // On a busy machine the turn waits for a CPU before that stretch and after it.
      let excess = (hang["durationSeconds"].double ?? 0) - length
      let waiting = hang["runnableSeconds"].double ?? 0
      #expect(
        excess > -slack && excess < slack + waiting, "\(place): \(hang) of \(length)")
      let functions = hang["stack"].items.compactMap { $0["function"].string }
      #expect(
        functions.contains { $0.contains(blame?.function ?? "") }, "\(place): \(hang)")
      if self == .compute {
        #expect(
          isNear(hang["runningSeconds"].double, cpu, slack: 2 * slack),
          "\(place): \(hang) with \(cpu)")
      } else {
        let causes = hang["blockedByCause"]
        let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
        #expect((causes[blame?.cause ?? ""].double ?? 0) > share * blocked, "\(place): \(hang)")
      }
    }
  }

  /// What a matrix of all shows of a recording.
  func line(_ run: Recorded) -> String {
    let signals = run.signals
    switch self {
    case .sleep, .lock, .network, .file, .semaphore, .child, .compute:
      return zip(run.hangs, run.trueSpans).map { hang, length in
        String(
          format: "%+.1f", ((hang["durationSeconds"].double ?? 0) - length) * 1000)
      }.joined(separator: " ") + " ms, in " + (run.hangs.first?["blamedFunction"].string ?? "?")
    case .poller:
      let count = signals["wakeups"]["timers"].items.compactMap { $0["count"].int }.max() ?? 0
      return "\(count) expiries, \(signals["wakeups"]["total"]) wakeups of "
        + "\(run.truth["usage"]["voluntarySwitches"])"
    case .appender, .rewriter, .atomicSaver:
      let file = run.file(run.truth["path"].string ?? "")
      return "\(file["writes"]) writes, \(file["bytesWritten"]) B, \(file["syncs"]) syncs"
    case .chatty, .bursty:
      let network = signals["network"]
      return "\(network["bytesSent"]) B in \(network["sends"]), \(network["bytesReceived"]) B in "
        + "\(network["receives"]), \(network["bursts"].items.count) bursts"
    case .steady: return "\(signals["memory"]["peakFootprintBytes"]) B of \(run.truth["peakBytes"])"
    }
  }
}
