import Foundation
import Testing

extension EndToEnd {
  /// Programs that begin, or go on, after another one of the target was so busy that probes had to end.
  @Suite struct ProgramProbes {
    private static func busy(_ scratch: Scratch) -> String {
      "\(Machine.workload) rally rest=300 path=\(scratch.file("log"))"
    }

    @Test func `the program that is run after a busy one has its paths`() throws {
      let scratch = try Scratch()
      let saved = scratch.file("saved")
      let saver = "\(Machine.workload) atomic-saver how=foundation times=40 gap=20 path=\(saved)"
      let run = try Recorded(
        ["sh", "-c", "\(Self.busy(scratch)); exec \(saver)"], options: ["--recorder", "perf"],
        scratch: scratch)
      // By which the busy one was one.
      #expect(
        run.report["capture"]["unavailable"].items.contains {
          $0["signal"].string == "file names"
        }, "\(run.report["capture"])")
      #expect(run.signals["disk"]["missing"].string == nil)
      // Its first milliseconds are over when it has them.
      let (known, bytes) = (run.file(saved)["writes"].int, run.file(saved)["bytesWritten"].int)
      #expect((38...40).contains(known ?? 0), "\(run.signals["disk"])")
      #expect(bytes == known.map { $0 * 16_384 })
    }

    @Test func `a program that was there has them again when all is quiet`() throws {
      let scratch = try Scratch()
      let writing = "for i in 1 2 3 4 5 6 7 8; do echo x > \(scratch.file("f"))$i; done"
      let run = try Recorded(
        ["sh", "-c", "\(Self.busy(scratch)); sleep 5; \(writing); sleep 0.1; echo '{}'"],
        options: ["--recorder", "perf"], reportOptions: ["--process", "sh"], scratch: scratch)
      let files = run.signals["disk"]["files"].items.filter {
        $0["path"].string?.hasPrefix(scratch.file("f")) == true
      }
      #expect(
        files.map { $0["writes"].int } == Array(repeating: 1, count: 8), "\(run.signals["disk"])")
    }
  }
}
