import Foundation
import PerfData
import TestSupport
import Testing

/// Traces of every form that perf writes, each compared with what `perf script` says of the same file.
@Suite(.serialized, .enabled(if: Perf.hasTracefs && Perf.canRecord, "perf cannot record here"))
struct PerfOptionTests {
  /// One sample as both print it.
  private struct Line: Hashable {
    var tid: Int32
    var time: UInt64
    var event: String
  }

  private static func script(_ path: String) throws -> [Line] {
    let text = try #require(
      Perf.withTracefs("perf script --ns -F tid,time,event -i \(path) 2>/dev/null")
    ).text
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, let tid = Int32(words[0]) else { return nil }
      let parts = words[1].dropLast().split(separator: ".")
      guard parts.count == 2, let seconds = UInt64(parts[0]), let rest = UInt64(parts[1]) else {
        return nil
      }
      return Line(
        tid: tid, time: seconds * 1_000_000_000 + rest, event: String(words[2].dropLast()))
    }
  }

  private static func open(_ path: String) throws -> PerfDataFile {
    let file = try PerfDataFile(path: path)
    #expect(file.unknownRecords == 0)
    #expect(!file.isTruncated, "\(file.problems)")
    return file
  }

  private static func read(_ path: String) throws -> [Line] { try lines(open(path)) }

  /// How often each is there: two samples of a thread may bear one time, and of one time on two CPUs either may come
  /// first.
  private static func counts(_ lines: [Line]) -> [Line: Int] {
    lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private static func lines(_ file: PerfDataFile) -> [Line] {
    file.orderedRecords().compactMap { record in
      guard record.type == RecordType.sample, let event = file.attribute(of: record) else {
        return nil
      }
      return Line(tid: record.tid, time: record.time, event: event.name)
    }
  }

  static let work = "sh -c 'for i in 1 2 3 4 5 6 7 8; do ls -R /etc >/dev/null; done'"
  static let events = "-e sched:sched_switch -e sched:sched_waking -e raw_syscalls:sys_exit"

  @Test(
    arguments: [
      "perf record -q \(events) -o P \(work)",
      "perf record -q -z \(events) -o P \(work)",
      "perf record -q -a -z=9 \(events) -o P \(work)",
      "perf record -q \(events) -o - \(work) > P",
      "perf record -q -z \(events) -o - \(work) > P",
      "perf record -q -a --threads \(events) -o P \(work)",
      "perf record -q -a --threads -z \(events) -o P \(work)",
      "perf record -q -k CLOCK_MONOTONIC --call-graph fp -e page-faults -c 1 -o P \(work)",
      "perf record -q --call-graph dwarf,512 -e page-faults -c 5 -o P \(work)",
    ])
  func `what perf wrote is read as perf reads it`(command: String) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    let recorded = try #require(
      Perf.withTracefs(command.replacingOccurrences(of: " P", with: " \(path)")))
    try #require(recorded.status == 0, "\(recorded.text)")
    let theirs = try Self.script(path)
    let file = try Self.open(path)
    let ours = Self.lines(file)
    try #require(theirs.count > 50)
    #expect(Self.counts(ours) == Self.counts(theirs), "\(ours.count) and \(theirs.count) samples")
    let times = theirs.map(\.time)
    #expect(ours.map(\.time) == times.sorted())
    // On a busy machine a CPU's samples may reach the file later than the end of a round promised: perf prints them
    // where they come, behind newer ones.
    #expect(times == times.sorted() || file.lateRecords > 0)
  }

  @Test func `each file of a series is a trace`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let recorded = try #require(
      Perf.withTracefs(
        "perf record -q --switch-output=100K \(Self.events) -o \(directory.path)/t \(Self.work)"))
    try #require(recorded.status == 0, "\(recorded.text)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasPrefix("t.") }
    #expect(names.count > 1)
    var all: [Line] = []
    for name in names {
      let path = directory.path + "/" + name
      #expect(try Self.counts(Self.read(path)) == Self.counts(Self.script(path)))
      all += try Self.script(path)
    }
    let series = try PerfDataFile(series: names.sorted().map { directory.path + "/" + $0 })
    #expect(!series.isTruncated, "\(series.problems)")
    let ours = Self.lines(series)
    #expect(Self.counts(ours) == Self.counts(all), "\(ours.count) and \(all.count) samples")
    #expect(ours.map(\.time) == ours.map(\.time).sorted() || series.lateRecords > 0)
  }

  @Test func `the text of perf script gives the same samples`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/trace"
    let text = directory.path + "/text"
    let recorded = try #require(
      Perf.withTracefs(
        "perf record -q \(Self.events) -o \(path) \(Self.work) && perf script --ns -i \(path) >\(text)"
      ))
    try #require(recorded.status == 0, "\(recorded.text)")
    let original = try PerfDataFile(path: path)
    let copy = try PerfDataFile(path: text)
    #expect(try Self.counts(Self.read(path)) == Self.counts(Self.read(text)))
    #expect(copy.problems.isEmpty, "\(copy.problems)")
    func switches(_ file: PerfDataFile) -> [[Int64?]] {
      file.orderedRecords().compactMap { record in
        guard let format = file.tracepoint(of: record), format.name == "sched_switch",
          let raw = file.payload(of: record)
        else { return nil }
        let names = ["prev_pid", "next_pid", "prev_prio"]
        // The text has a letter for each state; the preempted one's number differs between kernels.
        let state = format.field("prev_state")?.integer(in: raw).map { $0 & 0xff }
        return [state] + names.map { format.field($0)?.integer(in: raw) }
      }
    }
    #expect(!switches(original).isEmpty)
    #expect(switches(original) == switches(copy))
  }
}
