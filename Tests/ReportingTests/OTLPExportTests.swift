import Foundation
import PerfData
import Reporting
import TestSupport
import Testing
import TraceModel

/// OpenTelemetry's own messages read what Lull writes of a trace.
struct OTLPExportTests {
  private static let second: UInt64 = 1_000_000_000

  /// Three samples in `spin()`, two in `parse()` at two addresses of one line, and two waits of 100 ms in `load()`.
  private static func trace() throws -> Trace {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "worker")
    var time = second
    for turn in 0..<5 {
      builder.waking(time: time, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: time, 100)
      builder.sample(
        "cpu-clock", time: time + 50_000_000, tid: 100, callchain: [CallchainContext.user, 0x1010])
      try builder.stack(
        time: time + 50_000_000, tid: 100, functions: [turn < 3 ? "spin()" : "parse()", "main"],
        firstID: turn * 100)
      builder.blockedStack(time: time + 100_000_000, 100)
      if turn < 2 {
        try builder.stack(
          time: time + 100_000_000, tid: 100, functions: ["pread", "load()", "main"],
          firstID: turn * 100 + 50)
      }
      builder.switchOut(time: time + 100_000_000, 100)
      time += 200_000_000
    }
    builder.exit(time: time, pid: 100, tid: 100)
    return try builder.withFile { try Trace.load(path: $0) }
  }

  /// Prints each profile's samples by OpenTelemetry's Python classes, which others made of its .proto files.
  private static let script = """
    import sys
    from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as service
    from opentelemetry.proto.profiles.v1development import profiles_pb2 as profiles
    data = open(sys.stdin.read().strip(), 'rb').read()
    message = profiles.ProfilesData.FromString(data)
    assert message.UnknownFields is not None
    request = service.ExportProfilesServiceRequest.FromString(data)
    assert request.resource_profiles == message.resource_profiles and request.dictionary == message.dictionary
    d = message.dictionary
    assert d.string_table[0] == ''
    for table, empty in [(d.mapping_table, profiles.Mapping()), (d.location_table, profiles.Location()),
        (d.function_table, profiles.Function()), (d.stack_table, profiles.Stack()),
        (d.attribute_table, profiles.KeyValueAndUnit())]:
      assert table[0] == empty, table[0]
      rows = [row.SerializeToString() for row in table]
      assert len(set(rows)) == len(rows), 'a row twice'
    assert len(set(d.string_table)) == len(d.string_table)
    resource = message.resource_profiles[0]
    for pair in resource.resource.attributes:
      print(pair.key, pair.value.string_value or pair.value.int_value)
    scope = resource.scope_profiles[0]
    print(scope.scope.name, scope.scope.version)
    for profile in scope.profiles:
      kind = d.string_table[profile.sample_type.type_strindex], d.string_table[profile.sample_type.unit_strindex]
      print(*kind, profile.duration_nano)
      identities = set()
      for sample in profile.samples:
        assert len(sample.values) == 1 and not sample.timestamps_unix_nano
        identity = sample.stack_index, tuple(sample.attribute_indices)
        assert identity not in identities
        identities.add(identity)
        names = []
        for place in d.stack_table[sample.stack_index].location_indices:
          location = d.location_table[place]
          assert len(location.lines) == 1
          names.append(d.string_table[d.function_table[location.lines[0].function_index].name_strindex])
        pairs = [d.attribute_table[i] for i in sample.attribute_indices]
        said = [d.string_table[p.key_strindex] + '=' + str(p.value.string_value or p.value.int_value) for p in pairs]
        print(sample.values[0], ' < '.join(names), *said)
    """

  @Test(.enabled(if: Python.has("opentelemetry.proto"), Python.missing("opentelemetry-proto")))
  func `OpenTelemetry's classes read it, and its values are the trace's`() throws {
    let trace = try Self.trace()
    let bytes = try #require(try OTLPExport.render(trace, version: "1.2.3"))
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/profile"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let lines = try Python.output(Self.script, input: path).split(separator: "\n").map(String.init)
    #expect(lines.contains("service.name worker") && lines.contains("process.pid 100"))
    #expect(lines.contains("os.type linux") && lines.contains("lull 1.2.3"))
    // 0.5 s on a CPU, told by five samples: three fifths in spin().
    let cpu = try #require(lines.firstIndex { $0.hasPrefix("cpu nanoseconds ") })
    #expect(
      Set(lines[(cpu + 1)...].prefix(2)) == [
        "300000000 spin() < main thread.id=100 thread.name=worker",
        "200000000 parse() < main thread.id=100 thread.name=worker",
      ], "\(lines)")
    let waits = try #require(lines.firstIndex { $0.hasPrefix("off_cpu nanoseconds ") })
    #expect(
      lines[(waits + 1)...].first
        == "200000000 pread < load() < main thread.id=100 thread.name=worker lull.wait.cause=file",
      "\(lines)")
  }

  @Test func `a collector's answer tells what it did not take`() {
    #expect(OTLPExport.refused(by: []) == nil)
    // partial_success { rejected_profiles: 2 error_message: "full" }, by hand.
    let some: [UInt8] = [0x0a, 8, 0x08, 2, 0x12, 4] + Array("full".utf8)
    #expect(OTLPExport.refused(by: some) == "2 refused: full")
    let warning: [UInt8] = [0x0a, 6, 0x12, 4] + Array("slow".utf8)
    #expect(OTLPExport.refused(by: warning) == "slow")
  }
}
