import CPlain
import Glibc
import LullMarks

/// Nanoseconds that a call takes at best: the least of nine rounds.
func nanoseconds(_ rounds: Int = 9, calls: Int = 2_000_000, _ body: (Int) -> Void) -> Double {
  var least = Double.infinity
  for _ in 0..<rounds {
    var start = timespec()
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    body(calls)
    clock_gettime(CLOCK_MONOTONIC, &end)
    let span = Double(end.tv_sec - start.tv_sec) * 1e9 + Double(end.tv_nsec - start.tv_nsec)
    least = min(least, span / Double(calls))
  }
  return least
}

// `marks-user bench` tells what a mark costs beside a call of a function that does nothing.
if CommandLine.arguments.dropFirst().first == "bench" {
  let call = nanoseconds { calls in
    for _ in 0..<calls { plain_call("ready") }
  }
  let marked = nanoseconds { calls in
    for _ in 0..<calls { mark("ready") }
  }
  let intervals = nanoseconds { calls in
    for _ in 0..<calls { MarkedInterval("load").end() }
  }
  print("{\"callNs\":\(call),\"markNs\":\(marked),\"intervalNs\":\(intervals)}")
} else {
  mark("ready")
  let load = MarkedInterval("load")
  usleep(100_000)
  load.end()
  interval("save") { _ = usleep(50_000) }
  mark("background")
}
