/// What is known of a module's file once it is open.
struct ModuleHeader: Hashable, Sendable {
  var machine: ModuleReader.Machine
  var segments: [ModuleReader.Segment]
  var isProgramFile: Bool
  /// What it holds of libraries itself, whose functions are not the program's own.
  var held: HeldLibraries
  /// How much call frame information it has.
  var callFrameBytes: UInt64
  /// How much its symbol tables take, with the names.
  var symbolBytes: UInt64
  /// How much its own line tables take.
  var lineBytes: UInt64
  /// By what its symbols and lines are looked for, where it has none itself.
  var debugNames: DebugFile.Names
}

/// Libraries that are linked into a program's file.
struct HeldLibraries: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// The Swift runtime.
  static let swift = HeldLibraries(rawValue: 1)
  /// The C library.
  static let c = HeldLibraries(rawValue: 2)
}

/// A function's name in the forms that are shown.
struct FunctionName: Hashable, Sendable {
  var simplified: String
  /// With modules and types; nil where it is the same.
  var full: String?
  /// Whether the program's author wrote it, as far as its name tells.
  var isOwn: Bool
}

/// A function as found by address, with its name as it is shown, where that was told with it.
struct NamedFunction: Hashable, Sendable {
  var function: SymbolTable.Function
  var shown: FunctionName?
}

/// The tables of one module, read in this process or in another.
protocol ModuleContents {
  var header: ModuleHeader { get }
  func callFrames() -> CallFrameTable
  /// How to leave the function at a link-time address, without reading of all others how.
  func callFrame(at address: UInt64) -> FrameRule?
  func symbols() -> SymbolTable
  /// The functions at link-time addresses, as `symbols` has them.
  func functions(at addresses: [UInt64]) -> [NamedFunction?]
  func lines() -> LineTable
  /// What the debug information tells of instructions, as `lines` and `inlines` have it, and why it tells nothing.
  func sources(of places: [CodePlace]) -> (places: [SourcePlace], problem: String?)
  /// The inlined calls of a unit of the line table.
  func inlines(unit: UInt64) -> InlineTable
  /// Linker name of the data object at a link-time address.
  func objectName(at address: UInt64) -> String?
  /// Where functions of these linker names lie.
  func ranges(named wanted: [String]) -> [Range<UInt64>]
  /// The shown forms of linker names, in their order.
  func names(_ mangled: [String]) -> [FunctionName]
  /// Bytes of the file that are loaded at a link-time address; empty where they are not all there.
  func bytes(at address: UInt64, count: Int) -> [UInt8]
  /// Keeps what was read for the next analysis; true if there was something new.
  func keep() -> Bool
}

extension ModuleContents {
  func keep() -> Bool { false }
}

/// Reads a module in this process.
final class LocalContents: ModuleContents {
  let header: ModuleHeader
  private let reader: ModuleReader
  private lazy var debugFile: ModuleReader? = DebugFile.find(for: reader)
  private lazy var index = reader.functions(debugFile: reader.hasFullSymbols ? nil : debugFile)
  private lazy var holdsAgent = reader.hasSection(prefix: ".lull_agent")
  private lazy var lineReader: ModuleReader? = reader.hasLineTables ? reader : debugFile
  private lazy var lineIndex = lineReader.map { LineIndex($0, segments: reader.segments) }

  init(_ reader: ModuleReader) {
    self.reader = reader
    header = ModuleHeader(
      machine: reader.machine, segments: reader.segments, isProgramFile: reader.isProgramFile,
      held: reader.heldLibraries,
      callFrameBytes: reader.section(".eh_frame")?.header.sh_size ?? 0,
      symbolBytes: reader.symbolBytes,
      lineBytes: reader.hasLineTables ? reader.section(".debug_line")?.header.sh_size ?? 0 : 0,
      debugNames: DebugFile.names(for: reader))
  }

  func callFrames() -> CallFrameTable { reader.callFrames() }

  func callFrame(at address: UInt64) -> FrameRule? { callFrameRow(at: address).value }

  /// The same with the addresses of which it is true.
  func callFrameRow(at address: UInt64) -> Ranged<FrameRule?> { reader.callFrame(at: address) }

  func symbols() -> SymbolTable { index.table }

  func functions(at addresses: [UInt64]) -> [NamedFunction?] {
    addresses.map { address in
      index.find(address).value.map { NamedFunction(function: $0, shown: nil) }
    }
  }

  /// The same with the addresses of which it is true, and with the names as they are shown.
  func functionRanges(at addresses: [UInt64]) -> [Ranged<NamedFunction?>] {
    addresses.map { address in
      let found = index.find(address)
      let named = found.value.map {
        NamedFunction(function: $0, shown: names([$0.mangledName]).first)
      }
      return Ranged(range: found.range, value: named)
    }
  }

  func lines() -> LineTable { lineReader?.lines(segments: reader.segments) ?? .empty }

  func sources(of places: [CodePlace]) -> (places: [SourcePlace], problem: String?) {
    guard let lineIndex else { return (places.map { _ in SourcePlace() }, nil) }
    return (places.map { lineIndex.find($0) }, lineIndex.problem)
  }

  func inlines(unit: UInt64) -> InlineTable { lineReader?.inlines(unit: unit) ?? .empty }

  func objectName(at address: UInt64) -> String? { reader.objectName(at: address) }

  func ranges(named wanted: [String]) -> [Range<UInt64>] {
    reader.ranges(named: wanted, debugFile: reader.hasFullSymbols ? nil : debugFile)
  }

  func names(_ mangled: [String]) -> [FunctionName] {
    mangled.map { Self.name($0, holding: header.held, holdsAgent: holdsAgent) }
  }

  func bytes(at address: UInt64, count: Int) -> [UInt8] {
    reader.bytes(at: address, count: count)
  }

  private static func name(
    _ mangled: String, holding held: HeldLibraries, holdsAgent: Bool
  ) -> FunctionName {
    let simplified = Demangler.simplified(mangled)
    // Of names in C++ there is one form.
    let full = Demangler.isSwift(mangled) ? Demangler.full(mangled) : simplified
    return FunctionName(
      simplified: simplified, full: full == simplified ? nil : full,
      isOwn: FunctionOrigin.isProgram(mangledName: mangled, holding: held)
        && !(holdsAgent && FunctionOrigin.isAgent(mangledName: mangled)))
  }
}
