import Foundation
import Glibc
import PerfData
import Testing

@testable import Recording

/// A process that the test started and ends.
final class Bystander {
  let pid: Int32
  private let input: Int32
  private let output: Int32

  /// Starts a program whose standard input and output are pipes.
  init?(_ arguments: [String]) {
    var forward: [Int32] = [0, 0]
    var backward: [Int32] = [0, 0]
    guard pipe(&forward) == 0, pipe(&backward) == 0 else { return nil }
    for end in forward + backward { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, forward[0], 0)
    posix_spawn_file_actions_adddup2(&actions, backward[1], 1)
    // A group of its own, so that what it starts can be ended with it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    posix_spawnattr_setpgroup(&attributes, 0)
    // The pool's threads, on which tests run, block signals, and a program inherits that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    copies.append(nil)
    defer { for copy in copies { free(copy) } }
    var child: pid_t = 0
    let failed = posix_spawnp(&child, arguments[0], &actions, &attributes, copies, environ)
    close(forward[0])
    close(backward[1])
    guard failed == 0 else { return nil }
    pid = child
    input = forward[1]
    output = backward[0]
  }

  /// Waits until the program has written a line.
  func line() -> String {
    var text = ""
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != 10 { text.append(Character(UnicodeScalar(byte))) }
    return text
  }

  /// A program that bears a recorder's name, as the kernel sees it.
  static func namedLull() -> Bystander? {
    let text = "open('/proc/self/comm', 'w').write('lull'); print(1, flush=True); input()"
    let child = Bystander(["python3", "-c", text])
    _ = child?.line()
    return child
  }

  /// Sends a line.
  func send(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(input, bytes, bytes.count)
  }

  /// Ends the program, and waits for it.
  func end() {
    kill(-pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    close(input)
    close(output)
  }
}

@Suite struct ProcTests {
  /// 40 MB that are really there, and a thread more.
  private static let hungry = """
    import os, sys, threading, time
    data = bytearray(b'x') * (40 << 20)
    threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()
    print('ready', flush=True)
    sys.stdin.readline()
    del data
    os.write(1, b'freed\\n')
    time.sleep(1000)
    """

  @Test func `a footprint is what the kernel says and follows allocation`() throws {
    let child = try #require(Bystander(["python3", "-c", Self.hungry]))
    defer { child.end() }
    #expect(child.line() == "ready")
    let sampler = try #require(FootprintSampler(pid: child.pid, proportionalEvery: 1))
    let before = try #require(sampler.sample())
    let status = try #require(KernelFile.text("/proc/\(child.pid)/status"))
    func kilobytes(_ name: String) -> UInt64? {
      for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
        return UInt64(line.split(whereSeparator: \.isWhitespace)[1])
      }
      return nil
    }
    #expect(before.anonymous == kilobytes("RssAnon").map { $0 * 1024 })
    #expect(before.file == kilobytes("RssFile").map { $0 * 1024 })
    #expect(before.resident == kilobytes("VmRSS").map { $0 * 1024 })
    #expect(before.peakResident == kilobytes("VmHWM").map { $0 * 1024 })
    #expect(before.anonymous + before.file + before.sharedMemory == before.resident)
    #expect(before.threadCount == 2)
    #expect(before.anonymous > 40 << 20)
    #expect(before.proportional > 40 << 20 && before.proportional <= before.resident)
    #expect(before.minorFaults > 10_000)
    #expect(before.readCalls > 0 && before.readChars > 0)
    child.send("free")
    #expect(child.line() == "freed")
    let after = try #require(sampler.sample())
    #expect(before.anonymous - after.anonymous >= 40 << 20)
    #expect(after.writtenChars - before.writtenChars == 6)
    #expect(after.writeCalls - before.writeCalls == 1)
    // The kernel's own figure wobbles by what its per-CPU counters hold back.
    #expect(after.peakResident + (1 << 20) >= before.peakResident)
  }

