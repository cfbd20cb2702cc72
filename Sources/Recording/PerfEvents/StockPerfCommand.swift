/// The command line of stock perf that records what Lull wants.
package enum StockPerfCommand {
  /// What the main thread, network, disk and CPU are measured from.
  ///
  /// Events of the target's threads with the filters that Lull has, so that the trace is as large as one of Lull's.
  /// SWITCH records tell when each thread got its CPU, which events of a task do not. The register set lets a system
  /// call's descriptor be read at its exit, and stacks be unwound (`perf record --user-regs`).
  package static var line: String {
    #if arch(arm64)
      let registers = "x0,x1,x2,x3,x29,lr"
    #else
      let registers = "di,si,dx,r10,bp"
    #endif
    let tracefs = try? TraceFS.search().get()
    let events = Tracepoint.catalogue.filter { isThere($0, tracefs) }.compactMap(\.stockPerfEvent)
    return
      "perf record -k CLOCK_MONOTONIC -m 4M --switch-events --user-regs=\(registers) -o trace.perf.data "
      + events.map { "-e \($0)" }.joined(separator: " ")
      + " -e 'cpu-clock/\(stacks),freq=99/' -- COMMAND"
  }

  /// Stacks as Lull takes them, which functions without a frame pointer do not cut.
  static let stacks = "call-graph=dwarf,stack-size=2048"

  /// perf records nothing where the kernel lacks one of the events.
  private static func isThere(_ tracepoint: Tracepoint, _ tracefs: TraceFS?) -> Bool {
    if let tracefs { return tracefs.eventID(tracepoint.system, tracepoint.name) != nil }
    return tracepoint.since.map { $0 <= .current } ?? true
  }
}

extension Tracepoint {
  /// What follows `-e`; nil where it is not asked for.
  var stockPerfEvent: String? {
    switch stockPerf {
    case .asked: fullName
    case .withStacks: "'\(fullName)/\(StockPerfCommand.stacks)/'" + Self.filter(uses.first?.filter)
    case .filtered(let filter): fullName + Self.filter(filter ?? uses.first?.filter)
    case .omitted: nil
    }
  }

  private static func filter(_ expression: String?) -> String {
    expression.map { " --filter '\($0)'" } ?? ""
  }
}
