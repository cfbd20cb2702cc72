import PerfData
import Testing

@testable import TraceModel

/// Which process a trace is about.
@Suite struct SubjectChoiceTests {
  private static let shell = process(10, "sh")
  private static let program = process(11, "server", seconds: 1)
  private static let other = process(12, "busy", seconds: 9)

  private static func process(_ pid: Int32, _ name: String, seconds: Double = 0) -> ProcessModel {
    var process = ProcessModel(
      pid: pid, parentPid: 1, name: name, commandLine: [name], isSwift: false,
      start: .init(nanoseconds: 0), threadCount: 1, children: [])
    process.cpuSeconds = seconds
    return process
  }

  private static func capture(
    _ mode: CaptureEvent.Mode, _ commandLine: [String], hint: String? = nil
  ) -> CaptureEvent {
    CaptureEvent(
      mode: mode, scope: .process, privilege: "root", commandLine: commandLine, rootPid: 10,
      subjectHint: hint, complete: true, lullVersion: "test")
  }

  /// A later part of a command's recording has the mode of one that began with a running process.
  @Test(arguments: [CaptureEvent.Mode.wrap, .attach])
  func `a shell that was asked to start a program is not meant, in any part`(
    mode: CaptureEvent.Mode
  ) throws {
    let subject = try SubjectChoice.choose(
      among: [Self.shell, Self.program], capture: Self.capture(mode, ["sh", "-c", "server; true"]),
      asked: nil)
    #expect(subject.pid == 11)
  }

  @Test func `a shell that was running is meant where it was named`() throws {
    let subject = try SubjectChoice.choose(
      among: [Self.shell, Self.program], capture: Self.capture(.attach, []), asked: nil)
    #expect(subject.pid == 10)
  }

  @Test
  func `a trace that was written for what a process did is of that, or of what was asked for`()
    throws
  {
    let all = [Self.shell, Self.program, Self.other]
    let command = ["sh", "-c", "busy & server"]
    func choose(_ trigger: Int, asked: String? = nil, hint: String? = nil) throws -> Int32 {
      try SubjectChoice.choose(
        among: all, capture: Self.capture(.wrap, command, hint: hint), asked: asked,
        trigger: trigger
      ).pid
    }
    #expect(try choose(11) == 11)
    #expect(try choose(10) == 10)
    #expect(try choose(11, asked: "busy") == 12)
    #expect(try choose(11, hint: "busy") == 12)
    // It is not in the trace.
    #expect(try choose(99) == 12)
  }
}
