import Foundation
import Testing

extension EndToEnd {
  @Suite struct Memory {
    @Test func `the difference of two footprints is what was taken more`() throws {
      let small = try Recorded(workload: "steady mb=32 seconds=1")
      let large = try Recorded(workload: "steady mb=96 seconds=1")
      for key in ["peakFootprintBytes", "peakResidentBytes"] {
        let difference =
          (large.signals["memory"][key].double ?? 0) - (small.signals["memory"][key].double ?? 0)
        #expect(abs(difference - 64 * 1_048_576) < 0.01 * 64 * 1_048_576, "\(key)")
      }
    }

    @Test func `the end of a spike is not its peak`() throws {
      let run = try Recorded(workload: "spiker mb=64 times=3 gap=300")
      let memory = run.signals["memory"]
      let peak = memory["peakFootprintBytes"].double ?? 0
      let end = memory["endFootprintBytes"].double ?? 0
      #expect(isNear(peak - end, 64 * 1_048_576), "\(memory)")
    }

    @Test func `the pace of a leak is measured`() throws {
      let run = try Recorded(workload: "leaker mbPerSecond=8 seconds=7")
      let memory = run.signals["memory"]
      let truth = 8.0 * 1_048_576 * 60
      let pace = memory["growthBytesPerMinute"].double ?? 0
      #expect(abs(pace - truth) < 0.05 * truth, "\(pace) a minute")
      #expect((memory["growthInterval"][0].double ?? -1) > 0)
    }

    @Test func `a steady program does not grow`() throws {
      let run = try Recorded(workload: "steady mb=16 seconds=4")
      #expect(run.audit("footprint-growth")["status"].string != "fail")
      #expect(run.signals["memory"]["samples"].items.count >= 10)
    }
  }
}
