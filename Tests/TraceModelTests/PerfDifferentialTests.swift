import Foundation
import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

/// Figures from a file, against perf's own from the same file: of the kept traces, and of one recorded now.
@Suite(.serialized, .enabled(if: PerfRun.isThere, "perf is not installed"))
struct PerfDifferentialTests {
  private static func timehist(_ path: String) throws -> Timehist {
    let result = PerfRun.run("perf sched -i \(path) timehist --next --state")
    try #require(result.status == 0)
    return Timehist(result.text)
  }

  /// The departures that perf tells of threads while the trace knows them, and the trace's own.
  private static func departures(
    _ trace: Trace, _ timehist: Timehist
  ) -> (ours: [Departure], theirs: [Departure]) {
    let threads = Dictionary(grouping: trace.threads) { $0.tid }
    // Lull's own recordings hold no sched_switch of preemptions, which SWITCH records tell.
    let knowsPreemptions = trace.capture == nil
    let end = trace.end.nanoseconds / 1000
    let theirs = timehist.departures.filter { departure in
      departure.time < end
        && threads[departure.tid]?.contains { $0.lives(at: departure.time) } == true
    }
    let ours = trace.threads.filter { $0.tid > 0 }.flatMap { thread in
      thread.departures().filter { knowsPreemptions || $0.isBlocked }.map(\.departure)
        .filter { $0.time < end && thread.lives(at: $0.time) }
    }
    return (ours, theirs)
  }

