import Files

/// A trace of `perf record --threads`: `data` with the header, `data.0` and so on with records alone.
struct TraceDirectory {
  private let main: String
  private let others: [String]

  /// Nil when the path is no such directory.
  ///
  /// - Throws: Where it cannot be listed: without a file of records the trace would look whole.
  init?(path: String) throws(PerfDataError) {
    guard let names = try PartFolder.names(in: path) else { return nil }
    var numbers: [Int] = []
    var hasMain = false
    for name in names {
      if name == "data" { hasMain = true }
      if name.hasPrefix("data."), let number = Int(name.dropFirst(5)) { numbers.append(number) }
    }
    guard hasMain else { return nil }
    main = path + "/data"
    others = numbers.sorted().map { "\(path)/data.\($0)" }
  }

  func parts() throws(PerfDataError) -> TraceParts {
    let storage = try ByteStorage(path: main)
    var (parts, _, isBigEndian) = try TraceParts.header(storage)
    guard !others.isEmpty else { return try TraceParts.seekable(storage) }
    // Each file has its own rounds and its own compressed stream.
    let converter = TraceConverter(
      attributes: parts.attributes, decoder: parts.decoder, isBigEndian: isBigEndian,
      dropsRounds: true)
    try converter.convert(storage.bytes, parts.data)
    for path in others {
      let part = try ByteStorage(path: path)
      try converter.convert(part.bytes, 0..<part.count)
    }
    try converter.finish(into: &parts)
    return parts
  }
}
