import Foundation
import Testing

@testable import Recording

@Suite struct CapabilitiesTests {
  @Test func `a report names every signal, and what is missing with its cause`() throws {
    let report = CapabilityReport.probe(readsSymbols: true)
    #expect(Set(report.entries.map(\.signal)).count == report.entries.count)
    for name in [
      "main thread", "stacks", "wakeups", "network", "disk", "file names", "memory", "counters",
      "energy meters",
      "CPU samples", "Swift names",
    ] {
      #expect(report.entries.contains { $0.signal == name }, "\(name)")
    }
    for entry in report.shortcomings { #expect(entry.cause?.isEmpty == false, "\(entry)") }
    for entry in report.entries {
      #expect(entry.fix?.contains("paranoid=-1") != true)
    }
    let data = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(CapabilityReport.self, from: data) == report)
  }

  @Test(.enabled(if: geteuid() == 0 && Privileges.current().mayMonitor))
  func `root may record everything that the kernel has`() {
    let report = CapabilityReport.probe(readsSymbols: true)
    for name in ["main thread", "stacks", "wakeups", "network", "disk", "CPU samples"] {
      #expect(report.entries.first { $0.signal == name }?.status == .full, "\(name)")
    }
  }

  @Test func `the table keeps to its width and gives each fix once`() {
    let fix = "run `sudo lull record`, which runs the command as the user who called it"
    let report = CapabilityReport(
      system: "Linux 6.1 x86_64", privilege: "as user 1000 without capabilities",
      paranoidLevel: 2, tracefs: nil,
      entries: [
        .init(signal: "stacks", status: .full, detail: "call chains"),
        .init(
          signal: "network", status: .unavailable, detail: "nothing is measured at all",
          cause: "tracepoints' data need CAP_PERFMON", error: "EACCES", fix: fix),
        .init(
          signal: "disk", status: .unavailable, detail: "nothing is measured",
          cause: "tracepoints' data need CAP_PERFMON", error: "EACCES", fix: fix),
      ])
    for width in [40, 60, 80] {
      let lines = report.table(width: width).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "\(width)")
    }
    let text = report.table(width: 80)
    #expect(text.contains("network, disk: tracepoints' data need CAP_PERFMON"))
    #expect(text.components(separatedBy: "fix:").count == 2)
    #expect(report.oneLine == "1 of 3 signals in full; unavailable: network, disk")
  }

  @Test func `rights are read from the kernel's bits`() {
    let some = Privileges.parse(
      "Name:\tx\nCapEff:\t0000004000080000\nSeccomp:\t2\n", user: 1000)
    #expect(some.has(.perfmon) && some.has(.trace) && !some.has(.admin))
    #expect(some.mayMonitor && some.isFiltered)
    #expect(some.text == "as user 1000 with cap_sys_ptrace, cap_perfmon")
    let none = Privileges.parse("CapEff:\t0000000000000000\nSeccomp:\t0\n", user: 0)
    #expect(!none.mayMonitor && none.text.contains("container"))
  }

  @Test func `refusals are explained by their errors`() {
    var explanation = Explanation(
      privileges: Privileges(user: 1000, effective: 0, isFiltered: true), paranoidLevel: 4,
      kernel: KernelVersion(6, 1), program: "lull", refusesEverything: true)
    #expect(explanation.event(EPERM, needsCapability: true).cause.contains("seccomp"))
    #expect(explanation.event(ENOSYS, needsCapability: true).cause.contains("seccomp"))
    explanation.privileges.isFiltered = false
    let refused = explanation.event(EACCES, needsCapability: true)
    #expect(refused.error == "EACCES" && refused.cause.contains("paranoid is 4"))
    #expect(refused.fix?.contains("setcap cap_perfmon") == true)
    explanation.kernel = KernelVersion(5, 4)
    #expect(explanation.event(EACCES, needsCapability: true).fix?.contains("setcap") == false)
    #expect(
      explanation.event(EACCES, needsCapability: false).fix?.contains("perf_event_paranoid=1")
        == true)
    explanation.privileges.effective = 1 << 38
    #expect(explanation.event(EPERM, needsCapability: true).cause.contains("lockdown"))
    #expect(explanation.ring(EPERM, kilobytes: 512).fix?.contains("perf_event_mlock_kb") == true)
  }
}
