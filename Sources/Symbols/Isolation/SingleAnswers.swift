/// What another process answered about single addresses and names of a module, each with what it holds for as well.
final class SingleAnswers {
  private let questions: RemoteQuestions
  private lazy var functions = answers(to: .functions) { reader throws(WireError) in
    try NamedFunction.read(from: &reader)
  }
  private lazy var rules = answers(to: .callFrame) { reader throws(WireError) in
    try FrameRule.read(from: &reader)
  }
  private var (hasNewFunctions, hasNewRules) = (false, false)
  /// How many functions and places were asked for.
  private(set) var (askedFunctions, askedSources) = (0, 0)

  init(_ questions: RemoteQuestions) { self.questions = questions }

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

  /// The function at an address as far as it was answered, which may be that there is none.
  func function(at address: UInt64) -> NamedFunction?? { functions.find(address) }

  func ask(functionsAt addresses: [UInt64]) {
    askedFunctions += addresses.count
    questions.ask(
      .functions, parameters: { $0.put(addresses) },
      read: { reader throws(WireError) in
        for address in addresses {
          let found = try Ranged(from: &reader) { reader throws(WireError) in
            try NamedFunction.read(from: &reader)
          }
          guard found.range.contains(address) else { throw WireError() }
          functions.insert(found, at: address)
          hasNewFunctions = true
        }
      })
  }

  /// What was answered about places by an earlier Lull.
  func keptSources(of places: [CodePlace]) -> [CodePlace: SourcePlace] {
    var known: [CodePlace: SourcePlace] = [:]
    for place in places {
      guard let sent = questions.kept?.answer(to: Self.request(place)) else { continue }
      var reader = WireReader(sent)
      known[place] = try? SourcePlace(from: &reader)
    }
    return known
  }

  /// Adds what is answered about places to what is known, and tells what lines cannot be read.
  func ask(
    sourcesOf places: [CodePlace], _ known: inout [CodePlace: SourcePlace]
  ) -> String? {
    askedSources += places.count
    var problem: String?
    questions.ask(
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
          questions.kept?.keep(answer: writer.bytes, to: Self.request(place))
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

  func objectName(at address: UInt64) -> String? {
    questions.answer(
      .objectName, nil, parameters: { $0.put(address) },
      read: { reader throws(WireError) in try reader.optionalText() })
  }

  func ranges(named wanted: [String]) -> [Range<UInt64>] {
    questions.answer(
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
      guard let sent = questions.kept?.answer(to: Self.request(named: name)) else { continue }
      var reader = WireReader(sent)
      known[name] = try? FunctionName(from: &reader)
    }
    let unknown = mangled.filter { known[$0] == nil }
    if !unknown.isEmpty {
      questions.ask(
        .names, parameters: { $0.put(unknown) },
        read: { reader throws(WireError) in
          for name in unknown {
            let shown = try FunctionName(from: &reader)
            known[name] = shown
            var writer = WireWriter()
            shown.write(to: &writer)
            questions.kept?.keep(answer: writer.bytes, to: Self.request(named: name))
          }
        })
    }
    return mangled.map { known[$0] ?? FunctionName(simplified: $0, full: nil, isOwn: true) }
  }

  /// Writes down what is new; true if there was something.
  func keep() -> Bool {
    guard let kept = questions.kept else { return false }
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
    guard let sent = questions.kept?.answer(to: Self.request(request)) else {
      return RangedAnswers()
    }
    var reader = WireReader(sent)
    return (try? RangedAnswers(from: &reader, value)) ?? RangedAnswers()
  }

  private static func request(named name: String) -> [UInt8] {
    [ReaderRequest.names.rawValue] + Array(name.utf8)
  }

  /// An answer about one address, with those that it holds for as well.
  private func one<Value>(
    _ request: ReaderRequest, at address: UInt64,
    read: (inout WireReader) throws(WireError) -> Value
  ) -> Ranged<Value>? {
    var found: Ranged<Value>?
    questions.ask(
      request, parameters: { $0.put(address) },
      read: { reader throws(WireError) in
        let sent = try Ranged(from: &reader, read)
        guard sent.range.contains(address) else { throw WireError() }
        found = sent
      })
    return found
  }
}
