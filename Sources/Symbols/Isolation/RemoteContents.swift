import Glibc

/// A module that another process reads, as far as what was read before does not tell.
final class RemoteContents: ModuleContents {
  let header: ModuleHeader
  private let process: ReaderProcess
  private let path: String
  private let expectedBuildID: [UInt8]?
  private let kept: KeptModule?
  private var handle: ReaderProcess.Handle?
  private var hasFailed = false
  /// Of the file itself; its bytes are copied and not looked into.
  private let descriptor: Int32
  private lazy var functions = answers(to: .functions) { reader throws(WireError) in
    try NamedFunction.read(from: &reader)
  }
  private lazy var rules = answers(to: .callFrame) { reader throws(WireError) in
    try FrameRule.read(from: &reader)
  }
  private var (hasNewFunctions, hasNewRules) = (false, false)
  /// How many functions were asked for, as long as not all are here.
  private var asked = 0
  private var wholeSymbols: SymbolTable?
  private var askedSources = 0
  private var wholeLines: LineTable?
  private var inlineTables: [UInt64: InlineTable] = [:]

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
    self.process = process
    self.path = path
    self.expectedBuildID = expectedBuildID
    self.header = header
    self.kept = kept
    self.handle = handle
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func callFrames() -> CallFrameTable {
    table(.callFrames, "frames", .empty) { reader throws(WireError) in try .init(from: &reader) }
  }

  func callFrame(at address: UInt64) -> FrameRule? {
    if let known = rules.find(address) { return known }
    let found = one(
      .callFrame, at: address,
      read: { reader throws(WireError) in try FrameRule.read(from: &reader) })
    guard let found else { return nil }
    rules.insert(found, at: address)
    hasNewRules = true
    return found.value
  }

  func symbols() -> SymbolTable {
    table(.symbols, "symbols", .empty) { reader throws(WireError) in try .init(from: &reader) }
  }

  func functions(at addresses: [UInt64]) -> [NamedFunction?] {
    if wholeSymbols == nil, header.symbolBytes <= Self.mostSentWhole { wholeSymbols = symbols() }
    let unknown = wholeSymbols == nil ? addresses.filter { functions.find($0) == nil } : []
    if !unknown.isEmpty, asked == 0 { wholeSymbols = kept("symbols", SymbolTable.init(from:)) }
    if wholeSymbols == nil, asked + unknown.count > Self.mostAsked { wholeSymbols = symbols() }
    if let wholeSymbols {
      return addresses.map { address in
        functions.find(address)
          ?? wholeSymbols.find(address).map { NamedFunction(function: $0, shown: nil) }
      }
    }
    if !unknown.isEmpty {
      asked += unknown.count
      ask(
        .functions, parameters: { $0.put(unknown) },
        read: { reader throws(WireError) in
          for address in unknown {
            let found = try Ranged(from: &reader) { reader throws(WireError) in
              try NamedFunction.read(from: &reader)
            }
            guard found.range.contains(address) else { throw WireError() }
            functions.insert(found, at: address)
            hasNewFunctions = true
          }
        })
    }
    return addresses.map { functions.find($0) ?? nil }
  }

  func lines() -> LineTable {
    table(
      .lines, "lines", .empty, isSound: { $0.problem == nil },
      read: { reader throws(WireError) in try .init(from: &reader) })
  }

  func sources(of places: [CodePlace]) -> (places: [SourcePlace], problem: String?) {
    if wholeLines == nil, header.lineBytes <= Self.mostLinesSentWhole { wholeLines = lines() }
    var known: [CodePlace: SourcePlace] = [:]
    var problem: String?
    if wholeLines == nil {
      for place in places {
        guard let sent = kept?.answer(to: Self.request(place)) else { continue }
        var reader = WireReader(sent)
        known[place] = try? SourcePlace(from: &reader)
      }
      let unknown = places.filter { known[$0] == nil }
      if !unknown.isEmpty, askedSources == 0 { wholeLines = kept("lines", LineTable.init(from:)) }
      if wholeLines == nil, askedSources + unknown.count > Self.mostAsked { wholeLines = lines() }
      if wholeLines == nil, !unknown.isEmpty { problem = ask(unknown, &known) }
    }
    guard let wholeLines else { return (places.map { known[$0] ?? SourcePlace() }, problem) }
    let found = places.map { place in
      known[place]
        ?? SourcePlace(of: place, in: wholeLines) { unit in
          if let known = inlineTables[unit] { return known }
          let table = inlines(unit: unit)
          inlineTables[unit] = table
          return table
        }
    }
    return (found, wholeLines.problem)
  }

