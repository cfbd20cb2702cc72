import Signals
import Testing

@testable import Reporting

@Suite struct EnergyTextTests {
  /// The text's lines as one, since it is broken where they are long.
  private func text(_ report: Report) -> String {
    TextReport.render(report, options: TextOptions(color: false))
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// 2 s on a server: 2.76 W, of 1.22 to 6.41; and 40 J of the machine's 160.
  @Test func `energy is told with its bounds, by whose prices, and what was measured`() throws {
    var energy = EnergyPriors(.server).energy(
      cpuSeconds: 2, wakeups: 0, disk: DiskWork(), radio: JouleRange())
    energy.measuredJoules = 160
    energy.measuredBy = "powercap:package-0"
    energy.measuredShareJoules = 40
    energy.measuredShareBy = "its share"
    var signals = SampleReport.signals()
    signals.priors = EnergyPriors(.server)
    signals.energy = energy
    let told = text(SampleReport.report(signals: signals))
    #expect(told.contains("5.52 J (modelled; 2.44 J to 12.8 J by other models)"))
    #expect(told.contains("by the prices of a server"))
    #expect(
      told.contains(
        "160 J for the whole machine by powercap:package-0; 40.0 J of it this process's"))
  }

  @Test func `bounds that say nothing more are not told`() {
    #expect(SignalsText.range(1, 1, about: 1) == nil)
    #expect(SignalsText.range(nil, 2, about: 1) == nil)
    #expect(SignalsText.range(1, 2, about: 1) == "1 J to 2 J")
  }
}
