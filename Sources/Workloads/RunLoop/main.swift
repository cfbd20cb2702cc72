// Small programs whose true cost is known by construction; each ends with one line of JSON that says it.
import Foundation

struct Workload {
  let keys: [String]
  let run: (Arguments) throws -> Void
}

let workloads: [String: Workload] = [
  "blocker": Workload(keys: Blocker.keys, run: Blocker.run),
  "idle": Workload(keys: Lifecycle.idleKeys, run: Lifecycle.idle),
  "poller": Workload(keys: Lifecycle.pollerKeys, run: Lifecycle.poller),
  "crash": Workload(keys: Lifecycle.crashKeys, run: Lifecycle.crash),
  "terminator": Workload(keys: Lifecycle.terminatorKeys, run: Lifecycle.terminator),
  "marker": Workload(keys: Marker.keys, run: Marker.run),
  "phases": Workload(keys: Phases.keys, run: Phases.run),
  "chatty": Workload(keys: NetworkClients.chattyKeys, run: NetworkClients.chatty),
  "bursty": Workload(keys: NetworkClients.burstyKeys, run: NetworkClients.bursty),
  "serve": Workload(keys: NetworkClients.serverKeys, run: NetworkClients.serve),
  "rally": Workload(keys: Rally.keys, run: Rally.run),
  "appender": Workload(keys: FileWriters.appenderKeys, run: FileWriters.appender),
  "rewriter": Workload(keys: FileWriters.rewriterKeys, run: FileWriters.rewriter),
  "bytewriter": Workload(keys: FileWriters.byteWriterKeys, run: FileWriters.byteWriter),
  "filler": Workload(keys: FileCopiers.keys, run: FileCopiers.run),
  "atomic-saver": Workload(keys: AtomicSaver.keys, run: AtomicSaver.run),
  "sqlite": Workload(keys: SQLiteUser.keys, run: SQLiteUser.run),
  "leaker": Workload(keys: MemoryUsers.leakerKeys, run: MemoryUsers.leaker),
  "spiker": Workload(keys: MemoryUsers.spikerKeys, run: MemoryUsers.spiker),
  "cache": Workload(keys: MemoryUsers.cacheKeys, run: MemoryUsers.cache),
  "steady": Workload(keys: MemoryUsers.steadyKeys, run: MemoryUsers.steady),
]

/// Waits until what LullAgent records into is there, so that nothing is missed.
func awaitRecorder() {
  func isThere() -> Bool {
    let file = FileHandle(forReadingAtPath: "/proc/self/maps")
    let lines = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self).split(
      separator: "\n")
    return lines.contains { $0.contains("/dev/shm/lull-") && !$0.contains("/lull-agents-") }
  }
  for _ in 0..<5000 where !isThere() { usleep(2000) }
}

do {
  let words = Array(CommandLine.arguments.dropFirst())
  guard let name = words.first, let workload = workloads[name] else {
    let names = workloads.keys.sorted().map { name in
      "  \(name) \((workloads[name]?.keys ?? []).map { "[\($0)=…]" }.joined(separator: " "))"
    }
    throw UsageError(
      "usage: lull-workload NAME [key=value…]\n" + names.joined(separator: "\n"))
  }
  if getenv("LULL_WORKLOAD_WAIT") != nil {
    unsetenv("LULL_WORKLOAD_WAIT")
    awaitRecorder()
  }
  try workload.run(Arguments(Array(words.dropFirst()), allowed: workload.keys))
} catch {
  fail(error)
}
