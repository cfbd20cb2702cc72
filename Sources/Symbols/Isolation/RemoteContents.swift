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
    answer(
      .callFrame, nil, parameters: { $0.put(address) },
      read: { reader throws(WireError) in
        try reader.number(UInt8.self) == 0 ? nil : try FrameRule(from: &reader)
      })
  }

  func symbols() -> SymbolTable {
    table(.symbols, "symbols", .empty) { reader throws(WireError) in try .init(from: &reader) }
  }

  func lines() -> LineTable {
    table(
      .lines, "lines", .empty, isSound: { $0.problem == nil },
      read: { reader throws(WireError) in try .init(from: &reader) })
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

  func keep() -> Bool { kept?.finish() ?? false }

  private static func request(named name: String) -> [UInt8] {
    [ReaderRequest.names.rawValue] + Array(name.utf8)
  }

  /// A table that is kept whole.
  private func table<Table>(
    _ request: ReaderRequest, _ kind: String, _ nothing: Table,
    isSound: (Table) -> Bool = { _ in true },
    read: (inout WireReader) throws(WireError) -> Table
  ) -> Table {
    if var reader = kept?.table(kind), let table = try? read(&reader) { return table }
    var found: Table?
    let sent = ask(request) { reader throws(WireError) in found = try read(&reader) }
    guard let sent, let found else { return nothing }
    guard isSound(found), let kept else { return found }
    kept.keep(sent, as: kind)
    // Of what is kept now only what is looked at takes memory.
    if var reader = kept.table(kind), let table = try? read(&reader) { return table }
    return found
  }

  /// An answer about one address, which is kept with the others.
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
