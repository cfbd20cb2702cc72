import CZstd

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Unpacks the one continuous zstd stream of a trace that `perf record -z` made.
final class ZstdStream {
  private let library: lull_zstd_functions
  private let context: OpaquePointer
  private var output = [UInt8](repeating: 0, count: 128 << 10)
  private var consumed = 0
  private var produced = 0

  /// A trace that unpacks to more than this many times its size, and more than `alwaysAllowed`, is not believed.
  private static let largestRatio = 2000
  private static let alwaysAllowed = 64 << 20

  /// For the records from that offset on.
  ///
  /// - Throws: where libzstd is not installed.
  init(at offset: Int) throws(PerfDataError) {
    library = try lull_zstd_functions.loaded(for: offset)
    guard let context = library.ZSTD_createDStream() else {
      throw PerfDataError(.system(call: "ZSTD_createDStream", path: "libzstd", errno: ENOMEM))
    }
    self.context = context
  }

  deinit { _ = library.ZSTD_freeDStream(context) }

  /// Unpacks a chunk and appends what comes out.
  ///
  /// - Throws: the reason when the stream is broken.
  func unpack(_ chunk: ByteView, to result: inout [UInt8]) throws(Failure) {
    consumed += chunk.count
    var input = ZSTD_inBuffer(src: chunk.pointer.baseAddress, size: chunk.count, pos: 0)
    var isFull = false
    repeat {
      let before = input.pos
      var written = 0
      let status = output.withUnsafeMutableBytes { buffer in
        var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        let status = library.ZSTD_decompressStream(context, &target, &input)
        written = target.pos
        return status
      }
      if let reason = library.failure(status) { throw Failure(reason: reason) }
      result += output[..<written]
      produced += written
      guard produced <= max(Self.alwaysAllowed, consumed * Self.largestRatio) else {
        throw Failure(reason: "more than \(Self.largestRatio) times its packed size")
      }
      isFull = written == output.count
      if input.pos == before, written == 0 { return }
    } while input.pos < input.size || isFull
  }

  struct Failure: Error {
    var reason: String
  }
}

extension lull_zstd_functions {
  /// The library, to unpack what stands at that offset.
  static func loaded(for offset: Int) throws(PerfDataError) -> Self {
    guard let library = lull_zstd() else {
      throw PerfDataError(
        .unsupported("libzstd1 has to be installed to unpack the compressed data"), offset: offset)
    }
    return library.pointee
  }

  /// Why a call failed that returned this; nil where it did not.
  func failure(_ status: Int) -> String? {
    guard ZSTD_isError(status) != 0 else { return nil }
    return ZSTD_getErrorName(status).map { String(cString: $0) } ?? "error \(status)"
  }
}
