import Foundation

/// Programs that are about how a process waits and ends.
enum Lifecycle {
  static let idleKeys = ["seconds"]
  static let pollerKeys = ["hz", "seconds", "main"]
  static let crashKeys = ["signal", "ms"]
  static let terminatorKeys = ["ms", "after"]

  /// `idle`: the well-behaved program, one coalescing timer and a quick end at SIGTERM.
  static func idle(_ arguments: Arguments) throws {
    let seconds = try arguments.number("seconds", 10)
    let counter = Counter()
    onMain(after: 5, repeats: true, tolerance: 2.5) { counter.value += 1 }
    finishAtTermination { end("idle", counter) }
    onMain(after: seconds, tolerance: min(1, seconds / 10)) { end("idle", counter) }
    runMainRunLoop()
  }

  /// `poller`: a timer at a fixed rate that finds nothing to do.
  static func poller(_ arguments: Arguments) throws {
    let rate = try arguments.number("hz", 50)
    let seconds = try arguments.number("seconds", 5)
    let usesMain = try arguments.integer("main", 1) != 0
    guard rate > 0 else { throw UsageError("hz must be more than 0") }
    let limit = Int(rate * seconds)
    guard usesMain else {
      runBesideMainRunLoop {
        for _ in 0..<limit { usleep(useconds_t(1e6 / rate)) }
        var truth = Truth("poller")
        truth.count = limit
        return truth
      }
    }
    let counter = Counter()
    onMain(after: 1 / rate, repeats: true) {
      counter.value += 1
      if counter.value >= limit { end("poller", counter) }
    }
    runMainRunLoop()
  }

  /// `crash`: dies of a signal of its own making.
  static func crash(_ arguments: Arguments) throws {
    let name = arguments.text("signal", "segv")
    pause(milliseconds: try arguments.number("ms", 200))
    switch name {
    case "segv":
      signal(SIGSEGV, SIG_DFL)
      let nowhere = UnsafeMutablePointer<Int>(bitPattern: 8)
      nowhere?.pointee = 1
    case "abort":
      signal(SIGABRT, SIG_DFL)
      abort()
    case "trap": raise(SIGTRAP)
    default: throw UsageError("signal=\(name): one of segv, abort, trap is wanted")
    }
  }

  /// `terminator`: takes a known time from SIGTERM to its end; sends itself the signal when `after` is given.
  static func terminator(_ arguments: Arguments) throws {
    let delay = try arguments.number("ms", 1000)
    let after = try arguments.number("after", 0)
    let counter = Counter()
    finishAtTermination {
      let start = monotonicNow()
      onMain(after: delay / 1000) {
        var truth = Truth("terminator")
        truth.seconds = Double(monotonicNow() - start) / 1e9
        truth.count = counter.value
        truth.printAndExit()
      }
    }
    if after > 0 {
      onMain(after: after / 1000) {
        counter.value += 1
        kill(getpid(), SIGTERM)
      }
    }
    runMainRunLoop()
  }

  private static func end(_ name: String, _ counter: Counter) -> Never {
    var truth = Truth(name)
    truth.count = counter.value
    truth.printAndExit()
  }

  /// Calls `body` on the main thread at the first SIGTERM.
  private static func finishAtTermination(_ body: @escaping @Sendable () -> Void) {
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
    source.setEventHandler(handler: body)
    source.resume()
    Counter.kept = source
  }
}

/// A number that only the main thread touches.
private final class Counter: @unchecked Sendable {
  var value = 0
  /// Keeps the signal source alive for the life of the process.
  nonisolated(unsafe) static var kept: (any DispatchSourceSignal)?
}
