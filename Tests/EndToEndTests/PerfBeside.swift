import Foundation
import Testing

/// A system-wide `perf record` of wakeups beside a program.
enum PerfBeside {
  /// The wakeups of each thread that perf saw, after the thread's last exec.
  static func wakeups(
    running words: [String], scratch: Scratch
  ) throws -> (result: CommandResult, wakeups: [Int: Int]) {
    let data = scratch.file("beside.data")
    // perf looks for tracefs where it may not be mounted: mount it out of everybody's sight.
    let script = """
      { [ -e /sys/kernel/tracing/events ] || mount -t tracefs t /sys/kernel/tracing; } &&
      exec perf record -q -a -m 2048 -e sched:sched_wakeup,sched:sched_process_exec \
      -o "$0" -- "$@"
      """
    let result = try Command.run(["unshare", "-m", "sh", "-c", script, data] + words)
    try #require(result.status == 0, "perf record: \(result.errors)")
    let listing = try Command.run(["perf", "script", "-i", data, "-F", "event,trace"])
    var wakeups: [Int: Int] = [:]
    for line in listing.text.split(separator: "\n") {
      guard let pid = number(after: " pid=", in: line) else { continue }
      if line.contains("sched_process_exec") {
        wakeups[pid] = 0
      } else {
        wakeups[pid, default: 0] += 1
      }
    }
    return (result, wakeups)
  }

  private static func number(after key: String, in line: Substring) -> Int? {
    line.range(of: key).flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
  }

  static let needsClearCPU: Comment = "perf misses the wakes of this machine's idle CPUs"

  /// A CPU whose idle task perf can see.
  ///
  /// On some virtual machines the kernel traces nothing in the idle task of one CPU, so that perf itself
  /// misses most wakes there and is no measure of anything.
  static let clearCPU: Int? = {
    guard Machine.isRoot, Machine.hasPerf, Machine.tool("taskset") != nil else { return nil }
    return (0..<sysconf(Int32(_SC_NPROCESSORS_ONLN))).first { cpu in
      guard let scratch = try? Scratch() else { return false }
      let words = ["taskset", "-c", "\(cpu)", Machine.workload]
      let seen = try? wakeups(
        running: words + ["poller", "hz=100", "seconds=1", "main=0"], scratch: scratch)
      return (seen?.wakeups.values.contains { (98...102).contains($0) }) ?? false
    }
  }()
}
