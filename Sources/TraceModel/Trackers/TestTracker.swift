import PerfData
import Quantities

/// Follows what test runners say, and makes of it which test ran when.
struct TestTracker {
  private struct Open: Hashable {
    var pid: Int32
    var library: TestRun.Library
    var name: String
  }

  /// Indices into `found` of the runs that have not ended.
  private var open: [Open: [Int]] = [:]
  private var found: [TestRun] = []
  /// Processes that write Swift Testing's event stream: its ids tell tests apart that are called the same.
  private var streaming: Set<Int32> = []
  private var isStreamed: [Bool] = []

  /// The runs in the order of their beginnings.
  var runs: [TestRun] {
    zip(found, isStreamed).filter { run, isStreamed in
      isStreamed || run.library == .xctest || !streaming.contains(run.pid)
    }.map(\.0)
  }

  /// The runs of test hosts, without what others repeat: `swift test` prints again what its hosts say.
  static func hosted(_ runs: [TestRun], _ processes: [ProcessModel]) -> [TestRun] {
    let hosts = Set(
      processes.filter { $0.isSwift && !SubjectChoice.isDriver($0) }.map(\.pid))
    return runs.filter { hosts.contains($0.pid) }
  }

  /// Takes in what a process wrote, which may be several lines.
  mutating func said(_ text: String, pid: Int32, at time: Timestamp) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let line = TestRunnerLine(String(line)) else { continue }
      if line.isStreamed { streaming.insert(pid) }
      // Both ways of Swift Testing's are followed apart, in names that cannot meet.
      let key = Open(
        pid: pid, library: line.library, name: (line.isStreamed ? "\0" : "") + line.name)
      switch line.what {
      case .started:
        open[key, default: []].append(found.count)
        found.append(
          TestRun(pid: pid, name: line.name, library: line.library, start: time))
        isStreamed.append(line.isStreamed)
      case .ended(let outcome):
        guard let index = open[key]?.popLast() else { continue }
        found[index].end = time
        found[index].outcome = outcome
      }
    }
  }
}
