import PerfData
import Signals
import Testing

@testable import Reporting

/// By what means each signal was measured, as a report tells it.
struct RungTests {
  private func rungs(
    _ recorder: String?, attached: Bool = false, recordsSwitches: Bool? = nil
  ) throws -> [String: SignalRung] {
    var capture = SampleReport.capture()
    capture.recordsSwitches = recordsSwitches
    capture.recorder = recorder
    if attached { capture.mode = .attach }
    capture.unavailable = [
      .init(signal: "waits outside of calls", reason: "known in sum"),
      .init(signal: "wakeups", reason: "nobody knows who woke"),
    ]
    var signals = SampleReport.signals()
    if recorder == CaptureEvent.outsideRecorder { (signals.wakeups, signals.disk) = (nil, nil) }
    let report = SampleReport.report(signals: signals, capture: capture)
    let rungs = try #require(try JSONReport.parse(JSONReport.render(report)).capture.rungs)
    return Dictionary(uniqueKeysWithValues: rungs.map { ($0.signal, $0) })
  }

  private static let means: [(String?, Bool, SignalRung.Rung)] = [
    (nil, false, .perf), (nil, true, .perf), (CaptureEvent.kernelRecorder, false, .kernel),
    (CaptureEvent.processRecorder, false, .process), (CaptureEvent.processRecorder, true, .agent),
  ]

  @Test(arguments: means)
  func `each signal has the recorder's rung, memory that of proc`(
    recorder: String?, attached: Bool, rung: SignalRung.Rung
  ) throws {
    let rungs = try rungs(recorder, attached: attached)
    for signal in ["mainThread", "wakeups", "network", "disk", "cpu"] {
      #expect(rungs[signal]?.rung == rung, "\(signal)")
    }
    #expect(rungs["memory"]?.rung == .proc)
    #expect(rungs["mainThread"]?.limits == ["known in sum"])
    #expect(rungs["wakeups"]?.limits == ["nobody knows who woke"] && rungs["disk"]?.limits == [])
  }

  @Test func `from outside each signal has its own, and what was not measured none`() throws {
    let rungs = try rungs(CaptureEvent.outsideRecorder)
    #expect(rungs["mainThread"]?.rung == .outside && rungs["network"]?.rung == .sockets)
    #expect(rungs["wakeups"] != nil && rungs["wakeups"]?.rung == nil && rungs["disk"]?.rung == nil)
  }

  @Test func `beside the kernel's switches looks tell causes alone`() throws {
    let rungs = try rungs(CaptureEvent.outsideRecorder, recordsSwitches: true)
    #expect(rungs["mainThread"]?.rung == .switches && rungs["cpu"]?.rung == .switches)
    #expect(rungs["network"]?.rung == .sockets && rungs["memory"]?.rung == .proc)
  }

  @Test func `a report tells it in a line, of a trace of another recorder nothing`() {
    var signals = SampleReport.signals()
    signals.disk = nil
    let text = TextReport.render(
      SampleReport.report(signals: signals), options: TextOptions(color: false))
    let line = "measured     main thread, wakeups, network, CPU: perf events; memory: /proc"
    #expect(text.contains(line), "\(text)")
    let foreign = SampleReport.report(capture: nil)
    #expect(foreign.capture.rungs == nil && foreign.capture.rungText == nil)
  }
}
