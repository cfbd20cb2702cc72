import Signals
import Testing

@testable import Rules

@Suite struct PhaseUsesTests {
  /// Half a minute in the background with 0.6 s of CPU time, as it is measured for some machine.
  private func signals(_ machine: MachineClass) -> SignalSet {
    let priors = EnergyPriors(machine)
    var phase = Phase(name: .background, start: 0, durationSeconds: 30, how: "marked")
    phase.cpuSeconds = 0.6
    phase.wakeups = 30
    phase.energy = priors.energy(
      cpuSeconds: 0.6, wakeups: 30, disk: DiskWork(), radio: JouleRange(0))
    phase.standardJoules =
      EnergyPriors().energy(
        cpuSeconds: 0.6, wakeups: 30, disk: DiskWork(), radio: JouleRange(0)
      ).totalJoules
    return SignalSet(
      durationSeconds: 30, wakeups: WakeupSignal(), network: NetworkSignal(),
      disk: DiskSignal(), memory: MemorySignal(), cpu: CPUSignal(), lifecycle: LifecycleSignal(),
      priors: priors, phases: [phase])
  }

  @Test func `a program without an event loop comes back to no events`() throws {
    func stopped(hasEventLoop: Bool) -> SignalSet {
      var away = Phase(name: .background, start: 0, durationSeconds: 5, how: "stopped by a signal")
      away.handlerSeconds = 3
      var back = Phase(name: .active, start: 5, durationSeconds: 5, how: "continued by SIGCONT")
      back.handlerSeconds = 3
      return SignalSet(
        durationSeconds: 10, mainThread: MainThreadSignal(hasEventLoop: hasEventLoop),
        lifecycle: LifecycleSignal(), phases: [away, back])
    }
    let rules: [any Rule.Type] = [ResumeLagRule.self, BackgroundTransitionTimeRule.self]
    func audits(_ signals: SignalSet) -> [Audit] {
      Evaluator.evaluate(signals, configuration: .standard, rules: rules).audits
    }
    #expect(audits(stopped(hasEventLoop: true)).allSatisfy { $0.status.isScored })
    #expect(audits(stopped(hasEventLoop: false)).allSatisfy { $0.status == .notApplicable })
  }

  @Test func `the machine's prices do not move what background work is worth`() throws {
    let values = MachineClass.allCases.map { machine in
      Evaluator.evaluate(
        signals(machine), configuration: .standard, rules: [BackgroundWorkRule.self]
      ).audits.first?.value
    }
    let first = try #require(values.first ?? nil)
    // 0.6 s in 30 s are 2 %, and a wakeup a second costs a quarter of a percent.
    #expect(first > 2 && first < 2.5)
    #expect(values.allSatisfy { $0 == first }, "\(values)")
  }
}
