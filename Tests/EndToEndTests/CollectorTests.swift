import Foundation
import TestSupport
import Testing

extension SideBySide {
  /// A collector that is Python's own HTTP server, and reads what it is sent by OpenTelemetry's classes.
  @Suite(.enabled(if: Python.has("opentelemetry.proto"), Python.missing("opentelemetry-proto")))
  struct Collectors {
    /// Prints its port; then, of each request, its path, two of its headers, and the sums of waits by their stack. The
    /// statuses that it answers with are its arguments, the last one for all that come after.
    private static let server = """
      import http.server, sys
      from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as service
      statuses = [int(word) for word in sys.argv[1:]]
      class Collector(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def do_POST(self):
          body = self.rfile.read(int(self.headers['Content-Length']))
          status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
          print('request', self.path, self.headers['Content-Type'], self.headers['X-Token'], status, flush=True)
          request = service.ExportProfilesServiceRequest.FromString(body)
          d = request.dictionary
          for profile in request.resource_profiles[0].scope_profiles[0].profiles:
            if d.string_table[profile.sample_type.type_strindex] != 'off_cpu': continue
            for sample in profile.samples:
              names = [d.string_table[d.function_table[d.location_table[place].lines[0].function_index].name_strindex]
                for place in d.stack_table[sample.stack_index].location_indices]
              pairs = [d.attribute_table[i] for i in sample.attribute_indices]
              cause = [p.value.string_value for p in pairs if d.string_table[p.key_strindex] == 'lull.wait.cause'][0]
              print('waited', sample.values[0], cause, ' < '.join(names), flush=True)
          answer = service.ExportProfilesServiceResponse().SerializeToString() if status == 200 else b'no room'
          self.send_response(status)
          self.send_header('Content-Length', str(len(answer)))
          self.end_headers()
          self.wfile.write(answer)
      server = http.server.HTTPServer(('127.0.0.1', 0), Collector)
      print(server.server_port, flush=True)
      server.serve_forever()
      """

    /// Starts one and gives its port.
    private static func collector(_ statuses: String...) throws -> (Command, Int) {
      let command = try Command([Python.path, "-c", server] + statuses)
      for _ in 0..<200 {
        if let port = Int(command.outputSoFar.split(separator: "\n").first ?? "") {
          return (command, port)
        }
        usleep(50_000)
      }
      throw CommandTimeout(limit: 10, errors: "the collector did not begin")
    }

    private static func record(
      _ port: Int, _ options: [String], _ command: [String], in scratch: Scratch
    ) throws -> CommandResult {
      try Command.run(
        [Machine.lull, "record", "--no-report", "--otlp", "http://127.0.0.1:\(port)"] + options
          + ["--"] + command,
        environment: ["OTEL_EXPORTER_OTLP_HEADERS": "x-token=a%20b,x-other=c"])
    }

    @Test
    func
      `a collector is sent what the program waited for, and where; once more where it asks for that`()
      throws
    {
      let scratch = try Scratch()
      let (collector, port) = try Self.collector("503", "200")
      let result = try Self.record(
        port, ["-o", scratch.file("t")],
        [Machine.workload, "blocker", "cause=sleep", "count=3", "ms=200", "gap=50"], in: scratch)
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.errors.contains("no profile was sent"), "\(result.errors)")
      let lines = collector.outputSoFar.split(separator: "\n").map(String.init)
      let requests = lines.filter { $0.hasPrefix("request ") }
      #expect(
        requests
          == [503, 200].map {
            "request /v1development/profiles application/x-protobuf a b \($0)"
          })
      // The program times its own three sleeps.
      let spans = try JSON(lastLineOf: result.text)["spans"].items
      let truth = spans.reduce(0) { $0 + ($1["endNs"].double ?? 0) - ($1["startNs"].double ?? 0) }
      let last = lines[(lines.lastIndex { $0.hasPrefix("request ") } ?? 0)...]
      let slept = last.filter { $0.contains("BlockerProgram.fire") && $0.contains(" sleep ") }
        .compactMap { Double($0.split(separator: " ")[1]) }.reduce(0, +)
      #expect(truth >= 6e8 && abs(slept - truth) < 2e7, "\(slept) of \(truth): \(last)")
    }

    @Test func `each finished file of a recording is sent`() throws {
      let scratch = try Scratch()
      let (collector, port) = try Self.collector("200")
      let result = try Self.record(
        port, ["--rotate", "1s", "-o", scratch.file("parts")],
        [Machine.workload, "blocker", "cause=sleep", "count=5", "ms=300", "gap=300"], in: scratch)
      #expect(result.status == 0, "\(result.errors)")
      let requests = collector.outputSoFar.split(separator: "\n").count { $0.hasPrefix("request ") }
      #expect(requests >= 3, "\(collector.outputSoFar)")
    }

    @Test
    func
      `what a collector does not take is said, and the trace and the status are there all the same`()
      throws
    {
      let scratch = try Scratch()
      let (collector, port) = try Self.collector("400")
      defer { withExtendedLifetime(collector) {} }
      let trace = scratch.file("t")
      let result = try Self.record(
        port, ["-o", trace], [Machine.workload, "blocker", "cause=sleep", "count=1", "ms=100"],
        in: scratch)
      #expect(result.status == 0)
      #expect(
        result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          .contains("it answered with HTTP status 400: no room"), "\(result.errors)")
      #expect(access(trace, R_OK) == 0)
    }

    @Test
    func `a trace without stacks is not sent, which is said, and the status is the command's`()
      throws
    {
      // A wait has a stack: one for the disk, and now and then one for memory, as the program is loaded.
      for attempt in 0..<10 {
        let scratch = try Scratch()
        let (collector, port) = try Self.collector("200")
        let trace = scratch.file("t")
        let result = try Self.record(
          port, ["--recorder", "perf", "-o", trace], ["sh", "-c", "exit 7"], in: scratch)
        #expect(result.status == 7)
        let waits = try Command.run(
          [Machine.lull, "export", trace, "--what", "offcpu", "-o", scratch.file("waits")])
        // An export that would be empty ends so.
        guard waits.status == 4 || attempt == 9 else { continue }
        #expect(result.errors.contains("nothing was sent to"), "\(result.errors)")
        #expect(!collector.outputSoFar.contains("request"))
        return
      }
    }

    @Test func `an address that is none is refused before anything is recorded`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let result = try Command.run(
        [Machine.lull, "record", "--otlp", "collector:4318", "-o", trace, "--", "true"])
      #expect(result.status == 125 && result.errors.contains("http://127.0.0.1:4318"), "\(result)")
      #expect(access(trace, F_OK) != 0)
    }
  }
}
