/// The tables of a module that another process sends whole, and those that were kept of it.
final class SentTables {
  private let questions: RemoteQuestions
  private var inlineTables: [UInt64: InlineTable] = [:]

  init(_ questions: RemoteQuestions) { self.questions = questions }

  func callFrames() -> CallFrameTable {
    table(.callFrames, "frames", .empty) { reader throws(WireError) in try .init(from: &reader) }
  }

  func symbols() -> SymbolTable {
    table(.symbols, "symbols", .empty) { reader throws(WireError) in try .init(from: &reader) }
  }

  /// What is there without asking.
  func keptSymbols() -> SymbolTable? { kept("symbols", SymbolTable.init(from:)) }

  func lines() -> LineTable {
    table(
      .lines, "lines", .empty, isSound: { $0.problem == nil },
      read: { reader throws(WireError) in try .init(from: &reader) })
  }

  /// What is there without asking.
  func keptLines() -> LineTable? { kept("lines", LineTable.init(from:)) }

  func inlines(unit: UInt64) -> InlineTable {
    if let known = inlineTables[unit] { return known }
    let table: InlineTable = questions.answer(
      .inlines, .empty, parameters: { $0.put(unit) },
      read: { reader throws(WireError) in try .init(from: &reader) })
    inlineTables[unit] = table
    return table
  }

  /// A table that is kept whole.
  private func table<Table>(
    _ request: ReaderRequest, _ kind: String, _ nothing: Table,
    isSound: (Table) -> Bool = { _ in true },
    read: (inout WireReader) throws(WireError) -> Table
  ) -> Table {
    if let table = kept(kind, read) { return table }
    var found: Table?
    let sent = questions.ask(request) { reader throws(WireError) in found = try read(&reader) }
    guard let sent, let found else { return nothing }
    guard isSound(found), let module = questions.kept else { return found }
    module.keep(sent, as: kind)
    // Of what is kept now only what is looked at takes memory.
    return kept(kind, read) ?? found
  }

  private func kept<Table>(
    _ kind: String, _ read: (inout WireReader) throws(WireError) -> Table
  ) -> Table? {
    guard var reader = questions.kept?.table(kind) else { return nil }
    return try? read(&reader)
  }
}
