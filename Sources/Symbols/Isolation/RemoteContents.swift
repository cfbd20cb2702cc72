import Glibc

/// A module that another process reads, as far as what was read before does not tell.
///
/// Some things are asked for one by one (`SingleAnswers`); of small modules, and where much is asked, whole tables are
/// sent (`SentTables`).
final class RemoteContents: ModuleContents {
  let header: ModuleHeader
  private let answers: SingleAnswers
  private let tables: SentTables
  /// Of the file itself; its bytes are copied and not looked into.
  private let descriptor: Int32
  private var wholeSymbols: SymbolTable?
  private var wholeLines: LineTable?

  /// Of symbol tables of so many bytes all functions take less long than some: 1 ms.
  private static let mostSentWhole: UInt64 = 512 << 10
  /// All lines of so many bytes take some 3 ms.
  private static let mostLinesSentWhole: UInt64 = 64 << 10
  /// More functions take longer than all, which of the largest programs take 100 ms.
  private static let mostAsked = 2000

  init(
    process: ReaderProcess, path: String, expectedBuildID: [UInt8]?, header: ModuleHeader,
    kept: KeptModule?, handle: ReaderProcess.Handle? = nil
  ) {
    self.header = header
    let questions = RemoteQuestions(
      process: process, path: path, expectedBuildID: expectedBuildID, header: header, kept: kept,
      handle: handle)
    answers = SingleAnswers(questions)
    tables = SentTables(questions)
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func callFrames() -> CallFrameTable { tables.callFrames() }

  func callFrame(at address: UInt64) -> FrameRule? { answers.callFrame(at: address) }

  func symbols() -> SymbolTable { tables.symbols() }

  func functions(at addresses: [UInt64]) -> [NamedFunction?] {
    if wholeSymbols == nil, header.symbolBytes <= Self.mostSentWhole { wholeSymbols = symbols() }
    let unknown =
      wholeSymbols == nil ? addresses.filter { answers.function(at: $0) == nil } : []
    let asked = answers.askedFunctions
    if !unknown.isEmpty, asked == 0 { wholeSymbols = tables.keptSymbols() }
    if wholeSymbols == nil, asked + unknown.count > Self.mostAsked { wholeSymbols = symbols() }
    if let wholeSymbols {
      return addresses.map { address in
        answers.function(at: address)
          ?? wholeSymbols.find(address).map { NamedFunction(function: $0, shown: nil) }
      }
    }
    if !unknown.isEmpty { answers.ask(functionsAt: unknown) }
    return addresses.map { answers.function(at: $0) ?? nil }
  }

  func lines() -> LineTable { tables.lines() }

  func sources(of places: [CodePlace]) -> (places: [SourcePlace], problem: String?) {
    if wholeLines == nil, header.lineBytes <= Self.mostLinesSentWhole { wholeLines = lines() }
    var known: [CodePlace: SourcePlace] = [:]
    var problem: String?
    if wholeLines == nil {
      known = answers.keptSources(of: places)
      let unknown = places.filter { known[$0] == nil }
      let asked = answers.askedSources
      if !unknown.isEmpty, asked == 0 { wholeLines = tables.keptLines() }
      if wholeLines == nil, asked + unknown.count > Self.mostAsked { wholeLines = lines() }
      if wholeLines == nil, !unknown.isEmpty {
        problem = answers.ask(sourcesOf: unknown, &known)
      }
    }
    guard let wholeLines else { return (places.map { known[$0] ?? SourcePlace() }, problem) }
    let found = places.map { place in
      known[place]
        ?? SourcePlace(of: place, in: wholeLines) { tables.inlines(unit: $0) }
    }
    return (found, wholeLines.problem)
  }

  func inlines(unit: UInt64) -> InlineTable { tables.inlines(unit: unit) }

  func objectName(at address: UInt64) -> String? { answers.objectName(at: address) }

  func ranges(named wanted: [String]) -> [Range<UInt64>] { answers.ranges(named: wanted) }

  func names(_ mangled: [String]) -> [FunctionName] { answers.names(mangled) }

  func bytes(at address: UInt64, count: Int) -> [UInt8] {
    ModuleReader.bytes(at: address, count: count, of: header.segments, descriptor: descriptor)
  }

  func keep() -> Bool { answers.keep() }
}
