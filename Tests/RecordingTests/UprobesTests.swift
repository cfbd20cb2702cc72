import Glibc
import PerfData
import Testing

@testable import Recording

@Suite(.serialized) struct UprobesTests {
  @Test func `first instructions are told as the kernel treats them`() {
    #expect(ProbedInstruction(x86: [0x55, 0x48]) == .push)
    #expect(ProbedInstruction(x86: [0x41, 0x57]) == .push)
    #expect(ProbedInstruction(x86: [0x0f, 0x1f, 0x44, 0, 0]) == .nop)
    #expect(ProbedInstruction(x86: [0xe9, 1, 2, 3, 4]) == .branch)
    #expect(ProbedInstruction(x86: [0x41, 0x89, 0xd2]) == .other)
    #expect(ProbedInstruction(x86: [0x48, 0x83, 0xec, 8]) == .other)
    #expect(ProbedInstruction(x86: []) == .other)
    #expect(ProbedInstruction(x86: [0x41]) == .other)
  }

  @Test func `a probe goes behind endbr64`() {
    #if arch(x86_64)
      let site = ProbeSite(
        ElfFile.Function(fileOffset: 0x1000, code: [0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48]))
      #expect(site.fileOffset == 0x1004 && site.instruction == .push)
    #endif
  }

  @Test func `functions are where the loader puts them`() throws {
    let path = try #require(UprobeSet.libraryCandidates(pid: getpid()).first)
    let file = try #require(ElfFile(path: path))
    let found = file.functions(named: ["open64", "rename", "no_such_function"])
    #expect(Set(found.keys) == ["open64", "rename"])
    let handle = dlopen(nil, RTLD_NOW)
    for (name, function) in found {
      let address = try #require(dlsym(handle, name))
      let code = [UInt8](UnsafeRawBufferPointer(start: address, count: 16))
      // A probe that another recorder has put there replaces the first byte.
      #expect(function.code.dropFirst() == code.dropFirst(), "\(name)")
    }
  }

  @Test(arguments: [
    ["swift", "test"], ["/usr/bin/swift", "test", "--no-parallel"], ["swift-test"],
    ["env", "A=b", "swift", "test"], ["sh", "-c", "cd x && swift test --filter Y"],
    [".build/debug/xPackageTests.xctest"],
    ["/x/swiftpm-testing-helper", "--test-bundle-path", "y"],
  ])
  func `commands that run tests are known`(command: [String]) {
    #expect(TestHost.isStarted(by: command))
  }

