import CZstd

/// Compresses the records of a finished trace as `perf record -z` does, for what is kept for long.
public enum TraceCompression {
  /// Of a light server's 8 MB in ten minutes this leaves 0.85 times as much as zstd's default level, in 0.1 s instead
  /// of 0.02; higher levels take seconds for a few percent.
  private static let level: Int32 = 12
  /// Bytes of records that are packed at once: a reader needs memory for so many.
  private static let piece = 256 << 10
  /// What perf is told to hold for a piece, and for a record that began in the one before.
  private static let readerBytes: UInt32 = 1 << 20

  private static let descriptions: Set<UInt32> = [
    RecordType.attribute, RecordType.eventUpdate, RecordType.headerFeature,
  ]

  /// Whether libzstd is installed.
  public static var isPossible: Bool { lull_zstd() != nil }

  /// Compresses a trace in its place; one that is compressed is left alone.
  ///
  /// What tells of the trace itself, at its beginning, stays as it is.
  /// - Throws: where the trace cannot be read or written, or libzstd is missing.
  public static func compress(traceAt path: String) throws(PerfDataError) {
    let whole = try FinishedTrace(path: path)
    let bytes = whole.bytes
    guard !TraceConverter.hasCompressed(bytes, whole.data, isBigEndian: false) else { return }
    let start = plainEnd(bytes, whole.data)
    let stream = try ZstdPacker(level: level)
    var section = ByteBuilder()
    // HEADER_COMPRESSED: version, kind (1 is zstd), level, ratio (only shown), a reader's memory.
    for value in [1, 1, UInt32(level), 1, readerBytes] { section.append(value) }
    try whole.replace(adding: [(FeatureID.compressed, section.bytes)]) {
      output throws(PerfDataError) in
      try output.append(bytes.view(0..<start))
      var at = start
      while at < whole.data.upperBound {
        let end = pieceEnd(bytes, from: at, until: whole.data.upperBound)
        try stream.pack(bytes.view(at..<end), to: output)
        at = end
      }
    }
  }

  /// Where the records end that tell of attributes and features: a reader wants these before anything else.
  private static func plainEnd(_ bytes: ByteView, _ data: Range<Int>) -> Int {
    var at = data.lowerBound
    while data.upperBound - at >= 8 {
      let record = RecordHeader(bytes, at: at, isBigEndian: false)
      guard descriptions.contains(record.type), record.size >= 8,
        record.size <= data.upperBound - at
      else { break }
      at += record.size
    }
    return at
  }

  /// The end of so many whole records as make a piece; at least one.
  private static func pieceEnd(_ bytes: ByteView, from start: Int, until end: Int) -> Int {
    var at = start
    while end - at >= 8 {
      let size = RecordHeader(bytes, at: at, isBigEndian: false).size
      guard size >= 8, size <= end - at else { return end }
      if at > start, at + size - start > piece { return at }
      at += size
    }
    return end
  }
}

/// Packs bytes into COMPRESSED records of one continuous zstd stream.
private final class ZstdPacker {
  private let library: lull_zstd_functions
  private let context: OpaquePointer
  /// As much as a record's 16-bit size allows.
  private var buffer = [UInt8](repeating: 0, count: Int(UInt16.max) - 8)

  init(level: Int32) throws(PerfDataError) {
    library = try lull_zstd_functions.loaded(for: 0)
    guard let context = library.ZSTD_createCStream() else {
      throw PerfDataError(.system(call: "ZSTD_createCStream", path: "libzstd", errno: 12))
    }
    self.context = context
    _ = library.ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
  }

  deinit { _ = library.ZSTD_freeCStream(context) }

  /// Each piece can be unpacked when its last record was read.
  func pack(_ piece: ByteView, to output: OutputFile) throws(PerfDataError) {
    var input = ZSTD_inBuffer(src: piece.pointer.baseAddress, size: piece.count, pos: 0)
    var left = 1
    while left > 0 {
      var written = 0
      left = buffer.withUnsafeMutableBytes { bytes in
        var target = ZSTD_outBuffer(dst: bytes.baseAddress, size: bytes.count, pos: 0)
        let left = library.ZSTD_compressStream2(context, &target, &input, ZSTD_e_flush)
        written = target.pos
        return left
      }
      if let failure = library.failure(left) {
        throw PerfDataError(.notWritable("compressed records: " + failure))
      }
      guard written > 0 else { continue }
      var header = ByteBuilder()
      header.append(RecordType.compressed)
      header.append(UInt16(0))
      header.append(UInt16(8 + written))
      try output.append(header.bytes)
      let packed = [UInt8](buffer[..<written])
      try output.append(packed)
    }
  }
}
