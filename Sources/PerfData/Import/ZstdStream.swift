import CZstd

/// Unpacks the one continuous zstd stream of a trace that `perf record -z` made.
final class ZstdStream {
  private let context: OpaquePointer
  private var output = [UInt8](repeating: 0, count: 128 << 10)
  private var consumed = 0
  private var produced = 0

  /// A trace that unpacks to more than this many times its size, and more than `alwaysAllowed`, is not believed.
  private static let largestRatio = 2000
  private static let alwaysAllowed = 64 << 20

  init?() {
    guard let context = ZSTD_createDStream() else { return nil }
    self.context = context
  }

  deinit { ZSTD_freeDStream(context) }

  /// Unpacks a chunk and appends what comes out.
  ///
  /// - Throws: the reason when the stream is broken.
  func unpack(_ chunk: UnsafeRawBufferPointer, to result: inout [UInt8]) throws(Failure) {
    consumed += chunk.count
    var input = ZSTD_inBuffer(src: chunk.baseAddress, size: chunk.count, pos: 0)
    var isFull = false
    repeat {
      let before = input.pos
      var written = 0
      let status = output.withUnsafeMutableBytes { buffer in
        var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        let status = ZSTD_decompressStream(context, &target, &input)
        written = target.pos
        return status
      }
      guard ZSTD_isError(status) == 0 else {
        throw Failure(reason: String(cString: ZSTD_getErrorName(status)))
      }
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
