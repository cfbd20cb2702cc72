import Glibc
import TestSupport
import Testing

@testable import Recording

@Suite(.serialized) struct HeldFilesTests {
  @Test func `files that are gone are kept open, as many as there is room for`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let held = HeldFiles()
    let paths = (0..<600).map { "\(folder.path)/\($0)" }
    for path in paths {
      close(creat(path, 0o600))
      // However often it is mapped.
      for _ in 0..<2 { held.consider(path, of: getpid()) }
    }
    // What is at its path need not be looked for elsewhere.
    #expect(held.paths.isEmpty)
    folder.remove()
    // A descriptor for each, of the 1,024 that a process commonly has (RLIMIT_NOFILE).
    #expect(Set(held.paths.keys) == Set(paths.prefix(512)))
    #expect(held.paths.values.allSatisfy { $0.count == 1 })
  }
}
