import Files
import Foundation
import Testing

@testable import Symbols

/// What is read of a module is kept for the next analysis, and for nothing else.
@Suite struct `Kept tables` {
  private let folder = "\(TestProgram.directory)/kept-\(UUID().uuidString)"
  private static let lull = ReadingProgram.lull

  private func process(_ cache: CacheFolder) throws -> ReaderProcess {
    ReaderProcess(executable: try #require(Self.lull), timeout: 30, cache: cache)
  }

  private func cache(limit: UInt64 = 512 << 20) -> CacheFolder {
    CacheFolder(path: folder, user: nil, limit: limit)
  }

  private struct Answers: Equatable {
    var functions: [SymbolTable.Function?]
    var places: [LineTable.Location?]
    var rules: [FrameRule?]
    var flattened: [FrameRule?]
    var inlined: [[InlinedCall]]
    var names: [FunctionName]
  }

  /// All that an analysis may ask.
  private func answers(_ contents: any ModuleContents) -> Answers {
    let (symbols, lines) = (contents.symbols(), contents.lines())
    let functions = symbols.addresses.map { symbols.find($0) }
    let frames = contents.callFrames()
    return Answers(
      functions: functions,
      places: symbols.addresses.map { lines.find($0 + 1, functionStart: $0) },
      rules: symbols.addresses.map { contents.callFrame(at: $0) },
      flattened: symbols.addresses.map { frames.find($0) },
      inlined: lines.units.map { contents.inlines(unit: $0).calls },
      names: contents.names(functions.compactMap { $0?.mangledName }))
  }

  private func program() throws -> (path: String, buildID: [UInt8]) {
    let original = try TestProgram.chain("-O", "-g", "-Xlinker", "--build-id")
    let path = "\(TestProgram.directory)/kept-program-\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: original, toPath: path)
    return (path, try #require(BuildID.read(path: path)))
  }

  /// Reads everything once, so that it is kept.
  private func keep(_ path: String, _ buildID: [UInt8], _ cache: CacheFolder) throws -> Answers {
    let process = try process(cache)
    let contents = try process.open(path: path, expectedBuildID: buildID)
    let found = answers(contents)
    #expect(contents.keep())
    #expect(process.identifier != nil)
    #expect(found.functions.count > 10 && found.places.contains { $0 != nil })
    return found
  }

  @Test func `what was read once is answered again without reading anything`() throws {
    let (path, buildID) = try program()
    let first = try keep(path, buildID, cache())
    let process = try process(cache())
    let contents = try process.open(path: path, expectedBuildID: buildID)
    #expect(answers(contents) == first)
    #expect(process.identifier == nil, "a process was started to read the file")
    #expect(!contents.keep())
    // What was not asked before is read now, and kept with the rest.
    let start = try #require(first.functions.first??.start)
    #expect(
      contents.callFrame(at: start + 1)
        == LocalContents(try .init(path: path)).callFrame(at: start + 1))
    #expect(process.identifier != nil)
    #expect(contents.keep())
    // Both what was kept by the first and by the second are there for a third.
    let third = try self.process(cache())
    let again = try third.open(path: path, expectedBuildID: buildID)
    #expect(answers(again) == first)
    #expect(again.callFrame(at: start + 1) == contents.callFrame(at: start + 1))
    #expect(third.identifier == nil, "a process was started to read the file")
  }

  // The Swift toolchain's clang has none: its tables were read again for each report after `swift build`.
  @Test func `a file without a build id is known by what it is`() throws {
    let path = try program().path
    try TestProgram.run(["objcopy", "--remove-section", ".note.gnu.build-id", path])
    #expect(BuildID.read(path: path) == nil)
    func read() throws -> (answers: Answers, isStarted: Bool) {
      let process = try process(cache())
      let contents = try process.open(path: path, expectedBuildID: nil)
      defer { _ = contents.keep() }
      return (answers(contents), process.identifier != nil)
    }
    let first = try read()
    #expect(first.isStarted && first.answers.places.contains { $0 != nil })
    let second = try read()
    #expect(!second.isStarted && second.answers == first.answers)
    // Another one of the same size and time of contents in its place, as an archive brings it.
    var status = stat()
    #expect(stat(path, &status) == 0)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let name = try #require(bytes.firstRange(of: Array("outermost".utf8)))
    bytes[name.lowerBound] = UInt8(ascii: "x")
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: bytes)
    try file.close()
    var times = [status.st_atim, status.st_mtim]
    utimensat(AT_FDCWD, path, &times, 0)
    #expect(try read().isStarted)
    try TestProgram.run(["strip", "--strip-debug", path])
    let other = try read()
    #expect(other.isStarted && other.answers.places.allSatisfy { $0 == nil })
  }

