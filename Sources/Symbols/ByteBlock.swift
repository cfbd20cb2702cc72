import Files

/// Bytes that stay as they are: received, or mapped from where they are kept.
enum ByteBlock: Sendable {
  case array([UInt8])
  case file(MappedFile)

  var count: Int {
    switch self {
    case .array(let bytes): bytes.count
    case .file(let file): file.bytes.count
    }
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    switch self {
    case .array(let bytes): try bytes.withUnsafeBytes(body)
    case .file(let file): try withExtendedLifetime(file) { try body(file.bytes) }
    }
  }
}
