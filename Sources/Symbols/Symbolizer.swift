/// One function of a stack, as shown to the user.
public struct ResolvedFrame: Hashable, Sendable {
  /// Readable name; nil if no symbol covers the address.
  public var function: String?
  /// The name with modules and types; nil where it is the same.
  public var fullName: String?
  /// Path of the file that holds the code, or a name in brackets.
  public var module: String
  /// Link-time address in the module, as `addr2line` takes it.
  public var moduleOffset: UInt64
  public var file: String?
  public var line: Int?
  /// Whether this is the program's own code, not the system's or the Swift runtime's.
  public var isProgram: Bool
  public var isInlined: Bool

  public init(
    function: String?, fullName: String? = nil, module: String, moduleOffset: UInt64,
    file: String? = nil, line: Int? = nil, isProgram: Bool = false, isInlined: Bool = false
  ) {
    self.function = function
    self.fullName = fullName
    self.module = module
    self.moduleOffset = moduleOffset
    self.file = file
    self.line = line
    self.isProgram = isProgram
    self.isInlined = isInlined
  }
}

/// Gives names, files and lines to addresses.
public final class Symbolizer {
  private struct Key: Hashable {
    var module: Int
    var address: UInt64
    var isMain: Bool
  }

  private let modules: ModuleCache
  private let systemLines: Bool
  private var cache: [Key: [ResolvedFrame]] = [:]
  private static let maximumEntries = 500_000

  /// A symbolizer.
  ///
  /// `systemLines` reads the line tables of system libraries too, which takes longer and rarely helps.
  public init(systemLines: Bool = false, modules: ModuleCache = ModuleCache()) {
    self.systemLines = systemLines
    self.modules = modules
  }

  /// One line for each module that could not be used.
  public var problems: [String] { modules.problems }

  /// One line for each file of which it is not certain that it is the one that ran; see `ModuleCache.doubts`.
  public func doubts(since time: UInt64) -> [String] { modules.doubts(since: time) }

  /// One line for each module that has lines which cannot be read.
  public var linesProblems: [String] { modules.linesProblems }

  /// Reads in one request for each module what `resolve` will need for these run-time addresses.
  ///
  /// A request is answered by another process: one for each address costs more than the answers.
  public func prepare(_ addresses: [UInt64], in mappings: MappingTable) {
    var wanted: [Int: [Key]] = [:]
    var modulesByNumber: [Int: Module] = [:]
    for address in addresses {
      guard let (module, key) = place(of: address, in: mappings), cache[key] == nil else {
        continue
      }
      wanted[key.module, default: []].append(key)
      modulesByNumber[key.module] = module
    }
    for (number, keys) in wanted {
      guard let module = modulesByNumber[number] else { continue }
      module.prepare(
        keys.map(\.address), withInlines: showsLines(of: module, isMain: keys[0].isMain))
    }
  }

  private func place(of address: UInt64, in mappings: MappingTable) -> (Module, Key)? {
    guard let mapping = mappings.find(address) else { return nil }
    let module = modules.module(for: mapping)
    guard let link = module.linkAddress(of: address, in: mapping) else { return nil }
    let isMain = mappings.executablePath.map { $0 == mapping.path } ?? module.isProgramFile
    return (module, Key(module: module.identifier, address: link, isMain: isMain))
  }

  private func isProgram(_ module: Module, isMain: Bool) -> Bool {
    isMain || FunctionOrigin.isProgramModule(path: module.path)
  }

  private func showsLines(of module: Module, isMain: Bool) -> Bool {
    systemLines || isProgram(module, isMain: isMain)
  }

  /// The functions at a run-time address, innermost inlined first; never empty.
  public func resolve(address: UInt64, in mappings: MappingTable) -> [ResolvedFrame] {
    guard let (module, key) = place(of: address, in: mappings) else {
      return [unnamed(address, in: mappings)]
    }
    if let known = cache[key] { return known }
    let frames = frames(of: module, at: key.address, isMain: key.isMain)
    if cache.count >= Self.maximumEntries { cache.removeAll() }
    cache[key] = frames
    return frames
  }

  /// The frame of an address for which there is no module, or none that holds it.
  private func unnamed(_ address: UInt64, in mappings: MappingTable) -> ResolvedFrame {
    guard let mapping = mappings.find(address) else {
      return ResolvedFrame(function: nil, module: "[unknown]", moduleOffset: address)
    }
    return ResolvedFrame(
      function: nil, module: mapping.path,
      moduleOffset: mapping.fileOffset &+ (address - mapping.start),
      isProgram: mappings.executablePath == mapping.path
        || FunctionOrigin.isProgramModule(path: mapping.path))
  }

  /// Linker name of the data object at a run-time address, in a module whose path ends so.
  ///
  /// Only code is among the recorded mappings; a module's data lies where its code tells.
  public func objectName(
    at address: UInt64, in mappings: MappingTable, ofModule isWanted: (String) -> Bool
  ) -> String? {
    for mapping in mappings.mappings where isWanted(mapping.path) {
      let module = modules.module(for: mapping)
      guard let link = module.linkAddress(of: mapping.start, in: mapping) else { continue }
      if let name = module.objectName(at: address &- (mapping.start &- link)) { return name }
    }
    return nil
  }

  /// The function that the call before a return address leads to, where that is another than the one at `callee`.
  ///
  /// The call of a function's last act is made a jump, which leaves no frame: the stack shows the function that was
  /// jumped to, and below it who called the other. Its line is that of its beginning.
  public func tailCall(
    to callee: UInt64, calledBefore returnAddress: UInt64, in mappings: MappingTable
  ) -> ResolvedFrame? {
    guard let (module, key) = place(of: returnAddress &- 1, in: mappings),
      let target = module.callTarget(key.address &+ 1),
      let function = module.function(at: target), function.start == target,
      let (calleeModule, calleeKey) = place(of: callee, in: mappings),
      let reached = calleeModule.function(at: calleeKey.address)
    else { return nil }
    if calleeModule === module {
      guard !(function.start..<function.end).contains(calleeKey.address) else { return nil }
      // Its own cold or merged part.
      guard !reached.mangledName.hasPrefix(function.mangledName) else { return nil }
    }
    return frames(of: module, at: target, isMain: key.isMain).last
  }

  private func frames(of module: Module, at address: UInt64, isMain: Bool) -> [ResolvedFrame] {
    let isProgramModule = isProgram(module, isMain: isMain)
    let function = module.function(at: address)
    func frame(_ mangled: String?, _ file: String?, _ line: Int?, inlined: Bool) -> ResolvedFrame {
      let name = mangled.map { module.name($0) }
      return ResolvedFrame(
        function: name?.simplified, fullName: name?.full, module: module.path,
        moduleOffset: address, file: file, line: line,
        isProgram: isProgramModule && name?.isOwn ?? true, isInlined: inlined)
    }
    guard showsLines(of: module, isMain: isMain) else {
      return [frame(function?.mangledName, nil, nil, inlined: false)]
    }
    let source = module.source(at: address)
    var file = source.location?.file
    var line = source.location?.line
    var frames: [ResolvedFrame] = []
    for call in source.inlined {
      // The trap of a failed check is described as an inlined function; it is none.
      if !call.function.hasPrefix("Swift runtime failure") {
        frames.append(frame(call.function, file, line, inlined: true))
      }
      file = call.callFile
      line = call.callLine
    }
    frames.append(frame(function?.mangledName, file, line, inlined: false))
    return frames
  }
}
