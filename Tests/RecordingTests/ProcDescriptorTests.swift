import Glibc
import PerfData
import Testing

@testable import Recording

@Suite struct ProcDescriptorTests {
  private static let opener = """
    import os, socket, sys, tempfile
    folder = tempfile.mkdtemp(dir='/var/tmp')
    a = open(folder + '/plain file', 'w')
    b = open(folder + '/gone', 'w'); os.unlink(folder + '/gone')
    c = open(folder + '/odd (deleted)', 'w')
    d = socket.socket()
    e = os.pipe()
    f = open('/proc/self/status')
    g = os.memfd_create('scratch')
    h = open('/dev/null')
    m, s = os.openpty()
    j = os.open(folder, os.O_RDONLY)
    k = os.eventfd(0) if hasattr(os, 'eventfd') else os.dup(j)
    print(folder, a.fileno(), b.fileno(), c.fileno(), d.fileno(), e[0], f.fileno(), g,
          h.fileno(), s, j, k, flush=True)
    sys.stdin.readline()
    os.unlink(folder + '/plain file'); os.unlink(folder + '/odd (deleted)'); os.rmdir(folder)
    print('done', flush=True)
    sys.stdin.readline()
    """

  @Test func `a file without a name has the kernel's, also when it was given one`() {
    let name = "/var/tmp/#7430496 (deleted)"
    #expect(DescriptorTable.stripped(name, links: 0) == ("/var/tmp/#7430496", true))
    #expect(DescriptorTable.stripped(name, links: 1) == ("/var/tmp/#7430496", false))
    for other in ["/var/tmp/# (deleted)", "/var/tmp/#7b (deleted)", "/var/tmp/7 (deleted)"] {
      #expect(DescriptorTable.stripped(other, links: 1) == (other, false))
    }
  }

  @Test func `each sort of descriptor of a child is told with its path`() throws {
    let child = try #require(Bystander(["python3", "-c", Self.opener]))
    defer { child.end() }
    let words = child.line().split(separator: " ").map(String.init)
    try #require(words.count == 12)
    let folder = words[0]
    let numbers = words.dropFirst().compactMap { Int($0) }
    func resolve(_ index: Int) -> DescriptorEvent? {
      DescriptorTable.resolve(pid: child.pid, fd: numbers[index])
    }
    let plain = try #require(resolve(0))
    #expect(plain.path == folder + "/plain file" && plain.kind == .regular)
    #expect(plain.pid == Int(child.pid) && plain.fd == numbers[0])
    #expect((plain.flags ?? 0) & Int(O_ACCMODE) == Int(O_WRONLY))
    let gone = try #require(DescriptorTable.inspect(pid: child.pid, fd: numbers[1]))
    #expect(gone.path == folder + "/gone" && gone.isDeleted && gone.kind == .regular)
    let odd = try #require(DescriptorTable.inspect(pid: child.pid, fd: numbers[2]))
    #expect(odd.path == folder + "/odd (deleted)" && !odd.isDeleted)
    #expect(resolve(3)?.kind == .socket && resolve(3)?.path.hasPrefix("socket:[") == true)
    #expect(resolve(4)?.kind == .pipe)
    #expect(resolve(5)?.kind == .proc)
    #expect(resolve(6)?.kind == .tmpfs && resolve(6)?.path == "/memfd:scratch")
    #expect(resolve(7)?.kind == .device && resolve(7)?.path == "/dev/null")
    #expect(resolve(8)?.kind == .terminal)
    #expect(resolve(9)?.kind == .other && resolve(9)?.path == folder)
    #expect(resolve(10)?.kind == .other)
    #expect(DescriptorTable.path(pid: child.pid, directory: numbers[9]) == folder)
    #expect(DescriptorTable.resolve(pid: child.pid, fd: 9999) == nil)
    let all = DescriptorTable.all(pid: child.pid)
    #expect(Set(all.map(\.fd)).isSuperset(of: [0, 1, 2] + numbers))
    #expect(all.map(\.fd) == all.map(\.fd).sorted())
    child.send("clean")
    #expect(child.line() == "done")
    #expect(DescriptorTable.path(pid: child.pid, directory: numbers[9]) == folder)
  }

  @Test func `the working directory is that of the process`() throws {
    let child = try #require(
      Bystander(["sh", "-c", "cd /usr && echo here && sleep 1000"]))
    defer { child.end() }
    _ = child.line()
    #expect(DescriptorTable.path(pid: child.pid, directory: Int(AT_FDCWD)) == "/usr")
    #expect(DescriptorTable.path(pid: child.pid, directory: 0) == nil)
  }
}
