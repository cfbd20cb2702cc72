import Foundation
import TestSupport
import Testing

@testable import TraceModel

/// Waits for the kernel's locks, against perf's own figures of the same recording. `perf record --off-cpu` takes a perf
/// that was built with BPF, which Debian's is not; what it writes is built by hand in `StockSampleTests`.
@Suite(.enabled(if: PerfRun.canRecordLocks, "perf cannot record locks here"))
struct PerfLockTests {
  /// Threads that change the mappings of one process wait for each other.
  private static let source = """
    #include <pthread.h>
    #include <sys/mman.h>
    static void *maps(void *unused) {
      for (int i = 0; i < 4000; i++) {
        char *page = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        page[0] = 1;
        munmap(page, 65536);
      }
      return unused;
    }
    int main(void) {
      pthread_t threads[4];
      for (int i = 0; i < 4; i++) pthread_create(threads + i, 0, maps, 0);
      for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
      return 0;
    }
    """

  /// Times and how often, of a table's lines such as `16  80.72 ms  14.73 ms  5.04 ms  rwsem:W  munmap+0x17`.
  private static func waits(in table: String) -> (count: Int, seconds: Double) {
    let units = ["s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9]
    var sum = (count: 0, seconds: 0.0)
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 8, let count = Int(words[0]), let time = Double(words[1]),
        let unit = units[String(words[2])], words[7] != "spinlock"
      else { continue }
      sum.count += count
      sum.seconds += Double(time) * unit
    }
    return sum
  }

  @Test func `waits for locks are those that perf lock contention tells`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let (source, program) = (directory.path + "/maps.c", directory.path + "/maps")
    try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
    try #require(PerfRun.run("clang -O1 -pthread \(source) -o \(program)").status == 0)
    let path = directory.path + "/t"
    try #require(PerfRun.run("perf lock record -q -o \(path) -- \(program)").status == 0)
    // What it says goes to the pager's place, and errors beside it.
    let table = PerfRun.run("perf lock contention -i \(path) 2>&1")
    let theirs = Self.waits(in: table.text)
    try #require(theirs.count > 0, "\(table.text)")
    let trace = try Trace.load(path: path)
    let ours = trace.blockedSamples
    #expect(ours.allSatisfy { $0.cause == .lock })
    #expect(abs(ours.count - theirs.count) <= 1, "\(ours.count): \(table.text)")
    let seconds = ours.reduce(0) { $0 + $1.length.seconds }
    #expect(abs(seconds - theirs.seconds) <= 0.01 * theirs.seconds, "\(seconds): \(table.text)")
  }
}
