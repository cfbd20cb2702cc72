import Foundation
import Testing

/// A control group of version 1, of this test alone; nil where the machine has none or does not allow it.
private final class OwnGroup {
  let directory: String

  init?(_ controller: String) {
    directory = "/sys/fs/cgroup/\(controller)/lull-test-\(getpid())-\(UInt32.random(in: 0...9999))"
    guard mkdir(directory, 0o755) == 0 else { return nil }
  }

  /// Runs a command in the group.
  func running(_ command: [String]) -> [String] {
    ["bash", "-c", "echo $$ > \(directory)/cgroup.procs && exec \"$@\"", "bash"] + command
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
  }

  deinit {
    // The kernel lets go of the last process a moment after it ended.
    for _ in 0..<50 where rmdir(directory) != 0 { usleep(20_000) }
  }

  static func isAllowed(_ controller: String) -> Bool { OwnGroup(controller) != nil }
}

extension EndToEnd {
  @Suite struct ControlGroups {
    @Test(
      .enabled(if: OwnGroup.isAllowed("freezer"), "no freezer control group can be made here"))
    func `a frozen program is in the background until it is thawed`() throws {
      let group = try #require(OwnGroup("freezer"))
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let target = try Command(group.running([Machine.workload, "poller", "seconds=60", "hz=20"]))
      defer { kill(target.pid, SIGKILL) }
      usleep(500_000)
      let recorder = try Command(
        [Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "5s", "-o", trace])
      usleep(1_500_000)
      try group.write("FROZEN", to: "freezer.state")
      usleep(1_500_000)
      try group.write("THAWED", to: "freezer.state")
      _ = try recorder.finish()
      let report = try Recorded.report(trace)
      let phases = report["phases"].items
      #expect(
        phases.compactMap { $0["name"].string } == ["active", "background", "active"], "\(phases)")
      try #require(phases.count == 3)
      #expect(phases[1]["how"].string == "its control group was frozen")
      // Told by looking ten times a second, on a machine that may be busy.
      #expect(abs((phases[1]["durationSeconds"].double ?? 0) - 1.5) < 0.75)
      #expect((phases[1]["wakeups"].int ?? 99) <= 12)
      #expect((phases[2]["wakeups"].int ?? 0) > 0)
    }

    @Test(arguments: [(1.0, "pass"), (0.1, "fail")])
    func `what a program frees at a signal is scored`(share: Double, expected: String) throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let target = try Command([Machine.workload, "cache", "mb=64", "seconds=60", "share=\(share)"])
      defer { kill(target.pid, SIGKILL) }
      usleep(700_000)
      let recorder = try Command(
        [Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "4s", "-o", trace])
      usleep(1_500_000)
      let pressure = try Command.run(
        [Machine.lull, "pressure", "\(target.pid)", "--level", "critical", "--signal", "USR1"])
      #expect(pressure.status == 0, "\(pressure.errors)")
      _ = try recorder.finish()
      let report = try Recorded.report(trace)
      let audit = report["audits"].items.first { $0["id"].string == "memory-warning-response" }
      #expect(audit?["status"].string == expected, "\(audit ?? JSON(nil))")
      #expect(report["marks"].items.first?["name"].string == "memory-pressure-critical")
    }

    @Test(.enabled(if: OwnGroup.isAllowed("memory"), "no memory control group can be made here"))
    func `a memory cgroup that is squeezed tells its program, which frees its cache`() throws {
      let group = try #require(OwnGroup("memory"))
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let target = try Command(
        group.running([Machine.workload, "cache", "mb=64", "seconds=60", "on=pressure"]))
      defer { kill(target.pid, SIGKILL) }
      usleep(1_000_000)
      let recorder = try Command(
        [Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "4s", "-o", trace])
      usleep(1_500_000)
      let limit = "\(group.directory)/memory.limit_in_bytes"
      let before = try String(contentsOfFile: limit, encoding: .utf8)
      let pressure = try Command.run([Machine.lull, "pressure", "\(target.pid)"])
      #expect(pressure.status == 0 && pressure.errors.contains("its memory cgroup was"))
      #expect(try String(contentsOfFile: limit, encoding: .utf8) == before)
      _ = try recorder.finish()
      let report = try Recorded.report(trace)
      let audit = try #require(
        report["audits"].items.first { $0["id"].string == "memory-warning-response" })
      #expect(audit["status"].string == "pass", "\(audit) \(pressure.errors)")
      #expect(kill(target.pid, 0) == 0, "it must not be killed for it")
    }

    @Test(.enabled(if: OwnGroup.isAllowed("memory"), "no memory control group can be made here"))
    func `a cgroup that others share is left alone`() throws {
      let group = try #require(OwnGroup("memory"))
      let first = try Command(group.running([Machine.workload, "cache", "mb=8", "seconds=60"]))
      let second = try Command(group.running([Machine.workload, "cache", "mb=8", "seconds=60"]))
      defer { for command in [first, second] { kill(command.pid, SIGKILL) } }
      usleep(500_000)
      let refused = try Command.run([Machine.lull, "pressure", "\(first.pid)"])
      #expect(refused.status == 77 && refused.errors.contains("holds process \(second.pid) too"))
    }
  }
}