  private func ask(_ places: [CodePlace], _ known: inout [CodePlace: SourcePlace]) -> String? {
    askedSources += places.count
    var problem: String?
    ask(
      .sources,
      parameters: {
        $0.put(places.map(\.address))
        $0.put(places.map(\.functionStart))
      },
      read: { reader throws(WireError) in
        problem = try reader.optionalText()
        for place in places {
          let found = try SourcePlace(from: &reader)
          known[place] = found
          guard problem == nil else { continue }
          var writer = WireWriter()
          found.write(to: &writer)
          kept?.keep(answer: writer.bytes, to: Self.request(place))
        }
      })
    return problem
  }

  private static func request(_ place: CodePlace) -> [UInt8] {
    var writer = WireWriter()
    writer.put(ReaderRequest.sources.rawValue)
    writer.put(place.address)
    writer.put(place.functionStart)
    return writer.bytes
  }

  func inlines(unit: UInt64) -> InlineTable {
    answer(
      .inlines, .empty, parameters: { $0.put(unit) },
      read: { reader throws(WireError) in try .init(from: &reader) })
  }

  func objectName(at address: UInt64) -> String? {
    answer(
      .objectName, nil, parameters: { $0.put(address) },
      read: { reader throws(WireError) in try reader.optionalText() })
  }

  func ranges(named wanted: [String]) -> [Range<UInt64>] {
    answer(
      .ranges, [], parameters: { $0.put(wanted) },
      read: { reader throws(WireError) in
        let starts = try reader.numbers(UInt64.self)
        let ends = try reader.numbers(UInt64.self)
        guard starts.count == ends.count, zip(starts, ends).allSatisfy({ $0 <= $1 }) else {
          throw WireError()
        }
        return zip(starts, ends).map { $0..<$1 }
      })
  }

  func names(_ mangled: [String]) -> [FunctionName] {
    var known: [String: FunctionName] = [:]
    for name in mangled {
      guard let sent = kept?.answer(to: Self.request(named: name)) else { continue }
      var reader = WireReader(sent)
      known[name] = try? FunctionName(from: &reader)
    }
    let unknown = mangled.filter { known[$0] == nil }
    if !unknown.isEmpty {
      ask(
        .names, parameters: { $0.put(unknown) },
        read: { reader throws(WireError) in
          for name in unknown {
            let shown = try FunctionName(from: &reader)
            known[name] = shown
            var writer = WireWriter()
            shown.write(to: &writer)
            kept?.keep(answer: writer.bytes, to: Self.request(named: name))
          }
        })
    }
    return mangled.map { known[$0] ?? FunctionName(simplified: $0, full: nil, isOwn: true) }
  }

  func bytes(at address: UInt64, count: Int) -> [UInt8] {
    ModuleReader.bytes(at: address, count: count, of: header.segments, descriptor: descriptor)
  }

  func keep() -> Bool {
    guard let kept else { return false }
    if hasNewFunctions {
      var writer = WireWriter()
      functions.write(to: &writer) { NamedFunction.write($0, to: &$1) }
      kept.keep(answer: writer.bytes, to: Self.request(.functions))
    }
    if hasNewRules {
      var writer = WireWriter()
      rules.write(to: &writer) { FrameRule.write($0, to: &$1) }
      kept.keep(answer: writer.bytes, to: Self.request(.callFrame))
    }
    (hasNewFunctions, hasNewRules) = (false, false)
    return kept.finish()
  }