  // 64 MB in huge pages were no footprint at all.
  @Test func `huge pages are footprint, which the kernel counts in no resident size`() throws {
    let status = """
      VmHWM:\t    1392 kB
      VmRSS:\t    1392 kB
      RssAnon:\t      98 kB
      RssFile:\t    1294 kB
      RssShmem:\t       0 kB
      VmSwap:\t       4 kB
      HugetlbPages:\t   65536 kB

      """
    let sample = try #require(FootprintSample(status: Array(status.utf8)[...]))
    #expect(sample.huge == 65536 << 10)
    #expect(sample.footprint == (98 + 4 + 65536) << 10 && sample.resident == 1392 << 10)
  }

  @Test func `the footprint of a process that ended is nil`() throws {
    let child = try #require(Bystander(["sleep", "1000"]))
    let sampler = try #require(FootprintSampler(pid: child.pid))
    #expect(sampler.sample() != nil)
    kill(child.pid, SIGKILL)
    var information = siginfo_t()
    waitid(P_PID, id_t(child.pid), &information, WEXITED | WNOWAIT)
    // It only waits to be reaped: what it read and wrote is known still.
    #expect(sampler.sample() == nil)
    #expect(sampler.sampleAtEnd()?.readCalls ?? 0 > 0)
    #expect(!ProcessProbe.isTraceable(pid: child.pid))
    child.end()
    #expect(sampler.sample() == nil && sampler.sampleAtEnd() == nil)
    #expect(FootprintSampler(pid: child.pid) == nil)
    #expect(ProcessProbe.describe(pid: child.pid, kind: .attach) == nil)
    #expect(ProcessProbe.whyNotTraceable(pid: child.pid)?.kind == .noSuchProcess)
  }

