import PerfData
import Quantities

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Makes a copy of a trace that can be shared: without host, user, paths, addresses and what command lines say.
///
/// Every figure of a report on the copy equals that of a report on the original. Placeholders are
/// the same at each run: `host`, `/home/user`, `/build`, addresses kept for documentation.
public enum Redaction {
  /// Writes the copy to a path where nothing may be yet.
  ///
  /// - Throws: `TraceError` when the trace cannot be read, or the copy not written.
  public static func redact(tracePath: String, to output: String) throws(TraceError) {
    do {
      let file = try PerfDataFile(path: tracePath)
      let names = output + ".names"
      defer { unlink(names) }
      try write(withNames(file, at: names) ?? file, to: output)
      if file.isTruncated { try unfinish(output) }
    } catch let error as TraceError {
      throw error
    } catch let error as PerfDataError {
      throw TraceError(error, path: tracePath)
    } catch {
      throw TraceError("\(tracePath): \(error)")
    }
  }

  private static func write(_ file: PerfDataFile, to output: String) throws {
    var redactor = RecordRedactor(
      file: file, names: NameRedactor(hostname: file.features.hostname),
      dropsStacks: isEmbedded(file))
    // Names learnt late (a home seen at the end) count from the start, so all is read once before.
    for entry in file.orderedRecords().sorted(by: { $0.offset < $1.offset }) {
      _ = redactor.redact(file.bytes(of: entry), entry)
    }
    _ = redactor.features(file.features)
    // What cannot be read cannot be called fit to be shared.
    guard redactor.unknown.isEmpty else {
      let found = redactor.unknown.sorted {
        ($0.key.noun, $0.key.which) < ($1.key.noun, $1.key.which)
      }.map { "\(Figures.count($0.value, $0.key.noun)) \($0.key.which)" }
      throw TraceError(
        "the trace holds what Lull cannot read, which may name anything: \(found.joined(separator: ", ")); no copy was "
          + "made")
    }
    redactor.names.seal()
    try TraceRewriter.rewrite(
      file, pathOut: output,
      transform: { record, entry in redactor.redact(record, entry) },
      features: { $0 = redactor.features($0) })
  }

  /// A copy of the trace that names its stacks itself; nil when the trace does already.
  ///
  /// The binaries are found by the paths that redaction replaces, so this is the last chance.
  private static func withNames(_ file: PerfDataFile, at path: String) throws -> PerfDataFile? {
    let events = file.attributes.compactMap { SyntheticEvent(attribute: $0) }
    guard events.contains(.symbol), events.contains(.stack), !isEmbedded(file) else { return nil }
    try TraceCopy.write(file, to: path)
    try StackEmbedding.embed(tracePath: path)
    return try PerfDataFile(path: path)
  }

  private static func isEmbedded(_ file: PerfDataFile) -> Bool {
    file.orderedRecords().contains { entry in
      file.attribute(of: entry).flatMap { SyntheticEvent(attribute: $0) } == .stack
    }
  }

  /// Leaves the copy of a truncated trace truncated: its features stay as the first records.
  private static func unfinish(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    // The header's data section: offset at byte 40, size at 48; 0 is what a killed recording has.
    var header = [UInt8](repeating: 0, count: 56)
    guard pread(descriptor, &header, 56, 0) == 56, let offset = Bytes.u64(header, 40),
      let size = Bytes.u64(header, 48)
    else { throw failure(path) }
    // The rewriter may have left it so.
    guard size > 0 else { return }
    guard ftruncate(descriptor, off_t(clamping: offset &+ size)) == 0 else {
      throw failure(path)
    }
    let zero = [UInt8](repeating: 0, count: 8)
    guard pwrite(descriptor, zero, 8, 48) == 8 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> TraceError {
    TraceError(
      "cannot finish \(path): \(String(cString: strerror(errno))); make room and try again")
  }
}

extension RecordRedactor {
  /// What the header says, without names; sections that are not understood are left out.
  mutating func features(_ features: FileFeatures) -> FileFeatures {
    var features = features
    features.hostname = features.hostname.map { _ in "host" }
    features.commandLine = names.arguments(features.commandLine)
    for index in features.buildIDs.indices {
      features.buildIDs[index].path = names.file(features.buildIDs[index].path)
    }
    features.tracingData?.savedCmdlines = []
    features.tracingData?.kallsyms = []
    features.tracingData?.printk = []
    features.otherSections = [:]
    return features
  }
}
