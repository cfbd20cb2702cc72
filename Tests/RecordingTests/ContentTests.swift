import Glibc
import Testing

@testable import Recording

struct ContentTests {
  @Test func `changed blocks are counted with their bytes`() {
    let old = [UInt8](repeating: 1, count: 3 * 4096 + 100)
    var new = old
    new[4096] = 2
    new[3 * 4096 + 99] = 2
    let before = BlockHashes(old)
    #expect(BlockHashes(old) == before)
    #expect(BlockHashes(new) != before)
    #expect(BlockHashes(new).changedBytes(since: before) == 4096 + 100)
    #expect(BlockHashes(Array(old.dropLast(100))).changedBytes(since: before) == 0)
    #expect(BlockHashes(Array(old.dropLast(100))) != before)
    #expect(BlockHashes(old + [1]).changedBytes(since: before) == 101)
  }

  @Test(arguments: [0, 1, 4096, 100_000])
  func `a file is read as far as it was when it was looked at, or not at all`(_ bytes: Int) throws {
    let path = Scratch.path("content")
    let file = OwnedDescriptor(open(path, O_RDWR | O_CREAT, 0o600))
    defer { unlink(path) }
    let content = (0..<bytes + 50).map { UInt8(truncatingIfNeeded: $0) }
    var buffer = [UInt8](repeating: 0, count: BlockHashes.blockBytes * 2)
    func read() -> BlockHashes? { BlockHashes(of: file, bytes: bytes, buffer: &buffer) }
    // Cut short since.
    try #require(pwrite(file.number, content, max(0, bytes - 1), 0) == max(0, bytes - 1))
    #expect(read() == (bytes == 0 ? BlockHashes([]) : nil))
    // Appended to since.
    try #require(pwrite(file.number, content, bytes + 50, 0) == bytes + 50)
    #expect(read() == BlockHashes(Array(content.prefix(bytes))))
  }

  @Test func `a hash tells blocks that differ in one bit`() {
    var seen: Set<[UInt64]> = []
    for bit in 0..<800 {
      var block = [UInt8](repeating: 0, count: 100)
      block[bit / 8] = 1 << UInt8(bit % 8)
      seen.insert(BlockHashes(block).values)
    }
    #expect(seen.count == 800)
  }

  @Test func `a frozen group is told in either version's words`() {
    let mounts = """
      cgroup /sys/fs/cgroup/freezer cgroup rw,freezer 0 0
      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
      """
    #expect(
      FreezeWatch.files(cgroups: "6:freezer:/box\n0::/own/group\n", mounts: mounts) == [
        "/sys/fs/cgroup/freezer/box/freezer.state",
        "/sys/fs/cgroup/unified/own/group/cgroup.events",
      ])
    #expect(FreezeWatch.files(cgroups: "6:freezer:/\n0::/\n", mounts: mounts).isEmpty)
    #expect(FreezeWatch.isFrozen("populated 1\nfrozen 1\n"))
    #expect(!FreezeWatch.isFrozen("populated 1\nfrozen 0\n"))
    #expect(FreezeWatch.isFrozen("FROZEN\n") && !FreezeWatch.isFrozen("FREEZING\n"))
  }
}