  @Test func `of another file of that build id nothing is believed`() throws {
    let (path, buildID) = try program()
    let first = try keep(path, buildID, cache())
    // The same id, at the same path, without lines.
    try TestProgram.run(["strip", "--strip-debug", path])
    #expect(BuildID.read(path: path) == buildID)
    let process = try process(cache())
    let stripped = answers(try process.open(path: path, expectedBuildID: buildID))
    #expect(stripped.functions == first.functions)
    #expect(stripped.places.allSatisfy { $0 == nil })
    // A debug file that comes later is found.
    let text = BuildID.text(buildID)
    let debug = "\(TestProgram.directory)/.debug"
    let linked = "\(TestProgram.directory)/kept-linked-\(UUID().uuidString)"
    let whole = try program().path
    try FileManager.default.createDirectory(atPath: debug, withIntermediateDirectories: true)
    let separate = "\(debug)/\(text).debug"
    try TestProgram.run(["objcopy", "--only-keep-debug", whole, separate])
    try TestProgram.run([
      "objcopy", "--strip-all", "--add-gnu-debuglink=\(separate)", whole, linked,
    ])
    try FileManager.default.moveItem(atPath: separate, toPath: separate + ".away")
    func places() throws -> Int {
      let process = try self.process(cache())
      let contents = try process.open(path: linked, expectedBuildID: buildID)
      defer { _ = contents.keep() }
      return contents.lines().count
    }
    #expect(try places() == 0)
    #expect(try places() == 0)
    try FileManager.default.moveItem(atPath: separate + ".away", toPath: separate)
    #expect(try places() > 10)
  }

  // /lib is a link to /usr/lib on Debian: what a program behind chroot calls /lib/… is the file that others call
  // /usr/lib/…. The kept header told where its debug link leads by the first path, and nothing more was answered by the
  // other: all stacks ended in the C library.
  @Test func `a file is the same by whatever path it is read`() throws {
    let (whole, buildID) = try program()
    let folder = "\(TestProgram.directory)/paths-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: "\(folder)/real", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/link", withDestinationPath: "real")
    let separate = "\(TestProgram.directory)/\(UUID().uuidString).debug"
    try TestProgram.run(["objcopy", "--only-keep-debug", whole, separate])
    try TestProgram.run([
      "objcopy", "--strip-all", "--add-gnu-debuglink=\(separate)", whole, "\(folder)/real/program",
    ])
    let truth = LocalContents(try .init(path: whole))
    let asked = try keep(whole, buildID, cache()).functions.compactMap { $0?.start }
      .filter { truth.callFrame(at: $0) != nil }
    let (first, last) = (try #require(asked.first), try #require(asked.last))
    #expect(truth.callFrame(at: first) != nil && first != last)

    func rule(_ path: String, at address: UInt64) throws -> FrameRule? {
      let process = try process(cache())
      let contents = try process.open(path: "\(folder)/\(path)", expectedBuildID: buildID)
      defer { _ = contents.keep() }
      let rule = contents.callFrame(at: address)
      #expect(process.failures.isEmpty, "\(process.failures)")
      return rule
    }
    #expect(try rule("real/program", at: first) == truth.callFrame(at: first))
    #expect(try rule("link/program", at: last) == truth.callFrame(at: last))

    // Beside one of the paths alone: what is found there is not what the other has.
    func lines(_ path: String) throws -> Int {
      let process = try process(cache())
      let contents = try process.open(path: path, expectedBuildID: buildID)
      defer { _ = contents.keep() }
      return contents.lines().count
    }
    let beside = "\(folder)/beside"
    try FileManager.default.createDirectory(atPath: beside, withIntermediateDirectories: true)
    try FileManager.default.linkItem(
      atPath: "\(folder)/real/program", toPath: "\(beside)/program")
    try FileManager.default.moveItem(
      atPath: separate, toPath: "\(beside)/\((separate as NSString).lastPathComponent)")
    for _ in 0..<2 {
      #expect(try lines("\(folder)/link/program") == 0)
      #expect(try lines("\(beside)/program") > 10)
    }
  }

  @Test func `why a file that was read once is not read again is said`() throws {
    let (path, buildID) = try program()
    let start = try #require(try keep(path, buildID, cache()).functions.first??.start)
    let process = try process(cache())
    let contents = try process.open(path: path, expectedBuildID: buildID)
    try FileManager.default.removeItem(atPath: path)
    #expect(contents.callFrame(at: start + 1) == nil)
    #expect(process.failures[path]?.contains("cannot be opened") == true, "\(process.failures)")
  }

