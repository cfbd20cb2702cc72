import Files

/// What was read of a module's file by an earlier Lull, in the user's cache under the file's build id, or, where it has
/// none (the Swift toolchain's clang), under what it is known again by.
///
/// The tables are files of their own; what was asked of single addresses and names is in one, with the module's header.
/// All of it counts only for the very file that it was read of, and for the very program that read it.
final class KeptModule {
  private let folder: CacheFolder
  private let name: String
  private let path: String
  private let reader: String
  private(set) var header: ModuleHeader?
  private enum Answer {
    /// Where it stands in what was kept, of which little is asked for.
    case earlier(MappedFile, Range<Int>)
    case new([UInt8])
  }

  /// By the request.
  private var answers: [[UInt8]: Answer] = [:]
  private var answeredBytes = 0
  private var hasNew = false

  /// More bytes of answers begin anew.
  private static let mostAnswered = 64 << 20
  private static let answersName = "answers"
  /// What stands before the answers seldom takes more.
  private static let mostBefore = 64 << 10

  /// Nil without a build id and a file; `reader` is the program that reads the file at `path`.
  init?(in folder: CacheFolder, path: String, buildID: [UInt8]?, reader: String) {
    self.folder = folder
    if let buildID, buildID.contains(where: { $0 != 0 }) {
      name = BuildID.text(buildID)
    } else {
      let file = FileStamp.of(path)
      guard file.contains(where: { $0 != 0 }) else { return nil }
      name = "file-" + BuildID.text(file)
    }
    (self.path, self.reader) = (path, reader)
    do throws(WireError) { try load() } catch { forget() }
  }

  /// A table as it was sent, from where its contents begin.
  func table(_ kind: String) -> WireReader? {
    guard header != nil, let file = folder.read("\(name).\(kind)") else { return nil }
    var reader = WireReader(file, at: CacheFolder.head)
    guard let stamp = try? reader.numbers(UInt8.self), stamp == self.stamp else { return nil }
    return reader
  }

  func keep(_ sent: [UInt8], as kind: String) {
    var writer = WireWriter()
    writer.put(stamp)
    folder.write(writer.bytes + sent, as: "\(name).\(kind)")
  }

  /// What was answered to a request.
  func answer(to request: [UInt8]) -> [UInt8]? {
    answers[request].map { withBytes(of: $0) { [UInt8]($0) } }
  }

  private func withBytes<Result>(
    of answer: Answer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    switch answer {
    case .earlier(let file, let range):
      withExtendedLifetime(file) { body(UnsafeRawBufferPointer(rebasing: file.bytes[range])) }
    case .new(let bytes): bytes.withUnsafeBytes(body)
    }
  }

  func keep(answer: [UInt8], to request: [UInt8]) {
    if answeredBytes > Self.mostAnswered { forgetAnswers() }
    answers[request] = .new(answer)
    answeredBytes += request.count + answer.count
    hasNew = true
  }

  func keep(_ header: ModuleHeader) {
    guard self.header != header else { return }
    forgetAnswers()
    self.header = header
    hasNew = true
  }

  /// Writes what is new; true if there was something.
  func finish() -> Bool {
    guard hasNew, let header else { return false }
    hasNew = false
    var writer = WireWriter()
    // Two counts stand before each.
    writer.reserve(answeredBytes + answers.count * 16 + Self.mostBefore)
    header.write(to: &writer)
    writer.put(stamp)
    writer.put(UInt64(answers.count))
    for (request, answer) in answers {
      writer.put(request)
      withBytes(of: answer) { writer.put($0) }
    }
    folder.write(writer.bytes, as: "\(name).\(Self.answersName)")
    return true
  }

  /// What it was read by and of, with the files that may hold its symbols.
  ///
  /// One file may be read by several paths (`/lib` and `/usr/lib`, a container's root), beside which other debug files
  /// may lie.
  private var stamp: [UInt8] {
    FileStamp.of([path, reader] + (header?.debugNames.places(for: path) ?? []))
  }

  private func load() throws(WireError) {
    guard let file = folder.read("\(name).\(Self.answersName)") else { return }
    var reader = WireReader(file, at: CacheFolder.head)
    header = try ModuleHeader(from: &reader)
    guard try reader.numbers(UInt8.self) == stamp else { throw WireError() }
    for _ in 0..<(try reader.count(of: 16)) {
      let request = try reader.numbers(UInt8.self)
      let answer = try reader.place()
      answers[request] = .earlier(file, answer)
      answeredBytes += request.count + answer.count
    }
    file.release(0..<file.bytes.count)
  }

  private func forget() {
    header = nil
    forgetAnswers()
  }

  private func forgetAnswers() {
    answers = [:]
    answeredBytes = 0
  }
}
