import Dispatch
import Glibc

/// A program whose MainActor runs where async main or dispatchMain puts it, and is blocked a known number of times.
///
/// With `mode=pool` it is a task of the cooperative pool that blocks, with `mode=private` a serial queue of its own,
/// while the main queue runs empty blocks; with `mode=hops` tasks only yield, `count` times, and with `mode=poll` they
/// look for a file that is not there, every `gap` ms. With `mode=timers` there are two dispatch sources besides, one of
/// 250 ms that blocks for 2 ms each time and one of a second that does nothing. With `depth` it blocks under so many
/// functions that each take more than a kilobyte of the stack.
///
/// `lull-workload-async [mode=async-main|dispatch|private|pool|hops|poll|timers] [count=N] [ms=T] [gap=G] [depth=D]`
@main
struct AsyncWorkload {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    guard let program = Program(words) else {
      writeLine(
        "usage: lull-workload-async [mode=async-main|dispatch|private|pool|hops|poll|timers] [count=N] "
          + "[ms=T] [gap=G] [depth=D]",
        to: 2
      )
      exit(64)
    }
    switch program.mode {
    case .asyncMain: await runAsync(program)
    case .dispatch: runDispatch(program, on: .main)
    case .privateQueue: runDispatch(program, on: DispatchQueue(label: "lull.private"))
    case .pool: await runPool(program)
    case .hops: await runHops(program)
    case .poll: await runPolling(program)
    case .timers: await runTimers(program)
    }
  }

  @MainActor
  static func runAsync(_ program: Program) async {
    var spans: [String] = []
    for _ in 0..<program.count {
      try? await Task.sleep(for: .milliseconds(program.gap))
      spans.append(blockMainActor(program))
    }
    try? await Task.sleep(for: .milliseconds(program.gap))
    program.printAndExit(spans)
  }

  /// Nothing but jobs, as many a second as the runtime can.
  static func runHops(_ program: Program) async {
    for _ in 0..<program.count { await Task.yield() }
    program.printAndExit([])
  }

  /// Looks for what never comes.
  static func runPolling(_ program: Program) async {
    for _ in 0..<program.count where access("/var/empty/lull-never", F_OK) != 0 {
      try? await Task.sleep(for: .milliseconds(program.gap))
    }
    program.printAndExit([])
  }

  /// Three timers, for all of which libdispatch waits in one descriptor.
  static func runTimers(_ program: Program) async {
    let queue = DispatchQueue(label: "lull.timers")
    let working = DispatchSource.makeTimerSource(queue: queue)
    working.schedule(deadline: .now() + 0.041, repeating: 0.25)
    working.setEventHandler { workAtTimer() }
    working.resume()
    let empty = DispatchSource.makeTimerSource(queue: queue)
    empty.schedule(deadline: .now() + 0.377, repeating: 1)
    empty.setEventHandler {}
    empty.resume()
    await runPolling(program)
  }

  @inline(never)
  static func workAtTimer() { _ = block(2, under: 0) }

  /// Blocks tasks of the cooperative pool, and MainActor not at all.
  static func runPool(_ program: Program) async {
    var spans: [String] = []
    for _ in 0..<program.count {
      try? await Task.sleep(for: .milliseconds(program.gap))
      spans.append(await Task.detached { blockTask(program) }.value)
    }
    program.printAndExit(spans)
  }

  /// Never returns: the main queue runs from now on.
  static func runDispatch(_ program: Program, on queue: DispatchQueue) {
    queue.asyncAfter(deadline: .now() + .milliseconds(program.gap)) {
      dispatchNext(program, [], on: queue)
    }
    let ticks = DispatchSource.makeTimerSource(queue: .main)
    ticks.schedule(deadline: .now() + 0.05, repeating: 0.1)
    ticks.setEventHandler {}
    if queue !== DispatchQueue.main { ticks.resume() }
    dispatchMain()
  }

  @Sendable
  static func dispatchNext(_ program: Program, _ spans: [String], on queue: DispatchQueue) {
    guard spans.count < program.count else { program.printAndExit(spans) }
    let next = spans + [blockMainQueue(program)]
    queue.asyncAfter(deadline: .now() + .milliseconds(program.gap)) {
      dispatchNext(program, next, on: queue)
    }
  }

  @inline(never)
  static func blockTask(_ program: Program) -> String {
    block(program.milliseconds, under: program.depth)
  }

  @MainActor @inline(never)
  static func blockMainActor(_ program: Program) -> String {
    block(program.milliseconds, under: program.depth)
  }

  @inline(never)
  static func blockMainQueue(_ program: Program) -> String {
    block(program.milliseconds, under: program.depth)
  }

  @inline(never)
  private static func block(_ milliseconds: Int, under depth: Int) -> String {
    guard depth > 0 else { return block(milliseconds) }
    return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { bytes in
      bytes[0] = UInt8(depth & 1)
      let span = block(milliseconds, under: depth - 1)
      return bytes[0] > 1 ? "" : span
    }
  }

  @inline(never)
  private static func block(_ milliseconds: Int) -> String {
    let start = monotonicNow()
    usleep(useconds_t(milliseconds * 1000))
    return "{\"startNs\":\(start),\"endNs\":\(monotonicNow()),\"tid\":\(syscallThreadID())}"
  }

  private static func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The kernel's id of this thread, read from /proc because Swift cannot import gettid.
  private static func syscallThreadID() -> Int {
    var buffer = [CChar](repeating: 0, count: 128)
    let count = readlink("/proc/thread-self", &buffer, buffer.count - 1)
    guard count > 0 else { return 0 }
    let link = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return link.split(separator: "/").last.flatMap { Int($0) } ?? 0
  }
}

/// What the command line asks for.
struct Program: Sendable {
  enum Mode: String {
    case asyncMain = "async-main"
    case dispatch
    case privateQueue = "private"
    case pool
    case hops
    case poll
    case timers
  }

  var mode = Mode.asyncMain
  var count = 3
  var milliseconds = 300
  var gap = 200
  var depth = 0

  init?(_ words: some Sequence<String>) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      if parts[0] == "mode" {
        guard let mode = Mode(rawValue: String(parts[1])) else { return nil }
        self.mode = mode
        continue
      }
      guard let value = Int(parts[1]), value >= 0 else { return nil }
      switch parts[0] {
      case "count": count = value
      case "ms": milliseconds = value
      case "gap": gap = value
      case "depth": depth = value
      default: return nil
      }
    }
  }

  /// Prints the truth as one line of JSON.
  func printAndExit(_ spans: [String]) -> Never {
    let line = """
      {"count":\(spans.count),"mode":"\(mode.rawValue)","pid":\(getpid()),\
      "spans":[\(spans.joined(separator: ","))],"workload":"async"}
      """
    writeLine(line, to: 1)
    exit(0)
  }
}

private func writeLine(_ line: String, to descriptor: Int32) {
  let bytes = Array((line + "\n").utf8)
  _ = write(descriptor, bytes, bytes.count)
}
