import Foundation
import PerfData
import TestSupport
import Testing

/// The recordings of `Traces/`, read as perf reads them.
@Suite(.enabled(if: Perf.isThere, "perf is not installed"))
struct RecordedTracesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Traces").standardizedFileURL.path

  /// All but those that were cut, which perf refuses.
  static let traces: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".perf.data") && !$0.contains("-cut.") }.sorted()

  private struct Key: Hashable {
    var event: String
    var tid: Int32
  }

  private func samples(_ file: PerfDataFile) -> [Key: Int] {
    var counts: [Key: Int] = [:]
    for record in file.orderedRecords() where record.type == RecordType.sample {
      counts[Key(event: file.attribute(of: record)?.name ?? "?", tid: record.tid), default: 0] += 1
    }
    return counts
  }

  // What perf sorts by `pid`, and prints under "Pid", are threads by their ids.
  @Test(arguments: traces)
  func `samples by event and thread are those of perf report`(trace: String) throws {
    let path = "\(Self.folder)/\(trace)"
    let report = try #require(
      Perf.run([
        "sh", "-c",
        "perf report -i \(path) --stdio -n -g none --percent-limit 0 --sort pid -F sample,pid -t, 2>/dev/null",
      ]))
    var theirs: [Key: Int] = [:]
    var event = ""
    for line in report.text.split(separator: "\n") {
      if line.hasPrefix("# Samples: ") {
        event = line.split(separator: "'").dropFirst().first.map(String.init) ?? ""
      }
      let fields = line.split(separator: ",")
      guard !line.hasPrefix("#"), fields.count == 2,
        let count = Int(fields[0].filter { $0 != " " }),
        let tid = Int32(fields[1].split(separator: ":")[0].filter { $0 != " " })
      else { continue }
      theirs[Key(event: event, tid: tid), default: 0] += count
    }
    try #require(!theirs.isEmpty, "\(report.text.prefix(500))")
    let ours = samples(try PerfDataFile(path: path))
    #expect(ours == theirs)
  }

  @Test func `a series, a pipe and the text of perf script hold what their parts hold`() throws {
    let parts = (1...3).map { "\(Self.folder)/perf-series.\($0)" }
    var sum: [Key: Int] = [:]
    for part in parts { try sum.merge(samples(PerfDataFile(path: part))) { $0 + $1 } }
    let series = try PerfDataFile(series: parts)
    #expect(samples(series) == sum && !series.isTruncated, "\(series.problems)")
    let file = try PerfDataFile(path: "\(Self.folder)/perf-file.perf.data")
    let text = try PerfDataFile(path: "\(Self.folder)/perf-file.script.txt")
    func byEvent(_ file: PerfDataFile) -> [String: Int] {
      samples(file).reduce(into: [:]) { $0[$1.key.event, default: 0] += $1.value }
    }
    #expect(byEvent(text) == byEvent(file) && text.problems.isEmpty, "\(text.problems)")
  }
}
