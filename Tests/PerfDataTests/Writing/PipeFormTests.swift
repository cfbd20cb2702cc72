import Foundation
import PerfData
import Testing

@Suite struct PipeFormTests {
  @Test(arguments: ["blocker-lock", "appender", "idle"])
  func `through a pipe go the same events, records and facts`(name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let path = root.appendingPathComponent("Traces/\(name).perf.data").path
    let file = try PerfDataFile(path: path)
    var bytes: [UInt8] = []
    try PipeForm.write(traceAt: path) { bytes.append(contentsOf: $0) }
    // perf_pipe_file_header: the magic, and its own size.
    #expect(Array(bytes.prefix(16)) == Array("PERFILE2".utf8) + [16, 0, 0, 0, 0, 0, 0, 0])
    let piped = try PerfDataFile(bytes: bytes)
    #expect(piped.attributes.map(\.name) == file.attributes.map(\.name))
    #expect(piped.attributes.map(\.ids) == file.attributes.map(\.ids))
    #expect(piped.features.commandLine == file.features.commandLine)
    #expect(piped.features.osRelease == file.features.osRelease)
    #expect(piped.features.clockData == file.features.clockData)
    #expect(piped.features.tracingData == file.features.tracingData)
    let samples = { (file: PerfDataFile) in
      file.orderedRecords().filter { $0.type == RecordType.sample }.map {
        [UInt8](file.bytes(of: $0))
      }
    }
    #expect(samples(file).count > 10)
    #expect(samples(piped) == samples(file))
  }
}
