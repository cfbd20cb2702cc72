import Glibc
import PerfData
import Quantities
import Testing

@testable import Recording

/// The loop of a recording with sources that only write down what they are asked.
@Suite(.serialized) struct RecordingSourceTests {
  private final class Log {
    var lines: [String] = []
  }

  private final class Scribe: RecordingSource {
    let name: String
    let log: Log
    var observations: [Observation] = []
    var slices: [Bool] = []

    init(_ name: String, _ log: Log) {
      self.name = name
      self.log = log
    }

    func start(at time: UInt64) { log.lines.append("\(name) start") }

    func changeSlice(now: UInt64) -> Bool {
      guard !slices.isEmpty else { return false }
      return slices.removeFirst()
    }

    func prepare() { log.lines.append("\(name) prepare") }

    func collect(_ round: Round) throws(PerfDataError) {
      log.lines.append("\(name) collect\(round.isLast ? " last" : "")")
      round.tell(observations)
      observations = []
    }

    func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
      switch observation {
      case .gap: log.lines.append("\(name) gap")
      case .processBegan(let pid, _, _): log.lines.append("\(name) began \(pid)")
      case .processExecuted(let pid, _, _): log.lines.append("\(name) executed \(pid)")
      default: break
      }
    }

    func stop() { log.lines.append("\(name) stop") }

    func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
      log.lines.append("\(name) finish")
    }
  }

  /// Runs a recording of a command that ends at once, or for no time at all; gives what was asked of whom.
  private func run(_ prepare: (Scribe) -> Void) throws -> [String] {
    let path = Scratch.path()
    defer { unlink(path) }
    let command = try WrappedCommand(["sleep", "30"], environment: ["PATH": "/usr/bin:/bin"])
    #expect(command.release(program: "sleep") == nil)
    defer {
      command.signal(SIGKILL)
      _ = command.reap(waiting: true)
    }
    let events = [SyntheticEvent.mark.attribute(ids: [1])]
    let writer = try PerfDataWriter(path: path, attributes: events, features: FileFeatures())
    let log = Log()
    let first = Scribe("a", log)
    prepare(first)
    let session = RecordingSession(
      subject: .command(command), sources: [first, Scribe("b", log)],
      sink: TraceSink(writer: writer, synthetic: events), signals: try StopSignals())
    let ending = session.run(
      duration: TimeSpan(nanoseconds: 0), since: SystemInfo.monotonicNanoseconds())
    try session.finish(ending)
    return log.lines
  }

  private let end = [
    "a stop", "b stop", "a prepare", "b prepare", "a collect last", "b collect last", "a finish",
    "b finish",
  ]

  @Test func `all prepare before one collects, and what it saw is told before the next does`()
    throws
  {
    let lines = try run {
      $0.observations = [
        .processExecuted(pid: 7, name: "x", time: 20),
        .processBegan(pid: 7, parentPid: 1, time: 10),
      ]
    }
    #expect(
      lines == [
        "a start", "b start", "a prepare", "b prepare", "a collect", "a began 7", "b began 7",
        "a executed 7", "b executed 7", "b collect",
      ] + end)
  }

  @Test func `where a slice begins nothing else is done, and what was known is forgotten`() throws {
    let lines = try run { $0.slices = [true] }
    #expect(lines == ["a start", "b start", "a gap", "b gap"] + end)
  }
}
