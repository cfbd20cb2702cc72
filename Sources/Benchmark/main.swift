import PerfData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Makes traces of growing size, runs `lull report` and `perf sched timehist` on each in turn, and prints a table of medians.
//
//     swift run -c release lull-bench [LARGEST] [DIRECTORY]
//
// LARGEST is the number of records of the largest trace, 10000000 by default.

let largest = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000
let directory = CommandLine.arguments.dropFirst(2).first ?? "/tmp"
let lull =
  CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
  .joined(separator: "/") + "/lull"
let rounds = 5

func number(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((value * scale).rounded())
  guard digits > 0 else { return "\(whole)" }
  let rest = String(whole % Int(scale))
  return "\(whole / Int(scale))." + String(repeating: "0", count: digits - rest.count) + rest
}

/// Millions of records a second, read and put in order on one core.
func readingRate(_ path: String) throws -> Double {
  var rates: [Double] = []
  for _ in 0..<rounds {
    let start = ContinuousClock.now
    let file = try PerfDataFile(path: path)
    var count = 0
    file.forEachRound { count += $0.count }
    rates.append(Double(count) / ((ContinuousClock.now - start) / .seconds(1)) / 1e6)
  }
  return rates.median
}

print(
  "| records | MB | read and order, M/s | lull report, s | MB | perf sched timehist -s, s | MB | ratio |"
)
print("|---:|---:|---:|---:|---:|---:|---:|---:|")
var count = 100_000
while count <= largest {
  let path = "\(directory)/lull-bench-\(getpid())-\(count).perf.data"
  defer { unlink(path) }
  try SyntheticSchedule().write(to: path, records: count)
  var status = stat()
  stat(path, &status)
  let rate = try readingRate(path)
  var ours: [Run] = []
  var theirs: [Run] = []
  for _ in 0..<rounds {
    if let run = Run([lull, "report", path, "--format", "json"]) { ours.append(run) }
    if let run = Run(["perf", "sched", "-i", path, "timehist", "-s"]) { theirs.append(run) }
  }
  let own = ours.map(\.seconds).median
  let other = theirs.map(\.seconds).median
  func megabytes(_ runs: [Run]) -> String {
    runs.isEmpty ? "–" : number(runs.map { Double($0.peakBytes) }.median / 1e6, 0)
  }
  print(
    "| \(count) | \(number(Double(status.st_size) / 1e6, 0)) | \(number(rate, 1)) | "
      + "\(ours.isEmpty ? "–" : number(own, 3)) | \(megabytes(ours)) | "
      + "\(theirs.isEmpty ? "–" : number(other, 3)) | \(megabytes(theirs)) | "
      + "\(ours.isEmpty || theirs.isEmpty ? "–" : number(other / own, 1)) |")
  count = count == 1_000_000 ? 2_000_000 : count == 2_000_000 ? 10_000_000 : count * 10
}
