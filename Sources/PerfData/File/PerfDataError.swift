/// Why a perf.data file could not be read or written, and where.
public struct PerfDataError: Error, CustomStringConvertible, Sendable {
  /// What went wrong.
  public enum Reason: Sendable, Equatable {
    /// A system call on the file failed, with its errno.
    case system(call: String, path: String, errno: Int32)
    /// The file does not begin with perf's magic number.
    case notPerfData
    /// A form of perf.data that is not read, and what to do about it.
    case unsupported(String)
    /// Fewer bytes are left than a field needs.
    case outOfBounds(what: String, needed: UInt64, available: Int)
    /// A field holds a value that cannot be.
    case malformed(String)
    /// A record's attribute is not in the file.
    case unknownAttribute
    /// The caller asked the writer for what the format cannot hold.
    case notWritable(String)
  }

  /// What went wrong.
  public let reason: Reason
  /// Byte offset in the file, where there is one.
  public let offset: Int?

  /// Makes an error.
  public init(_ reason: Reason, offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }

  /// One clear line.
  public var description: String {
    let place = offset.map { " at offset 0x" + String($0, radix: 16) } ?? ""
    switch reason {
    case .system(let call, let path, let code):
      return "\(call) of \(path) failed: \(systemMessage(code))"
    case .notPerfData:
      return "not a perf.data file: it does not begin with PERFILE2" + place
    case .unsupported(let text): return text + place
    case .outOfBounds(let what, let needed, let available):
      return "\(what) needs \(needed) bytes, \(available) available" + place
    case .malformed(let text): return text + place
    case .unknownAttribute: return "the record's event attribute is not in the file" + place
    case .notWritable(let text): return "cannot write: " + text
    }
  }
}
