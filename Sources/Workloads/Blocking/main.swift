import Foundation

// A program that blocks its main thread in each of fourteen ways, and prints when.
//
// `lull-workload-blocking DIRECTORY [ROUNDS]` prints a line of JSON: the spans of CLOCK_MONOTONIC of each way.

/// Nanoseconds of CLOCK_MONOTONIC.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Goes through the ways and gives the spans, as JSON.
@inline(never) func runWays(_ directory: String, _ rounds: Int) throws -> String {
  var spans: [String] = []
  var failures = 0
  for (name, block) in try Ways.prepare(Partner(directory)) {
    // The first time loads code and starts threads.
    if block() < 1 { failures += 1 }
    let start = monotonicNow()
    for _ in 0..<rounds where block() < 1 { failures += 1 }
    spans.append("{\"way\":\"\(name)\",\"startNs\":\(start),\"endNs\":\(monotonicNow())}")
  }
  return "{\"failures\":\(failures),\"spans\":[\(spans.joined(separator: ","))]}"
}

signal(SIGPIPE, SIG_IGN)
let words = CommandLine.arguments
guard words.count > 1 else {
  FileHandle.standardError.write(Data("usage: lull-workload-blocking DIRECTORY [ROUNDS]\n".utf8))
  exit(64)
}
print(try runWays(words[1], words.count > 2 ? Int(words[2]) ?? 20 : 20))
exit(0)
