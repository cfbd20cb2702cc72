import Budgets
import Glibc
import Reporting

/// Traces and reports as users name them: `PATH`, or `SCENARIO=PATH`.
struct ReportInput {
  var scenario: String?
  var path: String

  /// Splits an argument; only the name of a scenario counts as one.
  init(_ argument: String, scenarios: [String]) {
    if let equals = argument.firstIndex(of: "="), scenarios.contains(String(argument[..<equals])) {
      scenario = String(argument[..<equals])
      path = String(argument[argument.index(after: equals)...])
    } else {
      path = argument
    }
  }

  /// The report in the file, or of the trace in it.
  func run(_ analysis: AnalysisOptions) throws -> Run {
    guard Self.isJSON(path) else {
      return try Run(source: path, report: analysis.report(on: path))
    }
    let text = try TextFile.read(path)
    do {
      return try Run(source: path, report: JSONReport.parse(text))
    } catch {
      throw Failure(
        status: Exit.badTrace,
        message: "\(path) is no report of Lull that can be read: \(JSONReport.reason(error)); "
          + "make one with `lull report TRACE --format json`")
    }
  }

  /// Reports are JSON objects; traces begin otherwise.
  static func isJSON(_ path: String) -> Bool {
    guard let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    var byte = getc(file)
    while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { byte = getc(file) }
    return byte == 0x7B
  }
}

/// Text files that users name.
enum TextFile {
  /// The text, or a failure that says what to do.
  static func read(_ path: String) throws -> String {
    let bytes = try bytes(path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(status: Exit.badTrace, message: "\(path) is not UTF-8 text")
    }
    return text
  }

  /// A budget has kilobytes, a report megabytes; what does not end, as /dev/zero, is neither.
  private static let largest = 256 << 20

  /// The bytes of a file or a pipe.
  static func bytes(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw failure(path, errno)
      }
      bytes.append(contentsOf: buffer.prefix(count))
      guard bytes.count <= largest else {
        throw Failure(
          status: Exit.inputOutput,
          message:
            "\(path) holds more than \(largest >> 20) MiB: it is no budget file and no report")
      }
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> Failure {
    Failure(
      status: code == EACCES || code == EPERM ? Exit.permission : Exit.inputOutput,
      message: "cannot read \(path): \(String(cString: strerror(code))); check the path")
  }
}
