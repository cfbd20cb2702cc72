import Foundation
import Testing

extension EndToEnd {
  /// A package of its own that depends on this one for LullMarks, in Swift and in C.
  @Suite(.enabled(if: Machine.tool("swift") != nil, "needs swift to build the package"))
  struct MarksUser {
    @Test func `marks and intervals of a program that imports LullMarks are recorded`() throws {
      let package = TestPackage.marksUser
      for (program, intervals) in [("marks-user", ["load", "save"]), ("marks-user-c", ["load"])] {
        let scratch = try Scratch()
        let trace = scratch.file("t")
        let run = try Command.run(
          [
            Machine.lull, "record", "-q", "--no-report", "-o", trace, "--",
            try package.program(program),
          ])
        try #require(run.status == 0, "\(run.errors)")
        let report = try Recorded.report(trace)
        #expect(
          report["marks"].items.compactMap { $0["name"].string } == ["ready", "background"],
          "\(program)")
        #expect(report["marks"].items.allSatisfy { $0["how"].string == "library" })
        #expect(report["intervals"].items.compactMap { $0["name"].string } == intervals)
        let load = report["intervals"][0]["durationSeconds"].double ?? 0
        #expect(load >= 0.1 && load < 0.2, "\(program): \(load) s")
      }
    }

    @Test func `a mark costs a few calls when nobody records`() throws {
      let result = try Command.run([TestPackage.marksUser.program("marks-user"), "bench"])
      let costs = try JSON(lastLineOf: result.text)
      let call = try #require(costs["callNs"].double)
      let mark = try #require(costs["markNs"].double)
      let interval = try #require(costs["intervalNs"].double)
      print("a call \(call) ns, a mark \(mark) ns, an interval \(interval) ns")
      // The least of nine rounds, so that other programs on the machine do not count.
      #expect(mark <= max(4 * call, 5), "\(costs)")
      #expect(interval <= max(20 * call, 25), "\(costs)")
    }
  }
}
