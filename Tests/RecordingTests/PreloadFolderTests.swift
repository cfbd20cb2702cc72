import Glibc
import PerfData
import Quantities
import Testing

@testable import Recording

/// What is told of the processes that a recording from within has.
@Suite struct PreloadFolderTests {
  @Test func `a folder that cannot be listed is told of, and nothing in it is new again`() throws {
    let options = RecordingOptions(target: .command(["x"]), outputPath: "/tmp/x")
    let folder = try PreloadFolder(options)
    defer { folder.remove() }
    let book = ProcessBook(root: 1, interval: TimeSpan(seconds: 1), programs: .events)
    let source = PreloadSource(
      folder: folder, door: nil, options: options, processes: book, root: 1, own: [])
    func isTold() -> Bool {
      source.unavailable.contains { $0.reason.contains("cannot list \(folder.path): ") }
    }
    close(creat("\(folder.path)/7-70", 0o600))
    #expect(folder.newSegments() == ["\(folder.path)/7-70"])
    #expect(!isTold() && source.nextDue(now: 0) == .max)
    let elsewhere = folder.path + "-away"
    try #require(rename(folder.path, elsewhere) == 0)
    close(creat("\(elsewhere)/8-80", 0o600))
    #expect(folder.newSegments() == [])
    // It is looked at again though nothing tells to.
    #expect(isTold() && source.nextDue(now: 0) < .max)
    try #require(rename(elsewhere, folder.path) == 0)
    #expect(folder.newSegments() == ["\(folder.path)/8-80"])
    #expect(!isTold())
  }
}
