import Glibc
import TestSupport
import Testing

@testable import Files

struct FolderTests {
  @Test func `a folder's names are all there, the longest and the hidden too`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    // The longest name that a file may have (NAME_MAX).
    let names = ["a", ".hidden", String(repeating: "n", count: 255)]
    for name in names { close(creat("\(folder.path)/\(name)", 0o600)) }
    mkdir("\(folder.path)/within", 0o700)
    #expect(Folder.names(in: folder.path)?.sorted() == (names + ["within"]).sorted())
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    for _ in 0..<2 {
      #expect(Folder.names(in: descriptor)?.sorted() == (names + ["within"]).sorted())
    }
    // What holds a folder stays.
    Folder.remove(folder.path)
    #expect(Folder.names(in: folder.path) == ["within"])
    rmdir("\(folder.path)/within")
  }

  @Test func `what is no folder has no names`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    #expect(Folder.names(in: folder.path + "/missing") == nil && errno == ENOENT)
    close(creat(folder.path + "/file", 0o600))
    #expect(Folder.names(in: folder.path + "/file") == nil && errno == ENOTDIR)
    #expect(Folder.names(in: -2) == nil && errno == EBADF)
  }
}