  private static func expectSameRuns(_ trace: Trace, _ timehist: Timehist) throws {
    let (ours, theirs) = departures(trace, timehist)
    struct Moment: Hashable {
      var tid: Int32
      var time: UInt64
    }
    func moments(_ departures: [Departure]) -> [Moment: Int] {
      departures.reduce(into: [:]) { $0[Moment(tid: $1.tid, time: $1.time), default: 0] += 1 }
    }
    let (own, perfs) = (moments(ours), moments(theirs))
    let unequal = Set(own.keys).union(perfs.keys).filter { own[$0] != perfs[$0] }
    #expect(unequal.isEmpty, "\(unequal.count) of \(perfs.count)")
    try #require(!theirs.isEmpty)
    guard trace.capture == nil else { return }
    // Where perf saw a thread neither come nor go before, it takes what else the CPU did for the run.
    // Of its subject Lull leaves out what came before the program's exec, in which it may be moved to another CPU.
    let subject = trace.subject
    let began = (subject.programStart ?? subject.start).nanoseconds / 1000
    let known = theirs.filter { departure in
      timehist.complete.contains(departure)
        && (departure.tid != subject.pid || departure.time - departure.run >= began)
    }
    let runs = Set(ours)
    let different = known.filter { !runs.contains($0) }
    // Beside perf's figures are the trace's own of the same moment, with what the thread did around it.
    let around = different.prefix(5).map { departure in
      trace.threads.filter { $0.tid == departure.tid }.flatMap(\.intervals).filter {
        let end = $0.end.nanoseconds / 1000
        return end <= departure.time + 10
          && end + 2 * (departure.run + departure.wait) >= departure.time
      }.map { "\($0.state) \($0.start.nanoseconds)-\($0.end.nanoseconds)" }
    }
    #expect(
      different.isEmpty,
      "\(different.count) of \(known.count), as \(different.prefix(5)), not \(around)")
  }

  /// perf sched and perf trace find no event in what came through a pipe.
  private static func seekable(_ names: [String]) -> [String] {
    names.filter { !$0.contains("-pipe.") }
  }

  static let scheduled = seekable(PerfRun.traces(with: "sched:sched_switch"))

  @Test(arguments: scheduled)
  func `in kept traces threads run and wait as perf sched timehist says`(name: String) throws {
    let path = "\(PerfRun.folder)/\(name)"
    try Self.expectSameRuns(Trace.load(path: path), Self.timehist(path))
  }

  @Test(
    .enabled(if: PerfRun.canRecord, "perf cannot record here"),
    arguments: [
      "sh -c 'for i in 1 2 3 4 5 6 7 8; do ls -R /etc >/dev/null; done'",
      "perf bench sched messaging -g 2 -l 200",
      "perf bench sched pipe -T -l 3000",
    ])
  func `in a new recording threads run and wait as perf sched timehist says`(work: String) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    EarlierRecordings.settle()
    try #require(
      PerfRun.run("perf sched record -q -m 8M -o \(path) \(work) >/dev/null").status == 0)
    let timehist = try Self.timehist(path)
    // At least what the smallest of the works starts; other programs' threads come on top.
    try #require(timehist.complete.count > 8)
    try Self.expectSameRuns(Trace.load(path: path), timehist)
  }

  private static func expectSameSamples(_ path: String) throws {
    // What perf sorts by `pid`, and prints under "Pid", are threads by their ids.
    let report = PerfRun.run(
      "perf report -i \(path) --stdio -n -g none --percent-limit 0 --sort pid -F sample,pid -t,")
    var theirs: [Int32: Int] = [:]
    var isClock = false
    for line in report.text.split(separator: "\n") {
      if line.hasPrefix("# Samples: ") { isClock = line.contains("'cpu-clock") }
      let fields = line.split(separator: ",")
      guard isClock, !line.hasPrefix("#"), fields.count == 2,
        let count = Int(fields[0].filter { $0 != " " }),
        let tid = Int32(fields[1].split(separator: ":")[0].filter { $0 != " " })
      else { continue }
      theirs[tid] = count
    }
    try #require(!theirs.isEmpty, "\(report.text)")
    let trace = try Trace.load(path: path)
    var ours: [Int32: Int] = [:]
    for sample in trace.processorSamples { ours[sample.tid, default: 0] += 1 }
    // What the subject did before its program's exec, Lull leaves out.
    let file = try PerfDataFile(path: path)
    let subject = trace.subject
    for record in file.orderedRecords() where record.type == RecordType.sample {
      if let start = subject.programStart, record.timestamp < start, record.pid == subject.pid,
        file.attribute(of: record)?.name.hasPrefix("cpu-clock") == true
      {
        ours[record.tid, default: 0] += 1
      }
    }
    #expect(ours == theirs)
  }

  @Test(.enabled(if: PerfRun.canRecord, "perf cannot record here"))
  func `in a new recording the samples of each thread are as many as perf report says`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    let work =
      "sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done & "
      + "j=0; while [ $j -lt 300000 ]; do j=$((j+1)); done; wait'"
    try #require(
      PerfRun.run("perf record -q -g -F 500 -e cpu-clock -o \(path) \(work)").status == 0)
    try Self.expectSameSamples(path)
  }

  static let sampled = PerfRun.traces(with: "cpu-clock")

  @Test(arguments: sampled)
  func `in kept traces the samples of each thread are as many as perf report says`(name: String)
    throws
  {
    try Self.expectSameSamples("\(PerfRun.folder)/\(name)")
  }

  /// One line of `perf trace -s`: of a thread and a call.
  private struct Calls: Hashable {
    var count: Int
    var errors: Int
    /// Milliseconds.
    var total: Double
    var shortest: Double
    var mean: Double
    var longest: Double
  }

  private struct CallKey: Hashable {
    var tid: Int32
    var name: String
  }

  private static func perfCalls(_ path: String) throws -> [CallKey: Calls] {
    // perf trace writes its summary where errors go.
    let result = PerfRun.run("perf trace -i \(path) -s 2>&1")
    try #require(result.status == 0)
    var calls: [CallKey: Calls] = [:]
    var tid: Int32?
    for line in result.text.split(separator: "\n") {
      if line.contains(" events, "), let open = line.lastIndex(of: "("),
        let close = line.lastIndex(of: ")"), open < close
      {
        tid = Int32(line[line.index(after: open)..<close])
      }
      let words = line.split(separator: " ").map(String.init)
      guard let tid, words.count == 8, let count = Int(words[1]), let errors = Int(words[2])
      else { continue }
      let times = words[3...6].compactMap(Double.init)
      try #require(times.count == 4, "\(line)")
      calls[CallKey(tid: tid, name: words[0])] = Calls(
        count: count, errors: errors, total: times[0], shortest: times[1], mean: times[2],
        longest: times[3])
    }
    return calls
  }

  private static func expectSameCalls(_ path: String) throws {
    let theirs = try perfCalls(path)
    try #require(theirs.count > 10)
    let trace = try Trace.load(path: path)
    // Of its subject Lull leaves out what came before the program's exec, so that another must stand in.
    let other = try #require(trace.processes.first { $0.pid != trace.subject.pid })
    let second = try Trace.load(path: path, options: TraceOptions(process: String(other.pid)))
    var ours: [CallKey: SystemCall.Totals] = [:]
    for (key, totals) in trace.calls.filter({ $0.key.pid != trace.subject.pid })
      + second.calls.filter({ $0.key.pid == trace.subject.pid })
    {
      let name = SystemCall.name(of: key.number, architecture: trace.architecture)
      ours[CallKey(tid: key.tid, name: name), default: SystemCall.Totals()].add(totals)
    }
    let different = Set(ours.keys).symmetricDifference(theirs.keys)
    #expect(different.isEmpty, "\(different)")
    for (key, calls) in theirs {
      let own = try #require(ours[key])
      #expect(own.count == calls.count && own.errors == calls.errors, "\(key)")
      func milliseconds(_ span: TimeSpan) -> Double { span.seconds * 1000 }
      // perf prints microseconds, rounded.
      func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 0.00051 }
      #expect(isSame(milliseconds(own.total), calls.total), "\(key)")
      #expect(isSame(milliseconds(own.longest), calls.longest), "\(key)")
      // A call whose beginning was not recorded takes no time in perf's figures.
      guard own.timed == own.count else { continue }
      #expect(isSame(milliseconds(own.shortest), calls.shortest), "\(key)")
      #expect(isSame(milliseconds(own.total) / Double(own.timed), calls.mean), "\(key)")
    }
  }

  @Test(.enabled(if: PerfRun.canRecord, "perf cannot record here"))
  func `in a new recording calls are as many and as long as perf trace says`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    let events = "-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit"
    let work = "sh -c 'for i in 1 2 3; do ls -R /etc >/dev/null; sleep 0.01; done'"
    try #require(PerfRun.run("perf record -q -m 4M \(events) -o \(path) \(work)").status == 0)
    try Self.expectSameCalls(path)
  }

  /// Stock perf's: of some calls alone, as in Lull's own, perf makes a table that Lull leaves out.
  static let called = seekable(PerfRun.traces(with: "raw_syscalls:sys_exit")).filter {
    $0.hasPrefix("perf-")
  }

  @Test(arguments: called)
  func `in kept traces calls are as many and as long as perf trace says`(name: String) throws {
    try Self.expectSameCalls("\(PerfRun.folder)/\(name)")
  }
}