  @Test(arguments: [
    ["swift", "run", "tool"], ["test", "-f", "swift"], ["./my-test"], ["swiftc", "test"], [],
    ["sh", "-c", "test -d swift"],
  ])
  func `others are not`(command: [String]) { #expect(!TestHost.isStarted(by: command)) }

  @Test func `groups are told from the text of definitions`() {
    let text = """
      p:lull_12/open64 /lib/libc.so.6:0x00000000000f7fc0 path=+0(%di):ustring
      r:lull_12/open64_ret /lib/libc.so.6:0x00000000000f7fc0 fd=$retval:s32
      p:probe_libc/malloc /lib/libc.so.6:0x1
      p:lull_x/foo /lib/libc.so.6:0x1
      p:lull_7/rename /odd:name:0x1
      p:lull_4026531836_7r2/rename /lib/libc.so.6:0x1
      p:lull_7rx/rename /lib/libc.so.6:0x1

      nonsense
      """
    #expect(UprobeSet.groups(in: text) == ["lull_12", "lull_7", "lull_4026531836_7r2"])
  }

  // What takes back the probes of one recording may be at work while the next one of the same process is made.
  @Test func `each recording of a process has a group of its own`() {
    let (one, other) = (UprobeSet.newGroup(of: getpid()), UprobeSet.newGroup(of: getpid()))
    #expect(one != other && UprobeSet.groups(in: "p:\(other)/a /b:0x1") == [other])
  }

  @Test(.enabled(if: geteuid() == 0))
  func `probes are defined, understood and removed again`() throws {
    let files = try TraceFS.locate()
    guard files.isWritable("uprobe_events") else { return }
    // A tag that another recorder on this machine takes for one at work.
    let recorder = try #require(Bystander.namedLull())
    defer { recorder.end() }
    let tag = recorder.pid
    func own() throws -> [String] {
      try files.read("uprobe_events").split(separator: "\n").map(String.init)
        .filter { $0.contains("lull_\(tag)/") }
    }
    #expect(try own().isEmpty)
    let libraries = UprobeSet.libraryCandidates(pid: getpid())
    let set = try UprobeSet.install(
      tracefs: files, libraries: libraries + libraries + ["/nowhere"], tag: tag)
    #expect(try own().count == set.probes.count)
    let names = set.probes.map(\.name)
    for name in ["open64", "open64_ret", "rename", "renameat2", "unlink"] {
      #expect(names.contains(name), "\(name)")
    }
    #expect(set.unavailable.contains { $0.name == "/nowhere" })
    let open = try #require(set.probes.first { $0.name == "open64" })
    let format = try #require(TracepointFormat(parsing: open.format, system: open.system))
    #expect(open.system == "lull_\(tag)" && format.id == Int(open.id))
    #expect(format.field("path")?.isDynamic == true && format.field("flags")?.size == 4)
    #expect(set.remove().isEmpty)
    #expect(try own().isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `what a killed recorder left is removed, and a living one's is kept`() throws {
    let files = try TraceFS.locate()
    guard files.isWritable("uprobe_events") else { return }
    let library = UprobeSet.libraryCandidates(pid: getpid())
    let dead = try UprobeSet.install(tracefs: files, libraries: library, tag: 4_194_306)
    let recorder = try #require(Bystander.namedLull())
    defer { recorder.end() }
    let living = try UprobeSet.install(tracefs: files, libraries: library, tag: recorder.pid)
    UprobeSet.removeStale(tracefs: files)
    let text = try files.read("uprobe_events")
    #expect(!text.contains("lull_4194306/"))
    #expect(text.contains("lull_\(recorder.pid)/open64 "))
    #expect(dead.remove().isEmpty && living.remove().isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a probe that is ended is out of the program, also of one that keeps it over an exec`()
    throws
  {
    let files = try TraceFS.locate()
    guard files.isWritable("uprobe_events") else { return }
    // The recorder, which keeps a probe in itself, is this process.
    let target = try #require(Bystander.namedLull())
    defer { target.end() }
    let set = try UprobeSet.install(
      tracefs: files, libraries: UprobeSet.libraryCandidates(pid: getpid()), tag: target.pid)
    defer { _ = set.remove() }
    // The target's own code, in which the kernel puts breakpoints.
    let start = try #require(Self.address(of: "unlinkat", in: target.pid))
    let memory = open("/proc/\(target.pid)/mem", O_RDONLY | O_CLOEXEC)
    defer { close(memory) }
    func code() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 16)
      return pread(memory, &bytes, 16, off_t(start)) == 16 ? bytes : []
    }
    // What takes back the probes of an earlier recording may be at work still: INT3 is theirs.
    let earliest = ContinuousClock.now + .seconds(20)
    while code().first == 0xCC, ContinuousClock.now < earliest { usleep(50_000) }
    let before = code()
    #expect(before.count == 16)
    let probe = try #require(set.probes.first { $0.name == "unlinkat" })
    // As in a recording another event is opened before, whose ring holds it as long as it is mapped.
    let events = EventSet(
      specs: [.gate(.target), .gate(.target), EventSpec(probe)], cpus: SystemInfo.onlineCPUs())
    defer { events.close() }
    #expect(try events.openThread(target.pid))
    events.keepProbes(in: target.pid)
    #expect(code() != before)
    events.close([2])
    let end = ContinuousClock.now + .seconds(10)
    while code() != before, ContinuousClock.now < end { usleep(10_000) }
    #expect(code() == before)
    // With the recorder's own event the probe itself is gone.
    events.close()
    #expect(set.remove().isEmpty)
  }

  @Test func `no library is an error in words`() throws {
    guard let files = try? TraceFS.locate() else { return }
    let error = #expect(throws: RecordingError.self) {
      try UprobeSet.install(tracefs: files, libraries: ["/nowhere"], tag: 4_194_307)
    }
    #expect(error?.message.contains("/nowhere") == true)
  }

  /// Where a function of the C library lies in another process, which has the same library.
  private static func address(of function: String, in pid: Int32) -> UInt? {
    guard let own = dlsym(nil, function).map({ UInt(bitPattern: $0) }) else { return nil }
    let ours = mappings(of: getpid())
    guard let file = ours.last(where: { $0.start <= own })?.file,
      let base = ours.first(where: { $0.file == file })?.start,
      let theirs = mappings(of: pid).first(where: { $0.file == file })?.start
    else { return nil }
    return theirs + (own - base)
  }

  /// Where files are mapped in a process, in rising order.
  private static func mappings(of pid: Int32) -> [(start: UInt, file: Substring)] {
    let lines = (KernelFile.text("/proc/\(pid)/maps") ?? "").split(separator: "\n")
    return lines.compactMap { line in
      guard let file = line.firstIndex(of: "/").map({ line[$0...] }),
        let start = UInt(line.prefix { $0 != "-" }, radix: 16)
      else { return nil }
      return (start, file)
    }
  }
}