  /// Under what all answers to a request about addresses are kept.
  private static func request(_ request: ReaderRequest) -> [UInt8] { [request.rawValue] }

  /// What was answered before about addresses.
  private func answers<Value>(
    to request: ReaderRequest, _ value: (inout WireReader) throws(WireError) -> Value
  ) -> RangedAnswers<Value> {
    guard let sent = kept?.answer(to: Self.request(request)) else { return RangedAnswers() }
    var reader = WireReader(sent)
    return (try? RangedAnswers(from: &reader, value)) ?? RangedAnswers()
  }

  private static func request(named name: String) -> [UInt8] {
    [ReaderRequest.names.rawValue] + Array(name.utf8)
  }

  /// A table that is kept whole.
  private func table<Table>(
    _ request: ReaderRequest, _ kind: String, _ nothing: Table,
    isSound: (Table) -> Bool = { _ in true },
    read: (inout WireReader) throws(WireError) -> Table
  ) -> Table {
    if let table = kept(kind, read) { return table }
    var found: Table?
    let sent = ask(request) { reader throws(WireError) in found = try read(&reader) }
    guard let sent, let found else { return nothing }
    guard isSound(found), let kept else { return found }
    kept.keep(sent, as: kind)
    // Of what is kept now only what is looked at takes memory.
    return self.kept(kind, read) ?? found
  }

  private func kept<Table>(
    _ kind: String, _ read: (inout WireReader) throws(WireError) -> Table
  ) -> Table? {
    guard var reader = kept?.table(kind) else { return nil }
    return try? read(&reader)
  }

  /// An answer about one address, with those that it holds for as well.
  private func one<Value>(
    _ request: ReaderRequest, at address: UInt64,
    read: (inout WireReader) throws(WireError) -> Value
  ) -> Ranged<Value>? {
    var found: Ranged<Value>?
    ask(
      request, parameters: { $0.put(address) },
      read: { reader throws(WireError) in
        let sent = try Ranged(from: &reader, read)
        guard sent.range.contains(address) else { throw WireError() }
        found = sent
      })
    return found
  }

  /// An answer to one question, which is kept with the others.
  private func answer<Answer>(
    _ request: ReaderRequest, _ nothing: Answer, parameters: (inout WireWriter) -> Void,
    read: (inout WireReader) throws(WireError) -> Answer
  ) -> Answer {
    var writer = WireWriter()
    writer.put(request.rawValue)
    parameters(&writer)
    if let sent = kept?.answer(to: writer.bytes) {
      var reader = WireReader(sent)
      if let answer = try? read(&reader) { return answer }
    }
    var found: Answer?
    let sent = ask(
      request, parameters: parameters,
      read: { reader throws(WireError) in found = .some(try read(&reader)) })
    guard let sent, let found else { return nothing }
    kept?.keep(answer: sent, to: writer.bytes)
    return found
  }

  /// What the process sends, once it could be read; nil where it could not.
  @discardableResult
  private func ask(
    _ request: ReaderRequest, parameters: (inout WireWriter) -> Void = { _ in },
    read: (inout WireReader) throws(WireError) -> Void
  ) -> [UInt8]? {
    guard !hasFailed, let handle = reopened() else { return nil }
    var writer = WireWriter()
    writer.put(request.rawValue)
    writer.put(handle.number)
    parameters(&writer)
    guard let reply = process.exchange(writer.bytes, path: path) else {
      hasFailed = true
      return nil
    }
    var reader = WireReader(reply)
    do throws(WireError) { try read(&reader) } catch {
      hasFailed = true
      process.distrust(path: path)
      return nil
    }
    return reply
  }

  /// The module's number in the present child: another file may have been the end of the one that knew it.
  private func reopened() -> ReaderProcess.Handle? {
    if let handle, process.isCurrent(handle) { return handle }
    guard let again = try? process.handle(path: path, expectedBuildID: expectedBuildID),
      again.header == header
    else {
      hasFailed = true
      return nil
    }
    handle = again
    return again
  }
}
