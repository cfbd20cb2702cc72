import Glibc
import PerfData
import Quantities
import TestSupport
import Testing

@testable import Recording

/// What is known of files is forgotten when very many others came.
@Suite(.serialized) struct LimitTests {
  /// More than twice as many as any of these tables is to know.
  private static let many = 20_000

  @Test func `a file that a process mapped long ago is looked at again`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let (library, other) = (folder.path + "/library", folder.path + "/other")
    for path in [library, other] { close(creat(path, 0o600)) }
    var names = try #require(LibraryNames(of: library))
    func isLibrary(_ path: String) -> Bool { names.contain(path) }
    #expect(isLibrary(library) && !isLibrary(other))
    unlink(other)
    try #require(link(library, other) == 0)
    #expect(!isLibrary(other))
    for number in 0..<Self.many { #expect(!isLibrary("\(folder.path)/\(number)")) }
    #expect(isLibrary(other))
  }

  @Test func `the build ids of the files are known that were mapped last`() throws {
    let target = try WaitingTarget()
    let path = Scratch.path()
    defer {
      kill(target.pid, SIGKILL)
      target.finish()
      unlink(path)
    }
    let options = RecordingOptions(target: .pid(target.pid), outputPath: path)
    let folder = try PreloadFolder(options)
    defer { folder.remove() }
    let preload = PreloadSource(
      folder: folder, door: nil, options: options,
      processes: ProcessBook(
        root: target.pid, interval: TimeSpan(seconds: 1), programs: .events),
      root: target.pid, own: [])
    let events = EventSet(specs: [], cpus: [])
    let subject = RecordingSubject.process(
      try AttachedProcess(pid: target.pid, takesChildren: false))
    let outside = OutsideSource(of: subject, options, beside: events)
    let drain = RingDrain(
      events: events, governor: RateGovernor(events: events, transfers: nil, subject: subject))
    for number in 0..<Self.many {
      preload.buildIDs["/\(number)"] = [1]
      outside.buildIDs["/\(number)"] = [1]
      drain.know([
        MmapRecord(
          pid: 1, tid: 1, start: 0, length: 1, fileOffset: 0, path: "/\(number)", buildID: [1])
      ])
    }
    for table in [preload.buildIDs, outside.buildIDs, drain.buildIDs] {
      #expect(table["/0"] == nil && table["/\(Self.many - 1)"] == [1])
    }
  }

  // MARK: - Marks

  /// A library that has one of the functions of marks.
  private func library(in folder: String) throws -> String {
    let source = folder + "/mark.c"
    let text = Array("void lull_mark(const char *name) { (void)name; }\n".utf8)
    let file = creat(source, 0o600)
    try #require(write(file, text, text.count) == text.count)
    close(file)
    let path = folder + "/mark.so"
    try #require(Scratch.run("cc", "-shared", "-fPIC", "-o", path, source) == 0)
    return path
  }

  @Test(.enabled(if: geteuid() == 0, "only root defines probes"))
  func `no more files than descriptors allow have probes at their marks`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let library = try library(in: folder.path)
    let files = try (0..<65).map { number in
      let path = "\(folder.path)/\(number).so"
      try #require(link(library, path) == 0)
      return path
    }
    func problems(_ count: Int) throws -> [String] {
      MarkProbes(tracefs: try .locate(), cpus: [], files: Set(files.prefix(count))) { _ in true }
        .unavailable.map(\.reason)
    }
    #expect(try problems(64) == [])
    #expect(try problems(65) == ["those of more than 64 programs are not recorded"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root defines probes"))
  func `a file that was mapped long ago is looked through for marks again`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let library = try library(in: folder.path)
    let (sink, _, path) = try Scratch.sink()
    defer { unlink(path) }
    let round = Round(now: 1, sink: sink)
    let probes = MarkProbes(tracefs: try .locate(), cpus: [], files: []) { _ in true }
    func map(_ path: String) throws -> Bool {
      try probes.observe(.fileMapped(pid: 1, path: path, inode: nil, time: 1), round)
      let probed = Mirror(reflecting: probes).descendant("probed") as? Set<String>
      return try #require(probed).contains(path)
    }
    let late = folder.path + "/late.so"
    #expect(try !map(late))
    try #require(link(library, late) == 0)
    #expect(try !map(late))
    for number in 0..<Self.many { #expect(try !map("\(folder.path)/\(number)")) }
    #expect(try map(late))
  }
}
