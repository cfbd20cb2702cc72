import PerfData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Makes traces of growing size, runs `lull report` on each and, in turn with it, what perf has for the same trace, and
// prints a table of medians; the ratio is the median of each pair's own.
//
//     swift run -c release lull-bench [LARGEST] [DIRECTORY]
//
// LARGEST is the number of records of the largest trace, 10000000 by default; 100000000 takes 11 GB in DIRECTORY.

let largest = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000
let directory = CommandLine.arguments.dropFirst(2).first ?? "/tmp"
let lull =
  CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
  .joined(separator: "/") + "/lull"
let path = "\(directory)/lull-bench-\(getpid()).perf.data"
/// Pairs of runs on a trace of so many bytes: of a small one more, since each is short.
func rounds(_ bytes: Int) -> Int { bytes < 1_000_000_000 ? 15 : 5 }

func number(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((value * scale).rounded())
  guard digits > 0 else { return "\(whole)" }
  let rest = String(whole % Int(scale))
  return "\(whole / Int(scale))." + String(repeating: "0", count: digits - rest.count) + rest
}

/// Millions of records a second, read and put in order on one core; and how many there are.
func readingRate() throws -> (rate: Double, count: Int) {
  var rates: [Double] = []
  var count = 0
  for _ in 0..<5 {
    let start = ContinuousClock.now
    let file = try PerfDataFile(path: path)
    count = 0
    _ = file.forEachBatch([]) { batch in
      count += batch.records.count
      return OffsetSpan()
    }
    rates.append(Double(count) / ((ContinuousClock.now - start) / .seconds(1)) / 1e6)
  }
  return (rates.median, count)
}

/// One kind of trace, with perf's command for it.
struct Kind {
  var name: String
  var write: (String, Int) throws -> Void
  /// What perf records of a program that is run for it.
  var recorded: [[String]]
  var peer: (String) -> [String]
}

let kinds = [
  Kind(
    name: "perf sched timehist -s", write: { try SyntheticSchedule().write(to: $0, records: $1) },
    recorded: [
      ["sched", "record", "perf", "bench", "sched", "pipe", "-l", "200000"],
      ["sched", "record", "perf", "bench", "sched", "messaging", "-g", "10", "-l", "3000"],
    ],
    peer: { ["perf", "sched", "-i", $0, "timehist", "-s"] }),
  Kind(
    name: "perf trace -s", write: { try SyntheticCalls().write(to: $0, records: $1) },
    recorded: [
      ["trace", "record", "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=400000"],
      ["trace", "record", "find", "/", "-xdev", "-newermt", "2100-01-01", "-type", "f"],
    ],
    peer: { ["perf", "trace", "-i", $0, "-s"] }),
]

func megabytes(_ runs: [Run]) -> String {
  runs.isEmpty ? "–" : number(runs.map { Double($0.peakBytes) }.median / 1e6, 0)
}

/// Reads the trace at `path`, in turn with perf, and prints what each took; tells what Lull took, and removes it.
func line(_ kind: Kind, _ name: String, _ before: Double?) throws -> Double? {
  defer { unlink(path) }
  var status = stat()
  stat(path, &status)
  let (rate, count) = try readingRate()
  var ours: [Run] = []
  var theirs: [Run] = []
  var ratios: [Double] = []
  for round in 0..<rounds(Int(status.st_size)) {
    let commands = [[lull, "report", path, "--format", "json"], kind.peer(path)]
    var pair: [Run?] = [nil, nil]
    for place in [round % 2, 1 - round % 2] { pair[place] = Run(commands[place]) }
    if let own = pair[0] { ours.append(own) }
    if let other = pair[1] { theirs.append(other) }
    if let own = pair[0], let other = pair[1] { ratios.append(other.seconds / own.seconds) }
  }
  let own = ours.map(\.seconds).median
  let growth = before.map { "\(number(own / $0, 1))" } ?? ""
  print(
    "| \(name) | \(count) | \(number(Double(status.st_size) / 1e6, 0)) | \(number(rate, 1)) | "
      + "\(ours.isEmpty ? "–" : number(own, 3)) | \(growth) | \(megabytes(ours)) | "
      + "\(theirs.isEmpty ? "–" : number(theirs.map(\.seconds).median, 3)) | "
      + "\(megabytes(theirs)) | \(ratios.isEmpty ? "–" : number(ratios.median, 1)) |")
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
    try kind.write(path, count)
    before = try line(kind, kind.name, before)
    count = count == 1_000_000 ? 2_000_000 : count == 2_000_000 ? 10_000_000 : count * 10
  }
}
// What perf records has many more threads, programs that become others, and rounds of all sizes.
for kind in kinds {
  for command in kind.recorded {
    let program = command.drop { $0 != "record" }.dropFirst()
    let options = ["-q", "-m", "8192", "-o", path, "--"]
    guard Run(["perf"] + command.dropLast(program.count) + options + program) != nil else {
      print("perf could not record \(program.joined(separator: " ")): that needs root")
      continue
    }
    _ = try line(kind, "\(kind.name) of \(program.prefix(4).joined(separator: " "))", nil)
  }
}
