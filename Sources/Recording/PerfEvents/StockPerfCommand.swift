/// The command line of stock perf that records what Lull wants.
package enum StockPerfCommand {
  /// What the main thread, the wakeups, network, disk and CPU are measured from.
  ///
  /// Scheduler events of all CPUs tell who woke whom. The register set lets a system call's descriptor be read at its
  /// exit (`perf record --user-regs`, rdi, rsi, rdx and r10 on x86-64).
  package static var line: String {
    #if arch(arm64)
      let registers = "x0,x1,x2,x3"
    #else
      let registers = "di,si,dx,r10"
    #endif
    let tracefs = try? TraceFS.search().get()
    let events = Tracepoint.catalogue.filter { isThere($0, tracefs) }.compactMap(\.stockPerfEvent)
    return "perf record -a -k CLOCK_MONOTONIC -m 4M --user-regs=\(registers) -o trace.perf.data "
      + events.map { "-e \($0)" }.joined(separator: " ")
      + " -e 'cpu-clock/call-graph=fp,freq=99/' -- COMMAND"
  }

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
    case .withCallChain: "\(fullName)/call-graph=fp/"
    case .filtered: "\(fullName) --filter '\(uses.first?.filter ?? "")'"
    case .omitted: nil
    }
  }
}
