import PerfData
import Testing

@testable import Signals

@Suite struct MachineChoiceTests {
  private func facts(
    chassis: Int? = nil, model: String? = nil, isVirtual: Bool? = nil, hasBattery: Bool? = nil
  ) -> MachineFacts {
    var facts = MachineFacts()
    (facts.chassis, facts.model) = (chassis, model)
    (facts.isVirtual, facts.hasBattery) = (isVirtual, hasBattery)
    return facts
  }

  @Test func `by what the machine says of itself`() {
    func machine(_ facts: MachineFacts, _ processor: String? = nil) -> MachineClass? {
      MachineChoice(facts: facts, processor: processor).choose()?.machine
    }
    #expect(machine(facts(chassis: 10)) == .laptop)
    #expect(machine(facts(chassis: 30)) == .phone)
    #expect(machine(facts(chassis: 23)) == .server)
    #expect(machine(facts(model: "Raspberry Pi 4 Model B")) == .board)
    #expect(machine(facts(model: "Fairphone 4", hasBattery: true)) == .phone)
    #expect(machine(facts(hasBattery: true)) == .laptop)
    #expect(machine(facts(chassis: 10, isVirtual: true)) == .server)
    // A desktop's case is none of these; its processor may tell.
    #expect(machine(facts(chassis: 3)) == nil)
    #expect(machine(facts(chassis: 3), "Intel(R) Xeon(R) W-2123") == .server)
    #expect(machine(facts(), "AMD Ryzen 7") == nil)
  }

  @Test func `what was said comes first`() {
    let choice = MachineChoice(said: .phone, facts: facts(chassis: 23), processor: "AMD EPYC")
    #expect(choice.choose()?.machine == .phone)
  }

  @Test func `idle states are weighed by how often they were entered`() throws {
    var machine = facts(chassis: 10)
    machine.idleStates = [
      .init(name: "POLL", latencyMicroseconds: 0, residencyMicroseconds: 0, entries: 0),
      .init(name: "C1E", latencyMicroseconds: 10, residencyMicroseconds: 20, entries: 3),
      .init(name: "C8", latencyMicroseconds: 200, residencyMicroseconds: 800, entries: 1),
    ]
    let prior = try #require(MachineChoice(facts: machine).idleStates())
    #expect(prior.value == 57.5 && prior.low == 10 && prior.high == 215)
    #expect(prior.source.contains("C1E, C8"))
    // A guest does not see the states that its host's cores wait in.
    machine.isVirtual = true
    #expect(MachineChoice(facts: machine).idleStates() == nil)
    machine.isVirtual = nil
    machine.idleStates = machine.idleStates?.map {
      .init(name: $0.name, latencyMicroseconds: 1, residencyMicroseconds: 1, entries: 0)
    }
    #expect(MachineChoice(facts: machine).idleStates() == nil)
  }
}
