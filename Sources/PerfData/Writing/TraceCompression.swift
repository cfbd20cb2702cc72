import CZstd

/// Compresses the records of a finished trace as `perf record -z` does, for what is kept for long.
public enum TraceCompression {
  /// Of a light server's 7 MB in five minutes level 12 leaves as much, as fast (0.2 s), but takes 55 MB of memory where
  /// this takes 4; optimal parsing leaves 4 % less, in 0.7 s.
  fileprivate static let parameters: [(ZSTD_cParameter, Int32)] = [
    (ZSTD_c_compressionLevel, level), (ZSTD_c_windowLog, 21), (ZSTD_c_hashLog, 18),
    (ZSTD_c_chainLog, 18), (ZSTD_c_searchLog, 5), (ZSTD_c_minMatch, 6),
    (ZSTD_c_strategy, Int32(ZSTD_btlazy2.rawValue)),
  ]
  private static let level: Int32 = 12
  /// Bytes of records that are packed at once: a reader needs memory for so many.
  private static let piece = 256 << 10
  /// What perf is told to hold for a piece, and for a record that began in the one before.
  private static let readerBytes: UInt32 = 1 << 20

  /// Whether libzstd is installed.
  public static var isPossible: Bool { lull_zstd() != nil }

  /// Compresses a trace in its place; one that is compressed is left alone.
  ///
  /// What tells of the trace itself, at its beginning, stays as it is, or goes where the header says it as well. The
  /// other records come in another order (`PackingOrder`).
  /// - Throws: where the trace cannot be read or written, or libzstd is missing.
  public static func compress(traceAt path: String) throws(PerfDataError) {
    let whole = try FinishedTrace(path: path)
    guard !whole.isCompressed else { return }
    let parts = try whole.parts()
    let order = PackingOrder(whole.bytes, parts.attributes)
    var packer = try RecordPacker(whole.bytes, piece: piece)
    var section = ByteBuilder()
    // HEADER_COMPRESSED: version, kind (1 is zstd), level, ratio (only shown), a reader's memory.
    for value in [1, 1, UInt32(level), 1, readerBytes] { section.append(value) }
    try whole.replace(adding: [(FeatureID.compressed, section.bytes)]) {
      output throws(PerfDataError) in
      try whole.copy(0..<whole.data.lowerBound, to: output)
      var passed = whole.passedPages
      var at = try copyDescriptions(of: whole, to: output)
      // The records that tell what stood as a part of a recording began are found by their places.
      let standing = PartBeginning(parts)?.standing.upperBound ?? at
      while at < whole.data.upperBound {
        let rounds = at < standing ? nil : order.roundsEnd(from: at, until: whole.data.upperBound)
        let isInOrder =
          try rounds.map { end throws(PerfDataError) in
            try order.forEachRecord(in: at..<end) { record throws(PerfDataError) in
              try packer.add(record, to: output)
            }
          } ?? false
        if let rounds, isInOrder {
          try packer.add(RecordBuilder.finishedRound(), to: output)
          at = rounds
        } else {
          let limit = at < standing ? standing : rounds ?? whole.data.upperBound
          let end = pieceEnd(whole.bytes, from: at, until: limit)
          try packer.add(at..<end, to: output)
          at = end
        }
        passed.note(at)
      }
      try packer.finish(to: output)
    }
  }

  /// Copies the records at the beginning that a reader wants before anything else, and tells where they end.
  ///
  /// Left out is what the header says as well: it was for a recording that is killed.
  private static func copyDescriptions(
    of whole: FinishedTrace, to output: OutputFile
  ) throws(PerfDataError) -> Int {
    var at = whole.data.lowerBound
    while whole.data.upperBound - at >= 8 {
      let record = RecordHeader(whole.bytes, at: at, isBigEndian: false)
      guard record.size >= 8, record.size <= whole.data.upperBound - at else { break }
      switch record.type {
      case RecordType.attribute, RecordType.eventUpdate:
        try whole.copy(at..<at + record.size, to: output)
      case RecordType.headerFeature: break
      default: return at
      }
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

/// Gathers records to pieces, which are packed.
private struct RecordPacker {
  private let bytes: ByteView
  private let piece: Int
  private let stream: ZstdPacker
  private var gathered: [UInt8] = []

  init(_ bytes: ByteView, piece: Int) throws(PerfDataError) {
    self.bytes = bytes
    self.piece = piece
    stream = try ZstdPacker(TraceCompression.parameters)
    gathered.reserveCapacity(piece)
  }

  /// Adds what stands at a place of the trace.
  mutating func add(_ range: Range<Int>, to output: OutputFile) throws(PerfDataError) {
    gathered.append(contentsOf: bytes.pointer[range])
    if gathered.count >= piece { try finish(to: output) }
  }

  mutating func add(_ record: [UInt8], to output: OutputFile) throws(PerfDataError) {
    gathered += record
    if gathered.count >= piece { try finish(to: output) }
  }

  mutating func finish(to output: OutputFile) throws(PerfDataError) {
    let stream = stream
    try gathered.withView { piece throws(PerfDataError) in try stream.pack(piece, to: output) }
    gathered.removeAll(keepingCapacity: true)
  }
}

/// Packs bytes into COMPRESSED records of one continuous zstd stream.
private final class ZstdPacker {
  private let library: lull_zstd_functions
  private let context: OpaquePointer
  /// As much as a record's 16-bit size allows.
  private var buffer = [UInt8](repeating: 0, count: Int(UInt16.max) - 8)

  init(_ parameters: [(ZSTD_cParameter, Int32)]) throws(PerfDataError) {
    library = try lull_zstd_functions.loaded(for: 0)
    guard let context = library.ZSTD_createCStream() else {
      throw PerfDataError(.system(call: "ZSTD_createCStream", path: "libzstd", errno: 12))
    }
    self.context = context
    for (parameter, value) in parameters {
      _ = library.ZSTD_CCtx_setParameter(context, parameter, value)
    }
  }

  deinit { _ = library.ZSTD_freeCStream(context) }

  /// Each piece can be unpacked when its last record was read.
  func pack(_ piece: ByteView, to output: OutputFile) throws(PerfDataError) {
    guard piece.count > 0 else { return }
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
