/// Modules that were read, shared by the unwinder and the symbolizer of one analysis.
public final class ModuleCache {
  private struct Key: Hashable {
    var path: String
    var buildID: [UInt8]?
  }

  private var modules: [Key: Module] = [:]
  private var problemsByPath: [String: ModuleReaderError] = [:]

  public init() {}

  /// One line for each module that could not be used, sorted by path.
  public var problems: [String] {
    problemsByPath.sorted { $0.key < $1.key }.map(\.value.description)
  }

  /// The module of a mapping; a file that cannot be used gives a module without contents.
  func module(for mapping: ModuleMapping) -> Module {
    let key = Key(path: mapping.path, buildID: mapping.buildID)
    if let known = modules[key] { return known }
    let module: Module
    if mapping.path.hasPrefix("/"), !mapping.path.hasPrefix("//") {
      do throws(ModuleReaderError) {
        let reader = try ModuleReader(path: mapping.path, expectedBuildID: mapping.buildID)
        module = Module(identifier: modules.count, reader: reader)
      } catch {
        problemsByPath[mapping.path] = error
        module = Module(identifier: modules.count, path: mapping.path)
      }
    } else {
      // "[vdso]", "//anon" and the like have no file.
      module = Module(identifier: modules.count, path: mapping.path)
    }
    modules[key] = module
    return module
  }
}

/// What was read of one module; each table is read at its first use.
final class Module {
  let identifier: Int
  let path: String
  let machine: ModuleReader.Machine?
  let isProgramFile: Bool
  /// Holds the Swift runtime itself, so that its functions are not the program's own.
  let holdsSwiftRuntime: Bool
  private let segments: [ModuleReader.Segment]
  private let reader: ModuleReader?

  init(identifier: Int, reader: ModuleReader) {
    self.identifier = identifier
    self.path = reader.path
    self.machine = reader.machine
    self.isProgramFile = reader.isProgramFile
    self.segments = reader.segments
    self.reader = reader
    self.holdsSwiftRuntime =
      isProgramFile && reader.hasSection(prefix: "swift5_")
      && !reader.neededLibraries.contains { $0.hasPrefix("libswiftCore.") }
  }

  init(identifier: Int, path: String) {
    self.identifier = identifier
    self.path = path
    machine = nil
    isProgramFile = false
    holdsSwiftRuntime = false
    segments = []
    reader = nil
  }

  lazy var callFrames = reader?.callFrames() ?? .empty
  lazy var symbols: SymbolTable = {
    guard let reader else { return .empty }
    return reader.symbols(debugFile: reader.hasFullSymbols ? nil : debugFile)
  }()
  /// Functions that start a thread or the process: stacks end there.
  private lazy var threadStarts = symbols.ranges(named: [
    "_start", "__libc_start_call_main", "__libc_start_main", "__libc_start_main_impl",
    "start_thread", "clone", "__clone", "clone3", "__clone3", "__clone_internal",
  ])
  lazy var lines: LineTable = lineReader?.lines(segments: segments) ?? .empty
  private lazy var debugFile: ModuleReader? = reader.flatMap { DebugFile.find(for: $0) }
  private lazy var lineReader: ModuleReader? = reader?.hasLineTables == true ? reader : debugFile
  private var callSites: [UInt64: Bool] = [:]
  private var callTargets: [UInt64: UInt64?] = [:]

  /// Whether code may lie in it as far as the name of the mapping tells.
  var mayHoldCode: Bool { path == "[vdso]" || (path.hasPrefix("/") && !path.hasPrefix("//")) }

  /// Whether a link-time address lies in an executable part.
  func isExecutable(_ address: UInt64) -> Bool {
    segments.contains {
      $0.isExecutable && address >= $0.address && address - $0.address < $0.fileSize
    }
  }

  /// Whether the function at a link-time address starts a thread or the process.
  func isThreadStart(_ address: UInt64) -> Bool {
    threadStarts.contains { $0.contains(address) }
  }

  /// Calls that were inlined at a link-time address, innermost first.
  func inlinedCalls(at address: UInt64) -> [InlinedCall] {
    guard let row = lines.row(at: address), row.unit < lines.units.count else { return [] }
    return lineReader?.inlinedCalls(at: address, unit: lines.units[Int(row.unit)]) ?? []
  }

  /// Link-time address of what is mapped at `address`.
  func linkAddress(of address: UInt64, in mapping: ModuleMapping) -> UInt64? {
    let (offset, overflow) = mapping.fileOffset.addingReportingOverflow(address &- mapping.start)
    guard !overflow else { return nil }
    // The last page of one segment and the first of the next share a page of the file, which is
    // mapped twice: code is looked up first in what is executable.
    let holds = { (segment: ModuleReader.Segment) in
      offset >= segment.fileOffset && offset - segment.fileOffset < segment.fileSize
    }
    guard
      let segment = segments.first(where: { $0.isExecutable && holds($0) })
        ?? segments.first(where: holds)
    else { return nil }
    return segment.address &+ (offset - segment.fileOffset)
  }

  /// Whether a call instruction ends right before the link-time address `returnAddress`.
  func isCallSite(_ returnAddress: UInt64) -> Bool {
    if let known = callSites[returnAddress] { return known }
    let result = reader.map { CallSite.precedes(returnAddress, in: $0) } ?? false
    callSites[returnAddress] = result
    return result
  }

  /// Link-time address of the function that is called right before `returnAddress`, if it is named.
  func callTarget(_ returnAddress: UInt64) -> UInt64? {
    if let known = callTargets[returnAddress] { return known }
    let result = reader.flatMap { CallSite.directTarget(returnAddress, in: $0) }
    callTargets[returnAddress] = result
    return result
  }
}
