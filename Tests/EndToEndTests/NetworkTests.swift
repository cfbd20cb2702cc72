import Foundation
import Testing

extension SideBySide {
  @Suite struct Network {
    @Test(arguments: [
      "chatty messages=40 bytes=123 reply=456 gap=5",
      "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=100",
    ])
    func `bytes sent and received equal the program's own`(workload: String) throws {
      let run = try Recorded(
        workload: workload, options: ["--radio-loopback"], reportOptions: ["--radio-loopback"])
      let network = run.signals["network"]
      #expect(network["bytesSent"].int == run.truth["bytesSent"].int, "\(network)")
      #expect(network["bytesReceived"].int == run.truth["bytesReceived"].int, "\(network)")
      #expect(network["sends"].int == run.truth["sends"].int)
      #expect(network["receives"].int == run.truth["receives"].int)
    }

    @Test(arguments: Machine.usualAndPerf)
    func `transfers less than the gap apart are one burst`(recorder: String) throws {
      let run = try Recorded(
        workload: "bursty bursts=3 messages=10 bytes=500 reply=500 gap=2000",
        options: ["--radio-loopback", "--recorder", recorder], reportOptions: ["--radio-loopback"])
      let bursts = run.signals["network"]["bursts"].items
        .filter { ($0["bytesSent"].int ?? 0) > 0 }
      #expect(bursts.count == 3, "\(run.signals["network"])")
      #expect(bursts.allSatisfy { $0["bytesSent"].int == 5000 })
      #expect(bursts.allSatisfy { $0["bytesReceived"].int == 5000 })
    }

    @Test func `the energies of the bursts add up to the radio's`() throws {
      let run = try Recorded(
        workload: "bursty bursts=3 messages=10 bytes=500 reply=500 gap=1700",
        options: ["--radio-loopback"], reportOptions: ["--radio-loopback"])
      let network = run.signals["network"]
      let sum = network["bursts"].items.compactMap { $0["energyJoules"].double }.reduce(0, +)
      let radio = network["radio"]["energyJoules"].double ?? -1
      #expect(abs(sum - radio) <= 1e-9 * max(radio, 1))
    }

    @Test func `loopback is no radio unless asked for`() throws {
      let run = try Recorded(workload: "chatty messages=10 gap=5")
      #expect(run.signals["network"]["bursts"].items.isEmpty)
      #expect(run.audit("radio-duty-cycle")["status"].string == "notApplicable")
    }
  }
}
