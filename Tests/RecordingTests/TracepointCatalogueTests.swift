import Glibc
import PerfData
import Testing

@testable import Recording
@testable import TraceModel

@Suite struct TracepointCatalogueTests {
  @Test func `no tracepoint has two rows, and each is recorded for something`() {
    let names = Tracepoint.catalogue.map(\.fullName)
    #expect(Set(names).count == names.count)
    for tracepoint in Tracepoint.catalogue {
      #expect(!tracepoint.uses.isEmpty && !tracepoint.lack.isEmpty, "\(tracepoint.fullName)")
      #expect(
        Set(tracepoint.uses.map(\.variant)).count == tracepoint.uses.count, "\(tracepoint.fullName)"
      )
    }
    // A line of `doctor` needs one that decides.
    for line in CapabilityLine.allCases {
      #expect(Tracepoint.catalogue.contains { $0.line == line && $0.isEssential }, "\(line)")
    }
  }

  @Test func `what is recorded is read: by the trace's model, or by the recorder at once`() {
    for tracepoint in Tracepoint.catalogue {
      for use in tracepoint.uses where !use.wakesAtOnce {
        let name = tracepoint.fullName + use.variant.rawValue
        #expect(EventDispatch.handlers[name] != nil, "\(name)")
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "the numbers of tracepoints need root"))
  func `the plan opens what the catalogue has, and nothing else`() throws {
    let tracefs = try TraceFS.locate()
    let options = RecordingOptions(target: .command(["true"]), outputPath: "x")
    let plan = EventPlan(tracefs: tracefs, options: options, countsTransfers: true, uprobes: [])
    let opened = Set(plan.specs.filter { $0.kind == .tracepoint }.map(\.config))
    let known = Tracepoint.catalogue.filter { tracefs.eventID($0.system, $0.name) != nil }
    #expect(opened == Set(known.compactMap { tracefs.eventID($0.system, $0.name) }))
    #expect(plan.unavailable.count == Tracepoint.catalogue.count - known.count)
    // One event for each use, one that samples it, and one that may take its place.
    for (tracepoint, use) in known.flatMap({ row in row.uses.map { (row, $0) } }) {
      let name = tracepoint.fullName + use.variant.rawValue
      let specs = plan.specs.filter { $0.name == name && $0.replaced == nil }
      var isSampled = false
      if case .whole(let source) = use.cost { isSampled = source.canBeSampled }
      #expect(specs.count == (isSampled ? 2 : 1), "\(name)")
      #expect(specs.allSatisfy { $0.purpose == use.purpose && $0.filter == use.filter })
    }
    for spec in plan.specs {
      guard let old = spec.replaced else { continue }
      #expect(plan.specs[old].phase == .untilTakeover && plan.specs[old].name == spec.name)
      #expect(plan.specs[old].visibility == .target && spec.startsDisabled)
    }
  }

  @Test func `each tracepoint is in the command of stock perf, or it is said why not`() {
    let command = StockPerfCommand.line
    let isReadable = (try? TraceFS.locate()) != nil
    for tracepoint in Tracepoint.catalogue {
      if case .omitted(let reason) = tracepoint.stockPerf {
        #expect(!reason.isEmpty && !command.contains(tracepoint.fullName))
      } else if isReadable {
        let isThere = (try? TraceFS.locate())?.eventID(tracepoint.system, tracepoint.name) != nil
        let isNamed = ["-e ", "-e '"].contains { command.contains($0 + tracepoint.fullName) }
        #expect(isNamed == isThere, "\(tracepoint.fullName)")
      }
    }
    let named = command.split(separator: " ").filter { $0.contains(":") && !$0.contains("'") }
      .map { $0.split(separator: "/")[0] }
    #expect(Set(named).isSubset(of: Tracepoint.catalogue.map { Substring($0.fullName) }))
  }

  @Test(arguments: [("6.18.44-fc", 6, 18), ("5.4.0", 5, 4), ("", 0, 0), ("7", 7, 0)])
  func `a kernel's release is compared by its numbers`(_ text: String, _ major: Int, _ minor: Int) {
    #expect(KernelVersion(text) == KernelVersion(major, minor))
    #expect(
      KernelVersion(5, 10) > KernelVersion(5, 9) && KernelVersion(6, 0) > KernelVersion(5, 10))
  }
}
