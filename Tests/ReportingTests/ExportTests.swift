import Foundation
import PerfData
import Reporting
import Signals
import TestSupport
import Testing
import TraceModel

struct ExportTests {
  private static func trace() throws -> Trace {
    let second: UInt64 = 1_000_000_000
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "pro,\"gram\"")
    for turn in UInt64(1)...5 {
      let at = second + turn * 300_000_000
      builder.waking(time: at, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: at + 1000, 100)
      builder.sample(
        "cpu-clock", time: at + 50_000_000, tid: 100, callchain: [CallchainContext.user, 0x1010])
      try builder.stack(
        time: at + 50_000_000, tid: 100, functions: ["spin()", "main"], firstID: Int(turn) * 100)
      builder.blockedStack(time: at + 120_000_000, 100)
      try builder.stack(
        time: at + 120_000_000, tid: 100, functions: ["pread", "load()", "main"],
        firstID: Int(turn) * 100 + 50)
      builder.switchOut(time: at + 120_000_000, 100)
      builder.footprint(time: at, pid: 100, anonymous: turn * 4096)
    }
    builder.exit(time: 3 * second, pid: 100, tid: 100)
    return try builder.withFile { try Trace.load(path: $0) }
  }

  /// Runs a judge that is not ours on exported bytes; nil where it is not installed.
  private func judged(_ bytes: [UInt8], by arguments: (String) -> [String]) throws -> String? {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/export"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments(path)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }

  /// The part of a schema that Lull fills, in protobuf's own language.
  private static let pprof = """
    syntax = "proto3"; package perftools.profiles;
    message Profile { repeated ValueType sample_type = 1; repeated Sample sample = 2;
      repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6;
      int64 time_nanos = 9; int64 duration_nanos = 10; int64 default_sample_type = 14; }
    message ValueType { int64 type = 1; int64 unit = 2; }
    message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
    message Label { int64 key = 1; int64 str = 2; int64 num = 3; }
    message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
    message Line { uint64 function_id = 1; int64 line = 2; }
    message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; }
    """

  private static let perfetto = """
    syntax = "proto2"; package perfetto.protos;
    message Trace { repeated TracePacket packet = 1; }
    message TracePacket { optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10;
      optional TrackEvent track_event = 11; optional TrackDescriptor track_descriptor = 60; }
    message TrackEvent { enum Type { NONE = 0; TYPE_SLICE_BEGIN = 1; TYPE_SLICE_END = 2; TYPE_INSTANT = 3;
      TYPE_COUNTER = 4; } optional Type type = 9; optional uint64 track_uuid = 11; optional string name = 23;
      optional int64 counter_value = 30; }
    message TrackDescriptor { optional uint64 uuid = 1; optional string name = 2; optional Process process = 3;
      optional Thread thread = 4; optional uint64 parent_uuid = 5; optional Counter counter = 8; }
    message Process { optional int32 pid = 1; repeated string cmdline = 2; optional string process_name = 6; }
    message Thread { optional int32 pid = 1; optional int32 tid = 2; optional string thread_name = 5; }
    message Counter { optional int32 unit = 3; optional string unit_name = 6; }
    """

  private static let hasProtoc = FileManager.default.isExecutableFile(atPath: "/usr/bin/protoc")

  private func decoded(_ bytes: [UInt8], as message: String, schema: String) throws -> String {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try schema.write(toFile: directory.path + "/schema.proto", atomically: true, encoding: .utf8)
    return try #require(
      try judged(bytes) { path in
        [
          "sh", "-c", "protoc -I\(directory.path) --decode=\(message) schema.proto <\(path)",
        ]
      })
  }

  @Test(.enabled(if: hasProtoc, "protobuf-compiler is not installed"))
  func `protoc decodes the pprof profile, and its values are the trace's`() throws {
    let trace = try Self.trace()
    let text = try decoded(
      try #require(try PprofExport.render(trace)), as: "perftools.profiles.Profile",
      schema: Self.pprof)
    #expect(text.contains("string_table: \"spin()\"") && text.contains("string_table: \"load()\""))
    // A field that the schema does not know is shown as a bare number.
    #expect(
      !text.contains("\n1: ")
        && !text.split(separator: "\n").contains { $0.first?.isNumber == true })
    let values = text.split(separator: "\n").compactMap { line -> Int64? in
      let line = line.drop { $0 == " " }
      return line.hasPrefix("value: ") ? Int64(line.dropFirst(7)) : nil
    }
    try #require(values.count % 3 == 0)
    let columns = (0..<3).map { column in
      stride(from: column, to: values.count, by: 3).reduce(Int64(0)) { $0 + values[$1] }
    }
    let running = trace.threads.first { $0.tid == 100 }?.runningTime.nanoseconds ?? 0
    #expect(columns[0] == 5 && abs(columns[1] - running) < 5)
    #expect(columns[2] > 0)
    // What a tool opens on: the number of a text.
    let texts = text.matches(of: /string_table: "([^"]*)"/).map { String($0.1) }
    let first = text.firstMatch(of: /default_sample_type: (\d+)/).flatMap { Int($0.1) }
    #expect(try texts[#require(first)] == "cpu")
  }

  @Test(.enabled(if: hasProtoc, "protobuf-compiler is not installed"))
  func `protoc decodes the Perfetto trace, and its slices are the thread's intervals`() throws {
    let trace = try Self.trace()
    let signals = try Measurement.measure(trace)
    let text = try decoded(
      try #require(try PerfettoExport.render(trace, signals)), as: "perfetto.protos.Trace",
      schema: Self.perfetto)
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(!lines.contains { $0.first?.isNumber == true })
    let intervals = trace.threads(of: 100).reduce(0) { $0 + $1.intervals.count }
    let extra = (signals.mainThread?.hangs.count ?? 0) + (signals.network?.bursts.count ?? 0)
    #expect(lines.count { $0 == "type: TYPE_SLICE_BEGIN" } == intervals + extra)
    #expect(lines.count { $0 == "type: TYPE_SLICE_END" } == intervals + extra)
    #expect(lines.count { $0 == "type: TYPE_COUNTER" } == 5)
    #expect(lines.contains("thread_name: \"pro,\\\"gram\\\"\""))
  }

  @Test func `every table of the Firefox profile is as long as it says and points within`() throws {
    let trace = try Self.trace()
    let bytes = try #require(try FirefoxExport.render(trace, Measurement.measure(trace)))
    let profile = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let threads = try #require(profile["threads"] as? [[String: Any]])
    try #require(threads.count == 1)
    let thread = threads[0]
    let strings = try #require(thread["stringArray"] as? [String])
    func table(_ name: String) throws -> [String: Any] {
      let table = try #require(thread[name] as? [String: Any])
      let length = try #require(table["length"] as? Int)
      for (column, values) in table where column != "length" && column != "weightType" {
        #expect((values as? [Any])?.count == length, "\(name).\(column)")
      }
      return table
    }
    func check(_ from: String, _ column: String, within count: Int) throws {
      for value in try #require(try table(from)[column] as? [Any]) {
        if let index = value as? Int { #expect(index >= -1 && index < count, "\(from).\(column)") }
      }
    }
    func length(_ name: String) throws -> Int { try #require(try table(name)["length"] as? Int) }
    try check("samples", "stack", within: length("stackTable"))
    try check("stackTable", "prefix", within: length("stackTable"))
    try check("stackTable", "frame", within: length("frameTable"))
    try check("frameTable", "func", within: length("funcTable"))
    try check("funcTable", "name", within: strings.count)
    try check("funcTable", "resource", within: length("resourceTable"))
    try check("markers", "name", within: strings.count)
    #expect(try length("samples") == 5)
    #expect(try length("markers") >= 5)
    // The hangs ran longer than they were blocked, and so are named by what ran.
    #expect(strings.contains("spin()"))
    let counters = try #require(profile["counters"] as? [[String: Any]])
    #expect(counters.first?["name"] as? String == "footprint")
  }

  @Test func `the CSV table of files has no duration where none was recorded`() throws {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    try builder.process(time: 1_000_000_000, pid: 100)
    builder.open(time: 1_001_000_000, tid: 100, path: "/data/store", fd: 4, flags: 0o101)
    builder.enterSync(time: 1_002_000_000, tid: 100, fd: 4)
    for time in [1_009_000_000, 1_020_000_000] as [UInt64] {
      builder.exitSyscall(time: time, tid: 100, number: 74, result: 0, arguments: [4])
    }
    builder.exit(time: 1_100_000_000, pid: 100, tid: 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let rows = try #require(CSVExport.render(trace, .files)).components(separatedBy: "\r\n")
    let syncs = rows.filter { $0.contains(",sync,") }.map { $0.split(separator: ",").last ?? "" }
    #expect(syncs.count == 2 && syncs[0] == "0.007000000" && syncs[1] == "1", "\(rows)")
  }

  @Test func `CSV tables quote what they must and keep every row`() throws {
    let trace = try Self.trace()
    let threads = try #require(CSVExport.render(trace, .threads)).components(separatedBy: "\r\n")
    #expect(threads[1].hasPrefix("100,\"pro,\"\"gram\"\"\",0.000000000,2.000000000,"))
    let rows = try #require(CSVExport.render(trace, .intervals)).components(separatedBy: "\r\n")
    #expect(rows.count == trace.threads(of: 100).reduce(0) { $0 + $1.intervals.count } + 2)
    // A waker that is not known is -1, which is a number and no formula.
    #expect(CSVExport.render(trace, .wakeups)?.contains("'-1") == false)
    for table in CSVExport.Table.allCases {
      // One without a row is none.
      guard let text = CSVExport.render(trace, table) else { continue }
      let lines = text.components(separatedBy: "\r\n")
      #expect(lines.count > 2)
      #expect(lines.last == "" && !lines[0].isEmpty)
    }
  }
}
