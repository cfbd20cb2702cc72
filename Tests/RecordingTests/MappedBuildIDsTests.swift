import Files
import Glibc
import Testing

@testable import Recording

/// Which file a mapping is of, when paths have since come to name others.
@Suite struct MappedBuildIDsTests {
  /// A file of this process, mapped as code.
  private final class Mapped {
    let path = Scratch.path("elf")
    let inode: UInt64
    private let start: UnsafeMutableRawPointer
    private let length = 4096

    init(copyOf program: String) throws {
      try #require(Scratch.run("cp", program, path) == 0)
      inode = try #require(FileIdentity(path)).inode
      let file = open(path, O_RDONLY)
      defer { close(file) }
      let mapped = mmap(nil, length, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0)
      start = try #require(mapped != MAP_FAILED ? mapped : nil)
    }

    deinit {
      munmap(start, length)
      unlink(path)
    }

    func buildID(by known: inout MappedBuildIDs) -> [UInt8]? {
      known.of(
        path, pid: getpid(), start: UInt64(UInt(bitPattern: start)), length: UInt64(length),
        inode: inode)
    }
  }

  private let first = "/usr/bin/true"
  private let second = "/usr/bin/ls"

  @Test(.enabled(if: geteuid() == 0, "only root may follow what a process has mapped"))
  func `a file that is removed or replaced is the one that was mapped`() throws {
    var known = MappedBuildIDs()
    let mapped = try Mapped(copyOf: first)
    let expected = try #require(BuildIDNote.read(first))
    #expect(mapped.buildID(by: &known) == expected)
    unlink(mapped.path)
    known = MappedBuildIDs()
    #expect(mapped.buildID(by: &known) == expected)
    try #require(Scratch.run("cp", second, mapped.path) == 0)
    #expect(mapped.buildID(by: &known) == expected)
  }

  @Test func `what a path names when the process is gone counts only if it is the same file`()
    throws
  {
    var known = MappedBuildIDs()
    let path = Scratch.path("elf")
    defer { unlink(path) }
    try #require(Scratch.run("cp", first, path) == 0)
    let inode = try #require(FileIdentity(path)).inode
    func buildID(_ inode: UInt64) -> [UInt8]? {
      // No process has this number: it is over the kernel's limit.
      known.of(path, pid: (1 << 22) + 1, start: 0x1000, length: 0x1000, inode: inode)
    }
    #expect(buildID(inode) == BuildIDNote.read(first))
    #expect(buildID(inode + 1) == nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a pipe in the place of a file is not waited for`() {
    let path = Scratch.path("pipe")
    defer { unlink(path) }
    #expect(mkfifo(path, 0o600) == 0)
    #expect(BuildIDNote.read(path) == nil)
  }

  @Test func `a file that is written over is another`() throws {
    var known = MappedBuildIDs()
    let mapped = try Mapped(copyOf: first)
    #expect(mapped.buildID(by: &known) == BuildIDNote.read(first))
    // `cp` keeps the inode.
    try #require(Scratch.run("cp", second, mapped.path) == 0)
    #expect(FileIdentity(mapped.path)?.inode == mapped.inode)
    #expect(mapped.buildID(by: &known) == BuildIDNote.read(second))
  }
}
