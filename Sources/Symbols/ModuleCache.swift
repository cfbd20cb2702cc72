import Files
import Synchronization

/// Modules that were read, shared by the unwinder and the symbolizer of one analysis.
public final class ModuleCache {
  private struct Key: Hashable {
    var path: String
    var buildID: [UInt8]?
    var inode: UInt64?
  }

  private var modules: [Key: Module] = [:]
  private var problemsByPath: [String: ModuleReaderError] = [:]
  /// Files that nothing tells to be those that were mapped.
  private var takenByPath: Set<String> = []
  private let process: ReaderProcess?
  /// By what other paths files can be read that are not at theirs; nil where nothing was just recorded on this machine.
  public static let elsewhere = Mutex<[String: [String]]?>(nil)

  /// Reads files in a process of its own if `process` is given.
  public init(process: ReaderProcess? = .standard) { self.process = process }

  /// Writes down what was read for later analyses, where that is kept.
  public func keep() {
    var wroteAny = false
    for module in modules.values where module.keep() { wroteAny = true }
    if wroteAny { process?.cache?.trim() }
  }

  /// One line for each module that could not be used, sorted by path.
  public var problems: [String] {
    var lines = problemsByPath.mapValues(\.description)
    for (path, reason) in process?.failures ?? [:] {
      lines[path] = "\(path): \(reason); its frames are shown as module and offset"
    }
    return lines.sorted { $0.key < $1.key }.map(\.value)
  }

  /// One line for each module that has lines which cannot be read, sorted.
  public var linesProblems: [String] { modules.values.compactMap(\.linesProblem).sorted() }

  /// One line for each file that was taken by its path alone, without a build id, and was written after a time
  /// (nanoseconds since 1970), sorted.
  public func doubts(since time: UInt64) -> [String] {
    takenByPath.filter { FileIdentity($0).map { $0.modified > time } ?? false }.sorted().map {
      "\($0) has no build id and was written after the recording: if it was built anew, its functions here are not"
        + " those that ran (link with --build-id)"
    }
  }

