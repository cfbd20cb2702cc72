import CCurl
import Glibc
import Reporting
import TraceModel

/// A collector of OpenTelemetry that takes profiles by OTLP over HTTP.
struct ProfileCollector {
  let url: String
  private let headers: [String]

  /// Where profiles go below an address without a path (OTLP's specification, "OTLP/HTTP Request").
  private static let path = "/v1development/profiles"
  /// Collectors refuse more by default (same place).
  private static let largest = 64 << 20
  private static let timeout = 30
  /// Of an answer so many bytes are read: a reason, or what was refused.
  private static let mostAnswer = 4096
  /// Answers by which a collector asks to be tried again (same place, "Retryable Response Codes").
  private static let passing: Set<Int> = [429, 502, 503, 504]

  /// A base address (`http://collector:4318`) or a whole one; what else each request is to say is in
  /// `OTEL_EXPORTER_OTLP_HEADERS`, as OpenTelemetry's own exporters have it.
  ///
  /// - Throws: where it is no address of HTTP.
  init(_ address: String) throws {
    guard let scheme = ["http://", "https://"].first(where: address.hasPrefix),
      address.count > scheme.count
    else {
      throw Failure(
        status: Exit.usage,
        message:
          "--otlp wants the address of a collector, such as http://127.0.0.1:4318, not “\(address)”"
      )
    }
    let rest = address.dropFirst(scheme.count)
    let base = address.hasSuffix("/") ? String(address.dropLast()) : address
    url = rest.dropLast(rest.hasSuffix("/") ? 1 : 0).contains("/") ? address : base + Self.path
    headers =
      ["Content-Type: application/x-protobuf"]
      + Self.headers(getenv("OTEL_EXPORTER_OTLP_HEADERS").map { String(cString: $0) } ?? "")
  }

  /// Header lines of `key=value,key=value`, in which what would end a value is percent-encoded.
  static func headers(_ text: String) -> [String] {
    text.split(separator: ",").compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1).map { part in
        part.drop { $0 == " " }
      }
      guard parts.count == 2, !parts[0].isEmpty else { return nil }
      let line = "\(parts[0]): \(decoded(parts[1]))"
      // A line's end within it would begin another header.
      return line.utf8.contains { $0 < 0x20 } ? nil : line
    }
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(first)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends the stacks of a trace; false where it has none, so that nothing is sent.
  ///
  /// - Throws: where the collector does not take them, with its reason.
  func send(_ trace: Trace) throws -> Bool {
    guard let profile = try OTLPExport.render(trace, version: Version.text) else { return false }
    guard profile.count <= Self.largest else {
      throw refusal("its profile has \(profile.count) bytes, and collectors take \(Self.largest)")
    }
    for wait in [1, 3, nil] as [UInt32?] {
      let answer = try post(profile)
      if answer.status == 200 {
        try accept(answer)
        break
      }
      guard let wait, answer.status == 0 || Self.passing.contains(answer.status) else {
        throw refusal(
          answer.status == 0
            ? answer.error : "it answered with HTTP status \(answer.status)\(answer.message)")
      }
      sleep(wait)
    }
    return true
  }

  private struct Answer {
    var status = 0
    var error = ""
    var body: [UInt8] = []

    /// The text of an error, where it is one that can be printed.
    var message: String {
      guard !body.isEmpty, let text = String(validating: body, as: UTF8.self),
        !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" })
      else { return "" }
      return ": \(text.prefix(200).split(separator: "\n").joined(separator: " "))"
    }
  }

  private func refusal(_ reason: String) -> Failure {
    Failure(status: Exit.inputOutput, message: "no profile was sent to \(url): \(reason)")
  }

  /// A collector that takes only a part, or none, says so in an answer of success.
  private func accept(_ answer: Answer) throws {
    guard let refused = OTLPExport.refused(by: answer.body) else { return }
    throw Failure(
      status: Exit.inputOutput, message: "\(url) did not take all of the profile: \(refused)")
  }

  private func post(_ profile: [UInt8]) throws -> Answer {
    let lines = headers.map { strdup($0) }
    defer { for line in lines { free(line) } }
    let pointers = lines.map { UnsafePointer($0!) }
    var error = [CChar](repeating: 0, count: Int(LULL_HTTP_ERROR_BYTES))
    var answer = Answer()
    var result: Int32 = 0
    answer.body = [UInt8](unsafeUninitializedCapacity: Self.mostAnswer) { kept, count in
      error.withUnsafeMutableBufferPointer { error in
        var told = lull_http_answer(
          status: 0, error: error.baseAddress!, body: kept.baseAddress!, room: kept.count, length: 0
        )
        result = url.withCString { url in
          pointers.withUnsafeBufferPointer { headers in
            profile.withUnsafeBytes { body in
              var request = lull_http_request(
                url: url, headers: headers.baseAddress, header_count: headers.count,
                body: body.baseAddress!, length: body.count, timeout: Self.timeout)
              return lull_http_post(&request, &told)
            }
          }
        }
        answer.status = told.status
        count = told.length
      }
    }
    guard result == 0 else {
      throw refusal("libcurl is not installed: `apt-get install libcurl4`")
    }
    answer.error = String(
      decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return answer
  }
}
