import Foundation
import Testing
import TraceModel

extension EndToEnd {
  /// Recordings by who may not do much.
  @Suite struct PlainUser {
    /// Runs Lull as nobody, in a folder where it and the workload are; gives what it printed and the trace's path.
    private func record(
      _ limits: [String], _ workload: String, scratch: Scratch
    ) throws -> (result: CommandResult, trace: String) {
      for (program, name) in [(Machine.lull, "lull"), (Machine.workload, "lull-workload")] {
        try FileManager.default.copyItem(atPath: program, toPath: scratch.file(name))
        chmod(scratch.file(name), 0o755)
      }
      let trace = scratch.file("t.perf.data")
      let nobody = [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
      ]
      let words = [
        scratch.file("lull"), "record", "-o", trace, "--", scratch.file("lull-workload"),
      ]
      let result = try Command.run(
        limits + nobody + words + workload.split(separator: " ").map(String.init))
      return (result, trace)
    }

    @Test(arguments: [0, 65_536, 8 << 20])
    func `every CPU has a ring, and the recorder sleeps`(lockable: Int) throws {
      let scratch = try Scratch()
      let (result, trace) = try record(
        ["prlimit", "--memlock=\(lockable)"], "blocker cause=sleep count=4 ms=300 gap=200",
        scratch: scratch)
      try #require(result.status == 0, "\(result.errors)")
      #expect(!result.errors.contains("no event could be opened"), "\(result.errors)")
      let recorded = try Trace.load(path: trace)
      #expect(recorded.subject.name == "lull-workload" && recorded.subject.isSwift)
      let seconds = recorded.metadata.durationSeconds
      #expect((recorded.capture?.overheadCPUSeconds ?? seconds) < 0.5 * seconds)
      // A trace holds what was on programs' stacks.
      var status = stat()
      #expect(stat(trace, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }
}
