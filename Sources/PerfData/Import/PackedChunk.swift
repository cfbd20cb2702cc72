import CZstd

/// A piece of a file of trace-cmd that is compressed on its own: both sizes, then the bytes.
struct PackedChunk {
  let compression: String
  private(set) var bytes: [UInt8] = []

  /// More than this many times its packed size is not believed, beyond `alwaysAllowed`.
  private static let largestRatio: UInt64 = 2000
  private static let alwaysAllowed: UInt64 = 1 << 20
  private static let largest: UInt64 = 256 << 20

  init(compression: String) { self.compression = compression }

  /// Unpacks the chunk at the cursor and moves past it.
  mutating func read(_ cursor: inout ByteCursor) throws(PerfDataError) {
    let start = cursor.offset
    let packed = UInt64(try cursor.u32("compressed size"))
    let size = UInt64(try cursor.u32("uncompressed size"))
    let range = try cursor.range(packed, "compressed data")
    guard compression == "zstd" else {
      throw PerfDataError(
        .unsupported(
          "compression by \(compression.prefix(16)) is not read: "
            + "trace-cmd convert --compression zstd (or none) makes a file that is"), offset: start)
    }
    guard size <= Self.largest, size <= max(Self.alwaysAllowed, packed * Self.largestRatio) else {
      throw PerfDataError(
        .malformed("\(packed) bytes that unpack to \(size) are not believed"), offset: start)
    }
    let library = try lull_zstd_functions.loaded(for: start)
    let source = cursor.bytes.view(range)
    var failure: String?
    bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, initialized in
      let result = library.ZSTD_decompress(
        buffer.baseAddress, buffer.count, source.pointer.baseAddress, source.count)
      failure = library.failure(result)
      initialized = failure == nil ? min(result, buffer.count) : 0
    }
    if let failure {
      throw PerfDataError(.malformed("compressed data: " + failure), offset: start)
    }
  }
}