  @Test(arguments: ["cut", "flipped", "empty", "another", "link", "writable", "folder"])
  func `an entry that is not as it was written is made anew`(damage: String) throws {
    let (path, buildID) = try program()
    let first = try keep(path, buildID, cache())
    let entries = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(entries.count >= 4, "\(entries)")
    for entry in entries.map({ "\(folder)/\($0)" }) {
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: entry)))
      switch damage {
      case "cut": bytes.removeLast(bytes.count / 3)
      case "flipped": bytes[bytes.count * 2 / 3] ^= 0x10
      case "empty": bytes = []
      case "another": bytes = Array("perhaps a picture, and no table at all".utf8)
      case "link":
        try FileManager.default.moveItem(atPath: entry, toPath: entry + ".real")
        try FileManager.default.createSymbolicLink(
          atPath: entry, withDestinationPath: entry + ".real")
        continue
      case "writable":
        chmod(entry, 0o666)
        continue
      default: continue
      }
      try Data(bytes).write(to: URL(fileURLWithPath: entry))
    }
    if damage == "folder" { chmod(folder, 0o777) }
    let process = try process(cache())
    #expect(answers(try process.open(path: path, expectedBuildID: buildID)) == first)
    #expect(process.identifier != nil, "what was damaged was believed")
  }

  @Test func `no more is kept than there is room for, and what was not used goes first`() throws {
    let cache = cache(limit: 40_000)
    for index in 0..<8 {
      cache.write([UInt8](repeating: UInt8(index), count: 9_000), as: "entry\(index)")
      var times = [
        timespec(tv_sec: 1_000_000 + index, tv_nsec: 0),
        timespec(tv_sec: 1_000_000 + index, tv_nsec: 0),
      ]
      utimensat(AT_FDCWD, "\(folder)/entry\(index)", &times, 0)
    }
    // Used now.
    #expect(cache.read("entry0")?.bytes.count == 9_000 + CacheFolder.head)
    cache.trim()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(left == ["entry0", "entry6", "entry7"])
    // Larger than a quarter of the whole is not kept at all.
    cache.write([UInt8](repeating: 1, count: 20_000), as: "large")
    #expect(cache.read("large") == nil)
  }

  @Test func `it is where the XDG directories say`() {
    func path(_ environment: [String: String]) -> String? {
      CacheFolder.standard("lull") { environment[$0] }?.path
    }
    #expect(path(["HOME": "/home/alice"]) == "/home/alice/.cache/lull")
    #expect(path(["HOME": "/home/alice", "XDG_CACHE_HOME": "/var/c"]) == "/var/c/lull")
    #expect(path(["HOME": "/home/alice", "XDG_CACHE_HOME": "c"]) == "/home/alice/.cache/lull")
    #expect(path([:]) == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "wants root"))
  func `under sudo it is the calling user's, and no link of his leads elsewhere`() throws {
    let nobody = try #require(getpwnam("nobody")).pointee
    let base = "/tmp/lull-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: base) }
    chown(base, nobody.pw_uid, nobody.pw_gid)
    let environment = [
      "SUDO_UID": "\(nobody.pw_uid)", "SUDO_GID": "\(nobody.pw_gid)", "HOME": "/root",
      "XDG_CACHE_HOME": base,
    ]
    let cache = try #require(CacheFolder.standard("lull") { environment[$0] })
    cache.write([1, 2, 3], as: "entry")
    var status = stat()
    #expect(stat("\(base)/lull/entry", &status) == 0)
    #expect(status.st_uid == nobody.pw_uid && status.st_mode & 0o777 == 0o600)
    #expect(cache.read("entry").map { Array($0.bytes.suffix(3)) } == [1, 2, 3])
    // Root's file, which the user linked to, and one that root put into the user's folder.
    try Data([9]).write(to: URL(fileURLWithPath: "\(base)/lull/planted"))
    #expect(cache.read("planted") == nil)
    let secret = "\(TestProgram.directory)/roots-own-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: secret, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try FileManager.default.removeItem(atPath: "\(base)/lull")
    try FileManager.default.createSymbolicLink(
      atPath: "\(base)/lull", withDestinationPath: secret)
    cache.write([4, 5, 6], as: "entry")
    #expect(try FileManager.default.contentsOfDirectory(atPath: secret) == [])
    // The thread is root's again.
    #expect(access("/root", W_OK) == 0)
    try Data([1]).write(to: URL(fileURLWithPath: "\(secret)/own"))
  }
}
