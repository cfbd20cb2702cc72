import Glibc
import PerfData
import Testing

@testable import Recording

/// What a thread that waits as its recording begins is told to wait in.
@Suite struct EarlierWaitsTests {
  private func records(
    from target: Target, afterwards: () -> Void
  ) throws -> [(time: UInt64, type: UInt32)] {
    let waits = try #require(
      EarlierWaits(of: [target.pid], nil, besidePrograms: true, stackBytes: 1024))
    let path = Scratch.path()
    defer { unlink(path) }
    let symbol = SyntheticEvent.kernelSymbol.attribute(ids: [1])
    let writer = try PerfDataWriter(
      path: path, attributes: [symbol] + waits.attributes, features: WrittenFeatures())
    let sink = TraceSink(writer: writer, synthetic: [symbol])
    waits.eventsAreOn(at: 1_000)
    afterwards()
    waits.start(at: 1_000)
    try waits.collect(Round(now: SystemInfo.monotonicNanoseconds(), sink: sink))
    try sink.flushWhole()
    try writer.finish(features: WrittenFeatures())
    let file = try PerfDataFile(path: path)
    return file.orderedRecords().map { ($0.time, $0.type) }
  }

  /// A process that reads from a pipe until that is closed.
  private final class Target {
    let pid: pid_t
    private let end: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      end = ends[1]
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      var child: pid_t = 0
      var words: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), nil]
      let result = posix_spawnp(&child, "cat", &actions, nil, &words, environ)
      for word in words { free(word) }
      posix_spawn_file_actions_destroy(&actions)
      close(ends[0])
      try #require(result == 0)
      pid = child
      while KernelFile.text("/proc/\(pid)/syscall")?.hasPrefix("\(Self.read) ") != true {
        usleep(1000)
      }
    }

    #if arch(arm64)
      private static let read = 63
    #else
      private static let read = 0
    #endif

    func finish() {
      close(end)
      waitpid(pid, nil, 0)
    }
  }

  @Test func `a wait that ends before anything is collected was one until then`() throws {
    let target = try Target()
    let records = try records(from: target) { target.finish() }
    #expect(records.contains { $0.type == RecordType.contextSwitch && $0.time == 1_000 })
    #expect(records.contains { $0.type == RecordType.sample && $0.time == 1_000 })
  }
}
