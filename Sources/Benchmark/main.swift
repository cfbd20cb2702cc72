import PerfData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Makes traces of growing size, runs `lull report` on each and, in turn with it, what perf has for the same trace, and prints a table
// of medians.
//
//     swift run -c release lull-bench [LARGEST] [DIRECTORY]
//
// LARGEST is the number of records of the largest trace, 10000000 by default; 100000000 takes 11 GB in DIRECTORY.

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

/// One kind of trace, with perf's command for it.
struct Kind {
  var name: String
  var write: (String, Int) throws -> Void
  var peer: (String) -> [String]
}

let kinds = [
  Kind(
    name: "perf sched timehist -s", write: { try SyntheticSchedule().write(to: $0, records: $1) },
    peer: { ["perf", "sched", "-i", $0, "timehist", "-s"] }),
  Kind(
    name: "perf trace -s", write: { try SyntheticCalls().write(to: $0, records: $1) },
    peer: { ["perf", "trace", "-i", $0, "-s"] }),
]

func megabytes(_ runs: [Run]) -> String {
  runs.isEmpty ? "–" : number(runs.map { Double($0.peakBytes) }.median / 1e6, 0)
}

func line(_ kind: Kind, _ count: Int, _ before: Double?) throws -> Double? {
  let path = "\(directory)/lull-bench-\(getpid())-\(count).perf.data"
  defer { unlink(path) }
  try kind.write(path, count)
  var status = stat()
  stat(path, &status)
  let rate = try readingRate(path)
  var ours: [Run] = []
  var theirs: [Run] = []
  for round in 0..<rounds {
    let commands = [[lull, "report", path, "--format", "json"], kind.peer(path)]
    for place in [round % 2, 1 - round % 2] {
      guard let run = Run(commands[place]) else { continue }
      if place == 0 { ours.append(run) } else { theirs.append(run) }
    }
  }
  let own = ours.map(\.seconds).median
  let other = theirs.map(\.seconds).median
  let growth = before.map { "\(number(own / $0, 1))" } ?? ""
  print(
    "| \(kind.name) | \(count) | \(number(Double(status.st_size) / 1e6, 0)) | \(number(rate, 1)) | "
      + "\(ours.isEmpty ? "–" : number(own, 3)) | \(growth) | \(megabytes(ours)) | "
      + "\(theirs.isEmpty ? "–" : number(other, 3)) | \(megabytes(theirs)) | "
      + "\(ours.isEmpty || theirs.isEmpty ? "–" : number(other / own, 1)) |")
  return ours.isEmpty ? nil : own
}

print(
  "| beside | records | MB | read and order, M/s | lull report, s | times the row above | MB | perf, s | MB | ratio |"
)
print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
for kind in kinds {
  var count = 100_000
  var before: Double?
  while count <= largest {
    before = try line(kind, count, before)
    count = count == 1_000_000 ? 2_000_000 : count == 2_000_000 ? 10_000_000 : count * 10
  }
}