  /// The module of a mapping; a file that cannot be used gives a module without contents.
  func module(for mapping: ModuleMapping) -> Module {
    let key = Key(path: mapping.path, buildID: mapping.buildID, inode: mapping.inode)
    if let known = modules[key] { return known }
    let module: Module
    if mapping.path.hasPrefix("/"), !mapping.path.hasPrefix("//") {
      do throws(ModuleReaderError) {
        module = Module(
          identifier: modules.count, path: mapping.path, contents: try open(mapping))
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

  private func open(_ mapping: ModuleMapping) throws(ModuleReaderError) -> any ModuleContents {
    let held = Self.elsewhere.withLock { $0 }
    let others = held?[mapping.path] ?? []
    if mapping.buildID?.contains(where: { $0 != 0 }) == true {
      for path in [mapping.path] + others {
        if let contents = try? open(path, mapping.buildID) { return contents }
      }
    } else {
      // A file at the same path would be taken for the one that was mapped.
      let places = others + [mapping.path]
      if let inode = mapping.inode {
        if let same = places.first(where: { FileIdentity($0)?.inode == inode }) {
          let contents = try open(same, nil)
          // One that is written to keeps its number.
          if same == mapping.path { takenByPath.insert(same) }
          return contents
        }
        let isOther = FileIdentity(mapping.path)?.isOfDevice == true
        if held != nil, isOther { throw .replaced(path: mapping.path) }
      }
      for path in others {
        if let contents = try? open(path, nil) { return contents }
      }
      let contents = try open(mapping.path, nil)
      takenByPath.insert(mapping.path)
      return contents
    }
    return try open(mapping.path, mapping.buildID)
  }

  private func open(
    _ path: String, _ buildID: [UInt8]?
  ) throws(ModuleReaderError) -> any ModuleContents {
    if let process { return try process.open(path: path, expectedBuildID: buildID) }
    return LocalContents(try ModuleReader(path: path, expectedBuildID: buildID))
  }
}

/// What was read of one module; each table is read at its first use.
final class Module {
  let identifier: Int
  let path: String
  let machine: ModuleReader.Machine?
  let isProgramFile: Bool
  private let segments: [ModuleReader.Segment]
  private let contents: (any ModuleContents)?

  init(identifier: Int, path: String, contents: any ModuleContents) {
    self.identifier = identifier
    self.path = path
    self.machine = contents.header.machine
    self.isProgramFile = contents.header.isProgramFile
    self.segments = contents.header.segments
    self.contents = contents
    if contents.header.callFrameBytes > Self.mostReadWhole { frameRules = [:] }
  }

  init(identifier: Int, path: String) {
    self.identifier = identifier
    self.path = path
    machine = nil
    isProgramFile = false
    segments = []
    contents = nil
  }

  func keep() -> Bool { contents?.keep() ?? false }

  private lazy var callFrames = contents?.callFrames() ?? .empty
  /// Of modules so large that all of it would take longer to read than what is asked for.
  private var frameRules: [UInt64: FrameRule?]?
  private var functions: [UInt64: SymbolTable.Function?] = [:]
  /// Functions that start a thread or the process: stacks end there.
  private lazy var threadStarts =
    contents?.ranges(named: [
      "_start", "__libc_start_call_main", "__libc_start_main", "__libc_start_main_impl",
      "start_thread", "clone", "__clone", "clone3", "__clone3", "__clone_internal",
    ]) ?? []
  /// Functions of libdispatch that run what is in a serial queue, one after the other (Swift 6.3.1).
  private lazy var serialDrains =
    contents?.ranges(named: ["_dispatch_lane_serial_drain"]) ?? []
  private var mainQueues: [UInt64: Bool] = [:]
  /// Why lines that were asked for are missing.
  private(set) var linesProblem: String?
  private var sources: [UInt64: SourcePlace] = [:]
  private var names: [String: FunctionName] = [:]
  private var callSites: [UInt64: Bool] = [:]
  private var callTargets: [UInt64: UInt64?] = [:]

  /// What takes some 5 ms to read; a single rule takes 40 µs, and holds for most of its function.
  private static let mostReadWhole: UInt64 = 64 << 10

  /// How to leave the function at a link-time address.
  func callFrame(at address: UInt64) -> FrameRule? {
    guard let rules = frameRules else { return callFrames.find(address) }
    if let known = rules[address] { return known }
    let rule = contents?.callFrame(at: address)
    frameRules?[address] = .some(rule)
    return rule
  }

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

  /// Whether the function at a link-time address runs what is in a serial dispatch queue.
  func isSerialDrain(_ address: UInt64) -> Bool {
    serialDrains.contains { $0.contains(address) }
  }

  /// Whether the main dispatch queue lies at a link-time address.
  func isMainQueue(_ address: UInt64) -> Bool {
    if let known = mainQueues[address] { return known }
    let isMain = objectName(at: address) == "_dispatch_main_q"
    mainQueues[address] = isMain
    return isMain
  }

  /// What the debug information tells of a link-time address.
  func source(at address: UInt64) -> SourcePlace {
    if sources[address] == nil { read(sourcesOf: CollectionOfOne(address)) }
    return sources[address] ?? SourcePlace()
  }

  private func read(sourcesOf addresses: some Collection<UInt64>) {
    guard !addresses.isEmpty, let contents else { return }
    let places = addresses.map {
      CodePlace(address: $0, functionStart: function(at: $0)?.start ?? $0)
    }
    let found = contents.sources(of: places)
    linesProblem = found.problem ?? linesProblem
    for (place, source) in zip(places, found.places) { sources[place.address] = source }
  }

  /// Linker name of the data object at a link-time address.
  func objectName(at address: UInt64) -> String? {
    let isInside = segments.contains {
      address >= $0.address && address - $0.address < $0.fileSize
    }
    return isInside ? contents?.objectName(at: address) : nil
  }

  /// The function at a link-time address.
  func function(at address: UInt64) -> SymbolTable.Function? {
    if let known = functions[address] { return known }
    read(functionsAt: CollectionOfOne(address))
    return functions[address] ?? nil
  }

  private func read(functionsAt addresses: some Collection<UInt64>) {
    guard !addresses.isEmpty, let contents else { return }
    let addresses = Array(addresses)
    for (address, found) in zip(addresses, contents.functions(at: addresses)) {
      functions[address] = .some(found?.function)
      if let found, let shown = found.shown { names[found.function.mangledName] = shown }
    }
  }

  /// Reads the names of the functions at these link-time addresses in one request.
  func prepare(_ addresses: [UInt64], withInlines: Bool) {
    read(functionsAt: addresses.filter { functions[$0] == nil })
    if withInlines { read(sourcesOf: addresses.filter { sources[$0] == nil }) }
    var wanted: Set<String> = []
    for address in addresses {
      if let function = function(at: address) { wanted.insert(function.mangledName) }
      if withInlines { wanted.formUnion(source(at: address).inlined.map(\.function)) }
    }
    read(names: wanted.filter { names[$0] == nil })
  }

  private func read(names wanted: some Collection<String>) {
    guard !wanted.isEmpty, let contents else { return }
    let wanted = Array(wanted)
    for (name, shown) in zip(wanted, contents.names(wanted)) { names[name] = shown }
  }

  /// The shown forms of a linker name.
  func name(_ mangled: String) -> FunctionName {
    if names[mangled] == nil { read(names: CollectionOfOne(mangled)) }
    return names[mangled] ?? FunctionName(simplified: mangled, full: nil, isOwn: true)
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
    let result = contents.map { CallSite.precedes(returnAddress, in: $0) } ?? false
    callSites[returnAddress] = result
    return result
  }

  /// Link-time address of the function that is called right before `returnAddress`, if it is named.
  func callTarget(_ returnAddress: UInt64) -> UInt64? {
    if let known = callTargets[returnAddress] { return known }
    let result = contents.flatMap { CallSite.directTarget(returnAddress, in: $0) }
    callTargets[returnAddress] = result
    return result
  }
}
