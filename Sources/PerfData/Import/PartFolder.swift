import Files

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder with the parts of a recording that changes its file: `RUN.000001.perf.data` and so on.
public enum PartFolder {
  private static let suffix = ".perf.data"
  private static let digits = 6

  /// A part's file.
  public struct Part: Sendable, Equatable {
    /// What the parts of one recording have in common.
    public var run: String
    /// Counts from 1.
    public var number: Int
    /// Where it is.
    public var path: String
  }

  /// The name of a part's file.
  public static func name(run: String, number: Int) -> String {
    let text = String(number)
    return run + "." + String(repeating: "0", count: max(0, digits - text.count)) + text + suffix
  }

  /// The run and number that a file's name tells; nil for other files.
  static func parse(_ name: String) -> (run: String, number: Int)? {
    guard name.hasSuffix(suffix) else { return nil }
    let stem = name.dropLast(suffix.count)
    guard let dot = stem.lastIndex(of: "."), dot != stem.startIndex else { return nil }
    let number = stem[stem.index(after: dot)...]
    guard number.count >= digits, number.allSatisfy({ $0.isASCII && $0.isNumber }),
      let value = Int(number), value > 0
    else { return nil }
    return (String(stem[..<dot]), value)
  }

  /// What a folder holds; nil where the path is no folder.
  static func names(in path: String) throws(PerfDataError) -> [String]? {
    do { return try Folder.names(inAny: path) } catch {
      throw PerfDataError(.system(call: "listing", path: error.path, errno: error.code))
    }
  }

  /// The parts in a folder, by run and number; nil where the path is no folder.
  ///
  /// - Throws: `Reason.system` where it cannot be listed.
  public static func parts(in folder: String) throws(PerfDataError) -> [Part]? {
    guard let names = try names(in: folder) else { return nil }
    var parts: [Part] = []
    for name in names {
      guard let (run, number) = parse(name) else { continue }
      parts.append(Part(run: run, number: number, path: folder + "/" + name))
    }
    return parts.sorted { ($0.run, $0.number) < ($1.run, $1.number) }
  }

  /// The files that a path stands for: itself, or the parts of the one recording in a folder.
  static func files(_ path: String) throws(PerfDataError) -> [String] {
    guard let parts = try parts(in: path), let first = parts.first else { return [path] }
    let runs = Set(parts.map(\.run)).sorted()
    guard runs.count == 1 else {
      throw PerfDataError(
        .unsupported(
          "\(path) holds the parts of \(runs.count) recordings: give the files of one, such as"
            + " \(path)/\(runs.last ?? first.run).*\(suffix)"))
    }
    return parts.map(\.path)
  }

  /// Removes the oldest parts of a folder, of recordings before the named one too; so many stay.
  ///
  /// - Throws: `Reason.system` where the folder cannot be listed, or one of the parts not be removed; the others are.
  public static func removeOldest(
    in folder: String, run: String, keeping count: Int
  ) throws(PerfDataError) {
    // A folder that is gone holds no old ones.
    let parts = (try parts(in: folder) ?? []).map { part -> (Int, Int, String) in
      var information = stat()
      _ = stat(part.path, &information)
      // A part of this recording is younger than any of another, whatever the clock says.
      return (
        part.run == run ? 1 : 0, part.run == run ? part.number : information.st_mtim.tv_sec,
        part.path
      )
    }.sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
    var failure: PerfDataError?
    for (_, _, path) in parts.dropLast(count) where unlink(path) != 0 && errno != ENOENT {
      failure = failure ?? PerfDataError(.system(call: "removal", path: path, errno: errno))
    }
    if let failure { throw failure }
  }
}