  @Test func `a process's times grow as it computes`() throws {
    let child = try #require(
      Bystander(["python3", "-c", "print('go', flush=True)\nwhile True: pass"]))
    defer { child.end() }
    _ = child.line()
    let sampler = try #require(FootprintSampler(pid: child.pid))
    let before = try #require(sampler.sample())
    var clock: clockid_t = 0
    #expect(clock_getcpuclockid(child.pid, &clock) == 0)
    var start = timespec()
    var end = timespec()
    clock_gettime(clock, &start)
    usleep(500_000)
    clock_gettime(clock, &end)
    let after = try #require(sampler.sample())
    let truth =
      Double(end.tv_sec - start.tv_sec) * 1e9 + Double(end.tv_nsec - start.tv_nsec)
    let used =
      Double(after.userTimeNs + after.systemTimeNs)
      - Double(before.userTimeNs + before.systemTimeNs)
    // Clock ticks are 10 ms, of which each end may lose one in each of two figures.
    #expect(abs(used - truth) < 45e6, "\(used) against \(truth)")
  }

  @Test func `a process is described with its threads and its parent`() throws {
    let before = SystemInfo.monotonicNanoseconds()
    let child = try #require(Bystander(["python3", "-c", Self.hungry, "an argument", ""]))
    let after = SystemInfo.monotonicNanoseconds()
    defer { child.end() }
    _ = child.line()
    // A tick is 10 ms, and the start is told in whole ones.
    let began = try #require(ProcessProbe.began(pid: child.pid))
    #expect(began &+ 10_000_000 >= before && began <= after, "\(began): \(before) to \(after)")
    let event = try #require(ProcessProbe.describe(pid: child.pid, kind: .attach))
    #expect(event.pid == Int(child.pid) && event.parentPid == Int(getpid()))
    #expect(event.commandLine.count == 5 && event.commandLine.suffix(2) == ["an argument", ""])
    #expect(event.executable.contains("python"))
    #expect(event.isSwift == false)
    #expect(event.threads?.count == 2)
    #expect(event.threads?.first?.tid == Int(child.pid))
    #expect(event.threads?.first?.name.hasPrefix("python") == true)
    #expect(ProcessProbe.children(of: getpid()).contains(child.pid))
    #expect(ProcessProbe.isTraceable(pid: child.pid))
    #expect(ProcessProbe.startTime(pid: child.pid) ?? 0 > 0)
  }

  @Test func `a shell's grandchild is its descendant`() throws {
    let child = try #require(
      Bystander(["sh", "-c", "sh -c 'sleep 1000 & echo $!; wait' & wait"]))
    let grandchild = try #require(Int32(child.line()))
    defer { child.end() }
    let found = ProcessProbe.children(of: child.pid)
    #expect(found.count == 2 && found.last == grandchild)
  }

  @Test func `this test is Swift, and the kernel's threads are told`() {
    #expect(ProcessProbe.isSwift(pid: getpid()) == true)
    #expect(ElfFile(path: "/proc/self/exe")?.hasSwiftMetadata != nil)
    #expect(!ProcessProbe.isKernelThread(pid: getpid()))
    if let name = ProcessStatistics(pid: 2)?.name, name == "kthreadd" {
      #expect(ProcessProbe.isKernelThread(pid: 2))
      #expect(ProcessProbe.whyNotTraceable(pid: 2)?.kind == .kernelThread)
      #expect(ProcessProbe.executable(pid: 2) == nil)
    }
  }

  @Test func `a process name may hold parentheses and blanks`() throws {
    let line =
      "42 (a) S (b) c) R 7 42 42 0 -1 4194304 101 0 5 0 11 12 0 0 20 0 3 0 9988 1 2 3\n"
    let found = try #require(ProcessStatistics(parsing: Array(line.utf8)[...]))
    #expect(found.name == "a) S (b) c" && found.state == "R" && found.parentPid == 7)
    #expect(found.minorFaults == 101 && found.majorFaults == 5)
    #expect(found.userTicks == 11 && found.systemTicks == 12)
    #expect(found.threads == 3 && found.startTicks == 9988)
    for length in [0, 2, 10, 20, 40] {
      #expect(ProcessStatistics(parsing: Array(line.utf8.prefix(length))[...]) == nil)
    }
  }

  @Test func `the system's description is that of uname and the clocks run together`() {
    let features = SystemInfo.features()
    var names = utsname()
    uname(&names)
    let release = withUnsafeBytes(of: names.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    #expect(features.osRelease == release)
    #expect(features.hostname?.isEmpty == false && features.architecture?.isEmpty == false)
    #expect(features.cpusOnline == SystemInfo.onlineCPUs().count)
    let pages = UInt64(sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    #expect(features.totalMemoryBytes == pages)
    let other = SystemInfo.clockPair()
    if let first = features.clockData {
      let drift =
        Int64(other.wallNanoseconds - first.wallNanoseconds)
        - Int64(other.clockNanoseconds - first.clockNanoseconds)
      #expect(abs(drift) < 1_000_000)
    }
    #expect(SystemInfo.cpuList("0-2,8\n") == [0, 1, 2, 8])
    #expect(SystemInfo.cpuList("7-3,x,-,99999999").isEmpty)
  }

  @Test func `a damaged program gives fewer answers and ends nothing`() throws {
    let path = try #require(UprobeSet.libraryCandidates(pid: getpid()).first)
    let sound = try #require(OwnedDescriptor(opening: path)?.readToEnd())
    let seed = UInt64.random(in: 0...UInt64.max)
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(bound, 1)
    }
    let sections = sound.withUnsafeBytes {
      Int($0.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
    }
    let damaged = FileManager.default.temporaryDirectory
      .appendingPathComponent("lull-damaged-\(getpid()).so").path
    defer { unlink(damaged) }
    for round in 0..<60 {
      var bytes = sound
      for _ in 0..<1 + next(20) {
        // Headers, which everything hangs on, twice as often as the rest.
        let place = [next(64), sections + next(bytes.count - sections), next(bytes.count)][next(3)]
        bytes[min(place, bytes.count - 1)] = [0, 0xff, 0x80, UInt8(next(256))][next(4)]
      }
      if round % 3 == 0 { bytes.removeLast(next(bytes.count)) }
      try Data(bytes).write(to: URL(fileURLWithPath: damaged))
      let file = ElfFile(path: damaged)
      let found = file?.functions(named: ["open64", "rename"]) ?? [:]
      #expect(found.count <= 2, "seed \(seed)")
      _ = file?.hasSwiftMetadata
    }
  }

  @Test func `files that are no programs are refused quietly`() {
    #expect(ElfFile(path: "/proc/self/maps") == nil)
    #expect(ElfFile(path: "/dev/null") == nil)
    #expect(ElfFile(path: "/") == nil)
    #expect(ElfFile(path: "/nowhere") == nil)
  }
}
