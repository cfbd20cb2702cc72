#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A finished trace in a file, which is written anew beside itself and then put in its own place.
struct FinishedTrace {
  /// More bytes are not copied at once.
  private static let piece = 1 << 20

  private let path: String
  private let source: ByteStorage
  private let header: FileHeader
  /// Where its records are.
  let data: Range<Int>
  /// Its features' sections, by ascending bit.
  private let sections: [(feature: Int, bytes: [UInt8])]

  var bytes: ByteView { source.bytes }

  /// Whether its records are compressed.
  var isCompressed: Bool { header.features.contains(FeatureID.compressed) }

  /// What its header says, with its records as they are.
  func parts() throws(PerfDataError) -> TraceParts { try TraceParts.header(source).parts }

  /// For a pass over its records, whose pages are given back on the way: of a long trace they are many.
  var passedPages: PassedPages { PassedPages(source, .little) }

  /// Copies a part of it as it is.
  func copy(_ range: Range<Int>, to output: OutputFile) throws(PerfDataError) {
    var passed = passedPages
    var at = range.lowerBound
    while at < range.upperBound {
      let end = min(at + Self.piece, range.upperBound)
      try output.append(bytes.view(at..<end))
      at = end
      passed.note(at)
    }
  }

  /// - Throws: where it cannot be read, or is cut.
  init(path: String) throws(PerfDataError) {
    self.path = path
    source = try ByteStorage(path: path)
    header = try FileHeader(source.bytes)
    guard let data = header.data.range(in: source.count), !data.isEmpty,
      let table = header.featureTable(in: source.bytes, at: data.upperBound)
    else {
      throw PerfDataError(
        .notWritable("only a finished trace can be changed, and \(path) is cut"))
    }
    self.data = data
    sections = table.map { [bytes = source.bytes] in ($0.feature, [UInt8](bytes[$0.range])) }
  }

  /// Has the file written anew up to the end of its data, adds its features and `added` ones, and puts it in its place.
  ///
  /// A failure leaves the file as it was.
  func replace(
    adding added: [(feature: Int, bytes: [UInt8])] = [],
    _ write: (OutputFile) throws(PerfDataError) -> Void
  ) throws(PerfDataError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw PerfDataError(.system(call: "stat", path: path, errno: errno))
    }
    let beside = "\(path).\(getpid()).new"
    let output = try OutputFile(creating: beside)
    do throws(PerfDataError) {
      output.adoptOwner(of: status)
      try write(output)
      let end = output.count
      let all = (sections + added).sorted { $0.feature < $1.feature }
      try output.append(PerfDataWriter.tail(all, at: end))
      let start = header.data.offset
      let new = FileHeader(
        attributeSize: header.attributeSize, attributes: header.attributes,
        data: FileSection(offset: start, size: end - start), features: all.map(\.feature))
      try output.overwriteStart(new.encoded)
      try output.close()
      guard rename(beside, path) == 0 else {
        throw PerfDataError(.system(call: "rename", path: beside, errno: errno))
      }
    } catch {
      unlink(beside)
      throw error
    }
  }
}
