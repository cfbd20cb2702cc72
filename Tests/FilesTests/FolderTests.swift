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
    #expect(try Folder.names(in: folder.path).sorted() == (names + ["within"]).sorted())
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    for _ in 0..<2 {
      let found = try Folder.names(in: descriptor, of: folder.path)
      #expect(found.sorted() == (names + ["within"]).sorted())
    }
    // What holds a folder stays.
    Folder.remove(folder.path)
    #expect(try Folder.names(in: folder.path) == ["within"])
    rmdir("\(folder.path)/within")
  }

  @Test func `what is no folder has no names`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    close(creat(folder.path + "/file", 0o600))
    for (name, code) in [("missing", ENOENT), ("file", ENOTDIR)] {
      let path = "\(folder.path)/\(name)"
      let error = #expect(throws: FolderError.self) { try Folder.names(in: path) }
      #expect(error?.code == code && error?.path == path)
      #expect(try Folder.names(inAny: path) == nil)
    }
    let error = #expect(throws: FolderError.self) { try Folder.names(in: -2, of: "closed") }
    #expect(error?.code == EBADF && error?.path == "closed")
  }

  @Test func `an error in the midst of a list is no end of it`() throws {
    var entry = dirent()
    withUnsafeMutableBytes(of: &entry.d_name) { $0.copyBytes(from: "a\0".utf8) }
    var asked = 0
    let error = #expect(throws: FolderError.self) {
      try withUnsafeMutablePointer(to: &entry) { entry in
        try Folder.names(of: "/some") {
          asked += 1
          guard asked > 1 else { return entry }
          errno = EIO
          return nil
        }
      }
    }
    #expect(error?.code == EIO && asked == 2)
    #expect(error?.description.hasPrefix("cannot list /some: ") == true)
  }

  @Test func `an error of before is none of the list's`() throws {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    errno = EIO
    #expect(try Folder.names(in: folder.path) == [])
  }
}
